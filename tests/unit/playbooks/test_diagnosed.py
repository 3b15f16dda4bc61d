# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How diagnose.yml ends, from real runs: the exit code is what scripts go by."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.tests.unit.plugins.run_playbook import HERE, end_of_playbook
from ansible_collections.instinct.fleet.tests.unit.support.diagnoses import diagnosis, finding
from ansible_collections.instinct.fleet.tests.unit.support.project import ROOT, data

TELL = {"ansible.builtin.import_tasks": str(ROOT / "playbooks/tasks/diagnosed.yml")}
DETAILED = ("-e", "fleet_diagnose_detailed_exitcode=true")


def said(verdict: str, *findings: dict[str, t.Any]) -> dict[str, t.Any]:
    return {**HERE, "fleet_diagnosis": {"diagnosis": diagnosis(verdict, *findings)}}


GOOD = said("pass")
WARM = said("warn", finding("hot", "hot", "warning"))
SICK = said("fail", finding("ecc", "ecc"))
DARK = said("unknown")
OLD = {**HERE, "fleet_diagnosis": {"failed": True, "msg": "Python is too old"}}
GONE = {**HERE, "fleet_diagnosis": {"unreachable": True, "msg": "no route"}}

ENDINGS = {
    "all is well": ({"a": GOOD, "b": GOOD}, 0, 0),
    "a warning": ({"a": GOOD, "b": WARM}, 0, 2),
    "something is wrong": ({"a": GOOD, "b": SICK}, 0, 2),
    "nothing is known to be wrong": ({"a": GOOD, "b": DARK}, 0, 1),
    "a node that failed": ({"a": GOOD, "b": OLD}, 2, 1),
    "an unreachable node among sick ones": ({"a": SICK, "b": GONE}, 2, 1),
    "a node that says nothing": ({"a": GOOD, "b": dict(HERE)}, 2, 1),
}


@pytest.mark.parametrize(("hosts", "plain", "detailed"), ENDINGS.values(), ids=ENDINGS)
def test_exit_codes(tmp_path: Path, hosts: dict[str, t.Any], plain: int, detailed: int) -> None:
    done = end_of_playbook(tmp_path, hosts, [TELL], *DETAILED)
    assert done.returncode == detailed
    assert "2 nodes: " in done.stdout
    if plain != detailed:
        assert end_of_playbook(tmp_path, hosts, [TELL]).returncode == plain


@pytest.mark.parametrize("options", [(), ("--check",), DETAILED])
def test_every_node_is_told_of_whatever_became_of_others(tmp_path: Path, options: tuple[str, ...]) -> None:
    where = tmp_path / "out"
    done = end_of_playbook(tmp_path, {"a": OLD, "b": GONE, "c": SICK}, [TELL], *options, "-e", f"fleet_diagnose_path={where}")
    assert "3 nodes: 1 fail, 1 failed, 1 unreachable" in done.stdout
    written = json.loads((where / "summary.json").read_text())
    assert {name: node["verdict"] for name, node in written["nodes"].items()} == {"a": "failed", "b": "unreachable", "c": "fail"}


@pytest.mark.parametrize("options", [(), DETAILED])
def test_files_that_cannot_be_written_are_an_error_and_no_finding(tmp_path: Path, options: tuple[str, ...]) -> None:
    (tmp_path / "file").touch()
    done = end_of_playbook(tmp_path, {"a": GOOD}, [TELL], *options, "-e", f"fleet_diagnose_path={tmp_path}/file/x")
    assert done.returncode == 1
    assert "the summary cannot be written" in done.stderr


def test_the_playbook_keeps_every_node_in_the_play() -> None:
    (play,) = t.cast("list[dict[str, t.Any]]", data("playbooks/diagnose.yml"))
    assert play["ignore_unreachable"] is True
    assert "serial" not in play
    assert [task["ansible.builtin.import_tasks"] for task in play["tasks"]] == ["tasks/diagnose.yml", "tasks/diagnosed.yml"]
