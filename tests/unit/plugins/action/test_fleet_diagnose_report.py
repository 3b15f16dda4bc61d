# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""fleet_diagnose_report: what it reads of each host, the files that it writes, and its documentation."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path
from unittest import mock

import pytest
import yaml

from ansible_collections.instinct.fleet.plugins.action import fleet_diagnose_report
from ansible_collections.instinct.fleet.plugins.modules import fleet_diagnose_report as module
from ansible_collections.instinct.fleet.plugins.plugin_utils import endings
from ansible_collections.instinct.fleet.tests.unit.support.diagnoses import diagnosis, finding
from ansible_collections.instinct.fleet.tests.unit.support.hostvars import HostVars

ECC = finding("ecc", "GPU 0000:05:00.0 has 2 errors")
VARIABLES: dict[str, t.Any] = {
    "a": {"fleet_diagnosis": {"diagnosis": diagnosis("fail", ECC)}},
    "b": {"fleet_diagnosis": {"diagnosis": diagnosis("pass")}},
    "c": {"fleet_diagnosis": {"unreachable": True, "msg": "Task failed: no route"}},
    "d": {"fleet_diagnosis": {"failed": True, "msg": "Task failed: Action failed: x: y", "failure": {"where": "x"}}},
    "e": {},
    "f": {"fleet_diagnosis": {"diagnosis": diagnosis("unknown")}},
}


def run(play: dict[str, t.Any] | None = None, verbosity: int = 0, **args: t.Any) -> dict[str, t.Any]:
    task = mock.Mock(async_val=0, args=args, check_mode=False, diff=False)
    action = fleet_diagnose_report.ActionModule(task, *[mock.Mock()] * 5)
    known = {"ansible_play_hosts_all": list(VARIABLES), "hostvars": HostVars(VARIABLES)} if play is None else play
    screen = fleet_diagnose_report.Display()
    with mock.patch.object(screen, "display") as shown, mock.patch.object(screen, "verbosity", verbosity):
        result = action.run(task_vars=known)
    assert [call.args[0] for call in shown.mock_calls] == ["\n" + result["table"]]
    return result


@pytest.fixture(autouse=True)
def _told() -> None:
    endings.begin(120)
    endings.tell("e", "failed", "told by the callback")


def test_every_host_of_the_play_is_told_of() -> None:
    result = run()
    assert {name: (node["verdict"], node["summary"]) for name, node in result["nodes"].items()} == {
        "a": ("fail", "GPU 0000:05:00.0 has 2 errors"), "b": ("pass", "nothing is wrong"), "c": ("unreachable", "no route"),
        "d": ("failed", "x: y"), "e": ("failed", "told by the callback"), "f": ("unknown", "nothing is wrong")}
    assert result["summary"] == "6 nodes: 1 fail, 2 failed, 1 unreachable, 1 unknown, 1 pass"
    assert result["changed"] is False
    assert [group["words"] for group in result["groups"]] == [
        "GPU 0000:05:00.0 has 2 errors", "unreachable: no route", "failed: x: y", "failed: told by the callback"]


ENDS = [
    (["a", "b"], True, True, False), (["b"], True, True, True), ([], True, True, True), (["b", "f"], True, False, False),
    (["b", "c"], False, False, False), (["nobody"], False, False, False),
]  # fmt: skip


@pytest.mark.parametrize(("hosts", "complete", "answered", "healthy"), ENDS)
def test_hosts_can_be_named(hosts: list[str], complete: bool, answered: bool, healthy: bool) -> None:
    result = run(hosts=hosts)
    assert (list(result["nodes"]), result["complete"], result["answered"], result["healthy"]) == (hosts, complete, answered, healthy)


@pytest.mark.parametrize(("args", "verbosity", "shown"), [
    ({}, 0, False), ({}, 1, True), ({"details": False}, 1, False), ({"details": True}, 0, True),
])  # fmt: skip
def test_details(args: dict[str, t.Any], verbosity: int, shown: bool) -> None:
    assert ("because of ecc" in run(verbosity=verbosity, **args)["table"]) is shown


def test_rows() -> None:
    table = run(rows=1)["table"]
    assert "and 5 nodes more" in table
    assert "6 nodes: 1 fail" in table


def test_files(tmp_path: Path) -> None:
    result = run(path=str(tmp_path / "x"))
    written = json.loads((tmp_path / "x" / "summary.json").read_text())
    assert written["counts"] == result["counts"]
    assert {name: {key: value for key, value in node.items() if key != "file"} for name, node in written["nodes"].items()} == result["nodes"]


def test_the_documentation_is_about_this_plugin() -> None:
    result = run()
    said = yaml.safe_load(module.RETURN)
    assert set(said) == set(result) - {"changed"}
    assert set(said["nodes"]["contains"]) == set(result["nodes"]["a"])
    assert set(said["groups"]["contains"]) == set(result["groups"][0])
