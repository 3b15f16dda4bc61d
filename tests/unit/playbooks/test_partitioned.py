# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How partition.yml begins and ends, from real runs: one that refuses stops all, and the exit code is what scripts go by."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.tests.unit.plugins.run_playbook import HERE, end_of_playbook
from ansible_collections.instinct.fleet.tests.unit.support.project import ROOT, data

TASKS = ROOT / "playbooks/tasks"
CHOOSE = {"ansible.builtin.import_tasks": str(TASKS / "partition_waves.yml")}
TELL = {"ansible.builtin.import_tasks": str(TASKS / "partitioned.yml")}
NODE = {"ansible.builtin.include_tasks": str(TASKS / "partition_node.yml")}
DETAILED = ("-e", "fleet_partition_detailed_exitcode=true")


def said(was: str, **more: t.Any) -> dict[str, t.Any]:
    look = {"gpus": [{"product": "MI300X", "before": was, "wanted": "CPX/NPS1"}], "as_wanted": was == "CPX/NPS1", "changes": []}
    return {**HERE, "fleet_partition_look": look, "node_maintenance_standing": {"standing": "open", "reason": ""}, **more}


DUE, WANTED = said("SPX/NPS1"), said("CPX/NPS1")
BAD = said("SPX/NPS1", fleet_partition_look={"failed": True, "msg": "gpu 0: no CPX", "failure": {"where": "gpu 0"}})
GONE = said("SPX/NPS1", fleet_partition_look={"unreachable": True, "msg": "no route"})
DONE, BROKEN = (said("SPX/NPS1", fleet_partition_ended={"failed": why}) for why in ("", "gate: fail"))

# What begins: nodes -> exit code, and the one with exit codes that tell.
BEGINNINGS = {
    "nodes that are due": ({"a": DUE, "b": WANTED}, 0, 0),
    "one that refuses": ({"a": DUE, "b": BAD}, 2, 1),
    "one that is not reached": ({"a": DUE, "b": GONE}, 2, 1),
    "one of which nothing is asked": ({"a": DUE, "b": dict(HERE)}, 0, 0),
}
ENDINGS = {
    "all were partitioned": ({"a": DONE, "b": WANTED}, (), 0),
    "one failed": ({"a": DONE, "b": BROKEN}, (), 2),
    "one was not begun": ({"a": DONE, "b": DUE}, (), 2),
    "a dry run": ({"a": DUE, "b": WANTED}, ("--check",), 0),
    "a dry run that tells": ({"a": DUE, "b": WANTED}, ("--check", *DETAILED), 2),
    "a dry run of what is done": ({"a": WANTED}, ("--check", *DETAILED), 0),
}


@pytest.mark.parametrize(("hosts", "plain", "detailed"), BEGINNINGS.values(), ids=BEGINNINGS)
def test_one_that_refuses_stops_all(tmp_path: Path, hosts: dict[str, t.Any], plain: int, detailed: int) -> None:
    chosen = {"ansible.builtin.debug": {"msg": "GOES ON"}}
    for options, code in (((), plain), (DETAILED, detailed)):
        done = end_of_playbook(tmp_path, hosts, [CHOOSE, chosen], *options)
        assert (done.returncode, "GOES ON" in done.stdout) == (code, code == 0)
        assert ("no node was touched: b " in done.stdout + done.stderr) is (code != 0)


@pytest.mark.parametrize(("hosts", "options", "code"), ENDINGS.values(), ids=ENDINGS)
def test_exit_codes(tmp_path: Path, hosts: dict[str, t.Any], options: tuple[str, ...], code: int) -> None:
    where = tmp_path / "partitions.json"
    done = end_of_playbook(tmp_path, hosts, [TELL], *options, "-e", f"fleet_partition_path={where}")
    assert done.returncode == code, done.stdout
    assert list(json.loads(where.read_text(encoding="utf-8"))["nodes"]) == list(hosts)


def test_a_node_that_fails_is_not_given_back_and_stays_in_the_play(tmp_path: Path) -> None:
    plan = {"nodes": {"a": {"changes": ["set CPX"], "wanted": {}}}}
    host = said("SPX/NPS1", fleet_partition_plan=plan, gpu_partition_profile="no-such-profile")
    where = tmp_path / "partitions.json"
    done = end_of_playbook(tmp_path, {"a": host}, [NODE, TELL], "-e", f"fleet_partition_path={where}")
    verdict = json.loads(where.read_text(encoding="utf-8"))["nodes"]["a"]["verdict"]
    assert verdict.startswith("failed: gpu_partition_profile: there is no profile 'no-such-profile'; ")
    assert (done.returncode, "stopped after 1 node failed (a); 0 may" in done.stdout) == (2, True)
    assert "Give it back" not in done.stdout


def test_giving_back_is_the_last_role_of_the_block() -> None:
    (block,) = t.cast("list[dict[str, t.Any]]", data("playbooks/tasks/partition_node.yml"))
    assert [task["ansible.builtin.include_tasks"] for task in block["block"]] == ["partition_steps.yml"]
    steps = t.cast("list[dict[str, t.Any]]", data("playbooks/tasks/partition_steps.yml"))
    entered = [task.get("ansible.builtin.include_tasks") or task["ansible.builtin.include_role"].get("tasks_from", "main")
               for task in steps if {*task} & {"ansible.builtin.include_role", "ansible.builtin.include_tasks"}]
    assert entered == ["drain", "main", "node_gate.yml", "node_undrain.yml"]
    wave = t.cast("list[dict[str, t.Any]]", data("playbooks/partition.yml"))[1]
    assert wave["ignore_unreachable"] is True and wave["serial"] == "{{ fleet_partition_wave | default(1) }}"
