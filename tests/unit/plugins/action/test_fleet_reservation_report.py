# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""fleet_reservation_report: what it reads of each host, the file that it writes, and its documentation."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path
from unittest import mock

import pytest
import yaml

from ansible_collections.instinct.fleet.plugins.action import fleet_reservation_report
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.verdict import judge
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.verdict_holder import Held
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.verdict_plain import plain
from ansible_collections.instinct.fleet.plugins.modules import fleet_reservation_report as module
from ansible_collections.instinct.fleet.plugins.plugin_utils import endings
from ansible_collections.instinct.fleet.tests.unit.support.hostvars import HostVars
from ansible_collections.instinct.fleet.tests.unit.support.trespass import DEVICES, RECORD, A, holder

GOOD, BAD = (plain(judge(RECORD, DEVICES, Held((holder(8, A, user=user),))), None, {}, True) for user in ("alice", "bob"))
VARIABLES = {
    "a": {"gpu_reservation_info": GOOD}, "b": {"gpu_reservation_info": BAD},
    "c": {"gpu_reservation_info": {"unreachable": True, "msg": "Task failed: no route"}},
    "d": {"gpu_reservation_info": {"failed": True, "msg": "Task failed: Action failed: f: is not JSON"}}, "e": {},
    "f": {"ansible_failed_result": {"msg": "Task failed: Action failed: the role refuses"}}}


def run(**args: t.Any) -> dict[str, t.Any]:
    task = mock.Mock(async_val=0, args=args, check_mode=False, diff=False)
    action = fleet_reservation_report.ActionModule(task, *[mock.Mock()] * 5)
    with mock.patch.object(fleet_reservation_report.Display(), "display") as shown:
        result = action.run(task_vars={"ansible_play_hosts_all": list(VARIABLES), "hostvars": HostVars(VARIABLES)})
    assert [call.args[0] for call in shown.mock_calls] == ["\n" + result["table"]]
    return result


@pytest.fixture(autouse=True)
def _told() -> None:
    endings.begin(160)
    endings.tell("e", "failed", "told by the callback")


def test_every_host_of_the_play_is_told_of() -> None:
    result = run()
    assert {name: (node["verdict"], node["reason"]) for name, node in result["nodes"].items()} == {
        "a": ("ok", None), "b": ("trespass", None), "c": ("unreachable", "no route"), "d": ("failed", "f: is not JSON"),
        "e": ("failed", "told by the callback"), "f": ("failed", "the role refuses")}
    assert (result["complete"], result["answered"], result["good"], result["changed"]) == (False, False, False, False)
    assert result["summary"] == "6 nodes: 1 trespass, 3 failed, 1 unreachable, 1 ok"
    assert "tenant training holds it, and it is reserved for tenant inference (P0)" in result["table"]


@pytest.mark.parametrize(("hosts", "flags"), [
    (["a"], (True, True, True)), (["a", "b"], (True, True, False)), (["a", "g"], (False, False, False)), ([], (True, True, True))])
def test_hosts_can_be_chosen(hosts: list[str], flags: tuple[bool, ...]) -> None:
    result = run(hosts=hosts)
    assert (result["complete"], result["answered"], result["good"]) == flags and list(result["nodes"]) == hosts


def test_the_file_has_what_is_documented(tmp_path: Path) -> None:
    run(path=str(tmp_path / "jobs.json"))
    data = json.loads((tmp_path / "jobs.json").read_text(encoding="utf-8"))
    assert set(data) == {"version", "kind", "when", "complete", "answered", "proved", "good", "counts", "nodes"} and data["kind"] == "reservations"
    assert set(data["nodes"]["a"]) == set(yaml.safe_load(module.RETURN)["nodes"]["contains"])
    assert set(yaml.safe_load(module.RETURN)) == set(run()) - {"changed"}
