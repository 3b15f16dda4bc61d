# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How plan.yml and drift.yml end, from real runs: the exit code is what scripts go by."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.plan import Plan, Step
from ansible_collections.instinct.fleet.tests.unit.plugins.run_playbook import HERE, end_of_playbook
from ansible_collections.instinct.fleet.tests.unit.support.project import ROOT, data

TELL = {"ansible.builtin.import_tasks": str(ROOT / "playbooks/tasks/outcome.yml")}
DETAILED = ("-e", "fleet_plan_detailed_exitcode=true")


def planned(*steps: Step, **more: t.Any) -> dict[str, t.Any]:
    plans = {"gpu_driver": Plan("gpu_driver", steps, **more).to_dict()}
    return {**HERE, "gpu_release_plan": {"plans": plans, "report": {}}}


DUE = planned(Step("hold", "hold x"))
GOOD = planned()
BROKEN = planned(problems=("a GPU is gone",))
REFUSED = {**HERE, "gpu_release_plan": {"failed": True, "msg": "x: y", "failure": {"where": "x"}}}
GONE = {**HERE, "gpu_release_look": {"unreachable": True, "msg": "no route"}}
SILENT = dict(HERE)

ENDINGS = {
    "nothing to do": ({"a": GOOD, "b": GOOD}, 0, 0),
    "changes are due": ({"a": GOOD, "b": DUE}, 0, 2),
    "a reboot that nobody allowed is due": ({"a": planned(reboot="k must boot")}, 0, 2),
    "a refused node": ({"a": GOOD, "b": REFUSED}, 2, 1),
    "a refused node among nodes with changes due": ({"a": DUE, "b": REFUSED}, 2, 1),
    "refused nodes only": ({"a": REFUSED}, 2, 1),
    "an unreachable node": ({"a": GONE, "b": DUE}, 2, 1),
    "a problem that no step mends": ({"a": BROKEN, "b": GOOD}, 2, 1),
    "a node that says nothing": ({"a": GOOD, "b": SILENT}, 2, 1),
}


def run(home: Path, hosts: dict[str, t.Any], *options: str) -> tuple[int, str, str]:
    done = end_of_playbook(home, hosts, [TELL], "-e", "fleet_plan_against=inventory", *options)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(("hosts", "plain", "detailed"), ENDINGS.values(), ids=ENDINGS)
def test_exit_codes(tmp_path: Path, hosts: dict[str, t.Any], plain: int, detailed: int) -> None:
    code, _out, said = run(tmp_path, hosts, *DETAILED)
    assert code == detailed
    assert ("refused" in said or "nodes:" in said or "node:" in said) is (detailed == 1)
    if plain != detailed:
        assert run(tmp_path, hosts)[0] == plain


@pytest.mark.parametrize("options", [(), ("--check",), DETAILED])
def test_every_node_is_told_of_whatever_became_of_others(tmp_path: Path, options: tuple[str, ...]) -> None:
    path = tmp_path / "out" / "plan.json"
    hosts = {"a": REFUSED, "b": GONE, "c": DUE}
    _code, out, _said = run(tmp_path, hosts, *options, "-e", f"fleet_plan_path={path}")
    assert "3 nodes: 1 refused, 1 unreachable, 1 changes due" in out
    written = json.loads(path.read_text())
    assert {name: node["status"] for name, node in written["nodes"].items()} == {
        "a": "refused", "b": "unreachable", "c": "planned"}


@pytest.mark.parametrize(("options", "code"), [((), 1), (DETAILED, 1)])
def test_a_report_that_cannot_be_written_is_an_error_and_not_a_change(tmp_path: Path, options: tuple[str, ...], code: int) -> None:
    (tmp_path / "file").touch()
    assert run(tmp_path, {"a": GOOD}, *options, "-e", f"fleet_plan_path={tmp_path}/file/plan.json")[0] == code


@pytest.mark.parametrize(("name", "against"), [("plan", "inventory"), ("drift", "recorded")])
def test_both_playbooks_are_the_same_but_for_what_nodes_are_held_against(name: str, against: str) -> None:
    (play,) = t.cast("list[dict[str, t.Any]]", data(f"playbooks/{name}.yml"))
    assert play["vars"] == {"fleet_plan_against": against}
    assert play["ignore_unreachable"] is True
    assert "serial" not in play
    assert [task["ansible.builtin.import_tasks"] for task in play["tasks"]] == ["tasks/plan.yml", "tasks/outcome.yml"]
