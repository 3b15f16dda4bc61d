# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""fleet_gate_report: what it reads of each host, the file that it writes, and its documentation."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path
from unittest import mock

import pytest
import yaml

from ansible_collections.instinct.fleet.plugins.action import fleet_gate_report
from ansible_collections.instinct.fleet.plugins.doc_fragments._report import ModuleDocFragment
from ansible_collections.instinct.fleet.plugins.modules import fleet_gate_report as module
from ansible_collections.instinct.fleet.plugins.plugin_utils import collected, endings
from ansible_collections.instinct.fleet.tests.unit.support.hostvars import HostVars

GATED = {"verdict": "warn", "checks": [], "gpus": {"a": "warn"}, "evidence": ["x of a: y"], "next_action": "look", "profile": "admission"}
VARIABLES = {
    "a": {"gpu_health_verdict": GATED}, "b": {"gpu_health_verdict": {**GATED, "verdict": "fail", "failed": True, "msg": "Task failed: x"}},
    "c": {"gpu_health_verdict": {"unreachable": True, "msg": "Task failed: no route"}},
    "d": {"gpu_health_verdict": {"failed": True, "msg": "Task failed: Action failed: f: is not JSON"}}, "e": {}, "f": {"gpu_health_verdict": 5},
}


def run(**args: t.Any) -> dict[str, t.Any]:
    task = mock.Mock(async_val=0, args=args, check_mode=False, diff=False)
    action = fleet_gate_report.ActionModule(task, *[mock.Mock()] * 5)
    with mock.patch.object(fleet_gate_report.Display(), "display") as shown:
        result = action.run(task_vars={"ansible_play_hosts_all": list(VARIABLES), "hostvars": HostVars(VARIABLES)})
    assert [call.args[0] for call in shown.mock_calls] == ["\n" + result["table"]]
    return result


@pytest.fixture(autouse=True)
def _told() -> None:
    endings.begin(120)
    endings.tell("e", "failed", "told by the callback")


def test_every_host_of_the_play_is_told_of() -> None:
    result = run()
    assert {name: (node["verdict"], node["reason"]) for name, node in result["nodes"].items()} == {
        "a": ("warn", None), "b": ("fail", None), "c": ("unreachable", "no route"), "d": ("failed", "f: is not JSON"),
        "e": ("failed", "told by the callback"), "f": ("failed", "it was not gated")}
    assert (result["complete"], result["answered"], result["open"], result["changed"]) == (False, False, False, False)
    assert result["summary"] == "6 nodes: 1 fail, 3 failed, 1 unreachable, 1 warn"


@pytest.mark.parametrize(("hosts", "flags"), [
    (["a"], (True, True, True)), (["a", "b"], (True, True, False)), (["a", "g"], (False, False, False)), ([], (True, True, True))])
def test_hosts_can_be_chosen(hosts: list[str], flags: tuple[bool, ...]) -> None:
    result = run(hosts=hosts)
    assert (result["complete"], result["answered"], result["open"]) == flags and list(result["nodes"]) == hosts


def test_the_file_has_what_is_documented(tmp_path: Path) -> None:
    run(path=str(tmp_path / "gate.json"))
    data = json.loads((tmp_path / "gate.json").read_text(encoding="utf-8"))
    assert set(data) == {"version", "kind", "when", "complete", "answered", "open", "counts", "nodes"} and data["kind"] == "gates"
    assert set(data["nodes"]["a"]) == set(yaml.safe_load(module.RETURN)["nodes"]["contains"])
    assert set(yaml.safe_load(module.RETURN)) == set(run()) - {"changed"}
    assert {*yaml.safe_load(ModuleDocFragment.DOCUMENTATION)["options"], *yaml.safe_load(module.DOCUMENTATION)["options"]} == {*collected.OPTIONS}
