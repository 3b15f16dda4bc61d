# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""fleet_reservation_plan: what it reads of each host, what it returns, the file, and its documentation."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path
from unittest import mock

import pytest
import yaml

from ansible_collections.instinct.fleet.plugins.action import fleet_reservation_plan
from ansible_collections.instinct.fleet.plugins.doc_fragments._report import ModuleDocFragment
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation import record
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.spares import Rule
from ansible_collections.instinct.fleet.plugins.modules import fleet_reservation_plan as module
from ansible_collections.instinct.fleet.plugins.plugin_utils import endings
from ansible_collections.instinct.fleet.tests.unit.support.reserving import SERVING, asking

Variables = dict[str, dict[str, t.Any]]
GONE = {"gpu_reservation_look": {"unreachable": True, "msg": "Task failed: no route"}}
LARGE = {**SERVING, "gpus": 9}


class HostVars(dict[str, t.Any]):
    """As Ansible's: reading a host gives its variables templated, raw_get as they are written."""

    raw_get = dict.__getitem__


def run(variables: Variables, check: bool = False, **args: t.Any) -> dict[str, t.Any]:
    task = mock.Mock(async_val=0, args=args, check_mode=check, diff=False)
    action = fleet_reservation_plan.ActionModule(task, *[mock.Mock()] * 5)
    with mock.patch.object(fleet_reservation_plan.Display(), "display") as shown:
        result = action.run(task_vars={"ansible_play_hosts_all": list(variables), "hostvars": HostVars(variables),
                                       "groups": {"all": list(variables)}})
    assert [call.args[0] for call in shown.mock_calls] == (["\n" + result["table"]] if args.get("show", True) else [])
    return result


@pytest.fixture(autouse=True)
def _told() -> None:
    endings.begin(120)


def test_the_share_of_spares_is_an_option() -> None:
    kept = [len(run({"a": asking(SERVING)}, **args)["records"]["a"]["spares"]) for args in ({"spare_share": 0, "spare_node": 9}, {"spare_share": 50})]
    assert kept == [0, 4]
    assert run({"a": asking(SERVING)}, spare_share=200, show=False)["msg"].startswith("spare_share: is 200; ")


def test_every_host_has_its_record() -> None:
    result = run({"a": asking(SERVING), "b": asking(), "c": GONE, "d": {}})
    assert {name: (node["status"], node["reason"]) for name, node in result["nodes"].items()} == {
        "a": ("reserved", ""), "b": ("unasked", ""), "c": ("not seen", "no route"), "d": ("not seen", "nobody looked at it")}
    assert list(result["records"]) == ["a"]
    told = record.read(json.dumps({"version": "v1", "kind": "reservation", **result["records"]["a"]}))
    assert [[device.id for device in devices] for devices in (told.grants[0].devices, told.spares, told.pool)] == [
        ["0000:05:00.0", "0000:26:00.0"], ["0000:e5:00.0"], [f"0000:{bus}:00.0" for bus in ("46", "65", "85", "a6", "c6")]]
    assert (told.grants[0].devices[0].rocr_uuid, told.grants[0].devices[0].memory_bytes) == ("GPU-0000000000000001", 206141652992)
    assert (result["refusal"], result["summary"], result["changed"], result.get("failed", False)) == (
        "", "4 nodes: 1 reserved, 1 unasked, 2 not seen", False, False)


def test_a_second_time_changes_nothing() -> None:
    first = run({"a": asking(SERVING)}, check=True, show=False)
    assert first["changed"]
    second = run({"a": asking(SERVING, before=first["records"]["a"])}, check=True)
    assert not second["changed"] and second["records"] == first["records"]
    assert second["nodes"]["a"] == {"status": "as reserved", "reason": "", "changes": [], "notes": []}
    gone = run({"a": asking(before=first["records"]["a"])})
    assert gone["nodes"]["a"]["changes"] == ["serving of chat loses 0000:05:00.0, 0000:26:00.0"]


REFUSALS: dict[str, tuple[Variables, str]] = {
    "it does not fit": ({"a": asking(LARGE), "b": asking(SERVING)},
                        "a: reservation serving of chat: wants 9 GPUs linked each with each by XGMI, and free are 8 ("),
    "an unknown tenant": ({"a": asking({**SERVING, "tenant": "chta"})},
                          "a: reservation serving: is for chta, and no such tenant is known; did you mean chat"),
    "a wrong wish": ({"a": asking({**SERVING, "gpu": 1})}, "a: gpu_reservation_list[0].gpu: is not a known key; did you mean gpus"),
    "a misspelt variable": ({"a": {**asking(SERVING), "gpu_reservation_spare": 1}},
                            "a: variable gpu_reservation_spare: the role gpu_reservation has no such variable; did you mean gpu_reservation_spares?"),
}


@pytest.mark.parametrize(("variables", "sentence"), REFUSALS.values(), ids=REFUSALS)
def test_one_that_refuses_stops_all(variables: Variables, sentence: str) -> None:
    result = run(variables)
    assert result["failed"] and result["msg"] == result["refusal"] and result["refusal"].startswith(sentence)
    assert result["nodes"]["a"]["status"] == "refused" and "a" not in result["records"]


def test_the_file(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    result = run({"a": asking(SERVING)}, path=str(path), check=True)
    written = json.loads(path.read_text())
    assert {"version": "v1", "kind": "reservation_plan"}.items() <= written.items()
    assert written["records"] == result["records"] and "when" in written and "table" not in written


def test_documentation() -> None:
    documented = {**yaml.safe_load(ModuleDocFragment.DOCUMENTATION)["options"], **yaml.safe_load(module.DOCUMENTATION)["options"]}
    assert set(documented) == {"hosts", "path", "show", "look", "spare_share", "spare_node"}
    assert (documented["spare_share"]["default"], documented["spare_node"]["default"]) == (Rule.share, Rule.large)
    result = run({"a": asking(SERVING)}, look="gpu_reservation_look")
    assert set(yaml.safe_load(module.RETURN)) == set(result) - {"changed"}
    assert set(yaml.safe_load(module.RETURN)["nodes"]["contains"]) == set(result["nodes"]["a"])
    assert yaml.safe_load(module.EXAMPLES)[1]["instinct.fleet.fleet_reservation_plan"]["path"]


def test_a_part_of_the_fleet_is_refused() -> None:
    of_all = {**SERVING, "scope": "fleet"}
    result = run({"a": asking(of_all), "b": asking(of_all)}, hosts=["a"], show=False)
    assert result["failed"] and result["msg"] == result["failure"]["where"] + (
        ": is one of the fleet, and b, which asks for it too, is not in this play; run it without --limit")
    assert "records" not in result


def test_hosts_may_be_chosen() -> None:
    assert list(run({"a": asking(SERVING), "b": asking(LARGE)}, hosts=["a"])["nodes"]) == ["a"]
