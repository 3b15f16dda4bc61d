# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From a plan and its look to what a node is asked; the action's test has the rest."""

from __future__ import annotations

import dataclasses as dc
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.preflight import Check
from ansible_collections.instinct.fleet.plugins.plugin_utils.preflight import answered, check, judged
from ansible_collections.instinct.fleet.tests.unit.support.world import bare_node

PLAN = {
    "plans": {"gpu_driver": {"steps": [], "problems": [], "reboot": ""}}, "lock_timeout": 7,
    "release": {"kernel": {"wanted": None}, "os": {"manager": "apt"}, "gpus": []},
}
ASKED: dict[str, t.Any] = {"plan": PLAN, "look": dc.asdict(bare_node()), "standing": None, "fallback": "require",
                           "typical_dirs": []}
REBOOT = {"steps": [{"action": "reboot", "data": {}}], "problems": [], "reboot": ""}


def test_a_plan_without_changes_asks_for_nothing_but_the_lock() -> None:
    found = judged(ASKED)
    assert (found.options["needs"], found.options["images"], found.options["lock_timeout"]) == ([], 0, 7)
    assert "packages" not in found.options
    assert found.checks == (Check("plan", "ok", "every problem is one that a step mends"),)
    assert found.options["boot"] is None
    assert found.timing["trial"] == found.timing["apply"] == found.timing["reboot"] == 0


@pytest.mark.parametrize(("running", "wanted", "boot"), [
    ("6.1", "6.2", {"next": "6.2", "default": "6.1", "fallback": "require"}),
    ("6.1", None, {"next": "6.1", "default": "6.1", "fallback": "require"}),
    (None, "6.2", None)])
def test_a_plan_that_reboots_asks_what_comes_back(running: str | None, wanted: str | None, boot: dict[str, str] | None) -> None:
    look = bare_node()
    plan = {**PLAN, "plans": {**PLAN["plans"], "node_maintenance": REBOOT}, "release": {**PLAN["release"], "kernel": {"wanted": wanted}}}
    seen = dc.asdict(dc.replace(look, kernel=dc.replace(look.kernel, running=running)))
    assert judged(ASKED | {"plan": plan, "look": seen}).options["boot"] == boot


def test_answers_about_the_way_back_are_judged_before_the_checks_of_the_node() -> None:
    room = Check("room", "ok", "x")
    assert answered({"checks": [room.to_dict()]}) == (room,)
    said = {"checks": [room.to_dict()], "snapshot": {"failed": True, "msg": "no record"}, "boot": {"fallback": {"words": "it hangs"}}}
    assert answered(said) == (Check("snapshot", "refused", "no record"), Check("boot", "unknown", "it hangs"), room)


def test_a_look_that_is_none_is_named() -> None:
    with pytest.raises(FleetError, match=r"look\.gpus: is int, not a mapping"):
        judged(ASKED | {"look": {"gpus": 5}})


def test_a_check_comes_back_as_it_went() -> None:
    assert check(Check("room", "ok", "x").to_dict()) == Check("room", "ok", "x")
