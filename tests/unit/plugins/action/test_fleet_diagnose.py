# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""fleet_diagnose: what it asks the node, what it takes instead, what it returns and writes, and its documentation."""

from __future__ import annotations

import dataclasses as dc
import json
import time
import typing as t
from pathlib import Path
from unittest import mock

import pytest
import yaml

from ansible_collections.instinct.fleet.plugins.action import fleet_diagnose
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.plugins.modules import fleet_diagnose as module
from ansible_collections.instinct.fleet.tests.unit.support.world import bare_node

BARE = bare_node()  # no driver is loaded, and the sections of a diagnosis were not looked at
LOOK = dc.asdict(BARE)


def run(said: dict[str, t.Any] | None = None, variables: dict[str, t.Any] | None = None, **args: t.Any) -> tuple[dict[str, t.Any], mock.Mock]:
    """What the action returns, and how it called the module."""
    task = mock.Mock(async_val=0, args=args, check_mode=False, diff=False)
    action = fleet_diagnose.ActionModule(task, *[mock.Mock()] * 5)
    with mock.patch.object(action, "_execute_module", return_value=said) as called:
        result = action.run(task_vars={"inventory_hostname": "n1", **(variables or {})})
    return result, called


def test_the_node_is_asked_once_and_for_all() -> None:
    result, called = run({"look": LOOK, "changed": False})
    (name, asked), more = called.call_args
    assert (called.call_count, name, set(more)) == (1, "instinct.fleet.gpu_node_info", {"task_vars"})
    assert set(asked["sections"]) == set(lk.ALL_SECTIONS)
    assert len(asked["log_patterns"]) > 60
    assert {"id", "where", "words", "patterns"} == set(asked["log_patterns"][0])
    assert {"name", "kind"} == set(asked["setting_names"][0])
    assert (asked["log_boots"], asked["timeout"]) == ("this", 30)
    assert (result["changed"], result["node"], result["diagnosis"]["verdict"]) == (False, "n1", "fail")
    assert result["diagnosis"]["root"]["id"] == "driver-loaded"


def test_a_look_that_is_there_is_taken() -> None:
    result, called = run(look=LOOK)
    assert called.call_count == 0
    assert result["diagnosis"]["root"]["id"] == "driver-loaded"
    assert "look" not in result


def test_the_look_is_returned_when_asked_for() -> None:
    assert run(look=LOOK, with_look=True)[0]["look"] == LOOK


def test_a_bundle_is_taken(tmp_path: Path) -> None:
    (tmp_path / "n17").mkdir()
    (tmp_path / "n17" / "look.json").write_text(json.dumps({"look": LOOK}))
    result, called = run(bundle=str(tmp_path / "n17"), variables={"x": "HSA_QUEUE_PRIORITY=1"})
    assert called.call_count == 0
    assert (result["node"], result["diagnosis"]["root"]["id"]) == ("n17", "driver-loaded")
    assert result["diagnosis"]["files"] == ["look.json: look of gpu_node_info"]
    assert "HSA_QUEUE_PRIORITY" not in json.dumps(result)
    assert run(bundle=str(tmp_path / "n17"), node="x")[0]["node"] == "x"


@pytest.mark.parametrize("said", [
    {"failed": True, "msg": "Python is too old"}, {"changed": False}, {"unreachable": True, "msg": "no route"},
])  # fmt: skip
def test_what_the_module_says_in_place_of_a_look_is_passed_on(said: dict[str, t.Any]) -> None:
    result, _called = run(said)
    assert {key: result[key] for key in said} == said
    assert "diagnosis" not in result


REFUSED: dict[str, tuple[dict[str, t.Any], str]] = {
    "no such profile": ({"look": LOOK, "profile": "best"}, "profile: there is no profile 'best'; choose one of"),
    "no such host profile": ({"look": LOOK, "host_profiles": ["cloud"]}, "host profiles: there is none called 'cloud'; choose of"),
    "opposites": ({"look": LOOK, "host_profiles": ["rdma", "passthrough"]}, "host profiles"),
    "no such directory": ({"look": LOOK, "catalogue_dirs": ["/no/such"]}, "gpu_health_catalogue_dirs: /no/such is not a directory"),
    "another look": ({"look": {"schema": 1, "x": 1}}, "look: has unknown keys x"),
    "no bundle": ({"bundle": "/no/such"}, "/no/such"),
}  # fmt: skip


@pytest.mark.parametrize(("args", "message"), REFUSED.values(), ids=REFUSED)
def test_refusals(args: dict[str, t.Any], message: str) -> None:
    result, called = run(**args)
    assert result["failed"] is True
    assert result["msg"].startswith(message)
    assert set(result["failure"]) == {"where", "what", "hint", "source"}
    assert called.call_count == 0


@pytest.mark.parametrize("profiles", [["cloud"], ["rdma", "passthrough"]])
def test_host_profiles_are_refused_before_the_node_is_asked(profiles: list[str]) -> None:
    result, called = run(host_profiles=profiles)
    assert (result["failed"], called.call_count) == (True, 0)


def test_files(tmp_path: Path) -> None:
    result, _called = run(look=LOOK, write=str(tmp_path))
    written = json.loads((tmp_path / "n1.json").read_text())
    assert {**written, "when": None} == {
        **json.loads(json.dumps(result["diagnosis"])), "node": "n1", "status": "diagnosed", "reason": None, "when": None}
    assert (tmp_path / "n1.md").read_text().startswith("# n1: fail\n")


def test_settings_of_the_inventory_are_judged() -> None:
    result, _called = run(look=LOOK, variables={"serving_env": {"HSA_QUEUE_PRIORITY": "high"}})
    (found,) = [item for item in result["diagnosis"]["findings"] if item["kind"] == "knob"]
    assert "HSA_QUEUE_PRIORITY" in found["summary"]


@pytest.mark.parametrize(("off", "found"), [(0, False), (-3600, True), (3600, True)])
def test_the_clock_of_the_node_is_held_against_ours(off: int, found: bool) -> None:
    look = dc.replace(BARE, host=lk.Host(clock=lk.Clock(time.time() + off, synchronized=True)))
    result, _called = run({"look": dc.asdict(look)})
    assert ("clock-skew" in [item["id"] for item in result["diagnosis"]["findings"]]) is found


def test_the_documentation_is_about_this_plugin() -> None:
    result, _called = run(look=LOOK, with_look=True)
    said = yaml.safe_load(module.RETURN)
    assert set(said) == {*set(result) - {"changed"}, "failure"}
    diagnosis = said["diagnosis"]["contains"]
    assert set(diagnosis) == {*result["diagnosis"], "files"}
    assert set(diagnosis["findings"]["contains"]) == set(result["diagnosis"]["findings"][0])
