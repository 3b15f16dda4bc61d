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
from ansible_collections.instinct.fleet.plugins.plugin_utils.preflight import check, judged
from ansible_collections.instinct.fleet.tests.unit.support.world import bare_node

PLAN = {
    "plans": {"gpu_driver": {"steps": [], "problems": [], "reboot": ""}}, "lock_timeout": 7,
    "release": {"kernel": {"wanted": None}, "os": {"manager": "apt"}, "gpus": []},
}
ASKED: dict[str, t.Any] = {"plan": PLAN, "look": dc.asdict(bare_node()), "standing": None, "snapshot": None, "boot": None,
                           "typical_dirs": []}


def test_a_plan_without_changes_asks_for_nothing_but_the_lock() -> None:
    found = judged(ASKED)
    assert (found.options["needs"], found.options["images"], found.options["lock_timeout"]) == ([], 0, 7)
    assert "packages" not in found.options
    assert found.checks == (Check("plan", "ok", "every problem is one that a step mends"),)
    assert found.timing["trial"] == found.timing["apply"] == found.timing["reboot"] == 0


def test_what_a_snapshot_adds_must_fit() -> None:
    (need,) = judged(ASKED | {"snapshot": {"room": 1}}).options["needs"]
    assert need == {"directory": "/var/lib/instinct/kept", "mib": 1, "what": "the snapshot", "assumed": False}


def test_a_look_that_is_none_is_named() -> None:
    with pytest.raises(FleetError, match=r"look\.gpus: is int, not a mapping"):
        judged(ASKED | {"look": {"gpus": 5}})


def test_a_check_comes_back_as_it_went() -> None:
    assert check(Check("room", "ok", "x").to_dict()) == Check("room", "ok", "x")
