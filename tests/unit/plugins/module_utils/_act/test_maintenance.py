# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is asked of a scheduler is only what differs. The whole behaviour is told by the tests of slurm_node."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._act import maintenance
from ansible_collections.instinct.fleet.plugins.module_utils._act.slurm import Slurm
from ansible_collections.instinct.fleet.tests.unit.support.slurm import FakeSlurm

MINE = "instinct.fleet: partition: x"
GIVEN = {"purpose": "partition", "reason": "x", "wait": False, "timeout": 1, "pause": 1, "patience": 0, "beyond": "fail"}
CASES: dict[str, tuple[str, tuple[str, ...], str, list[tuple[str, ...]]]] = {
    "an open node is drained": ("drained", ("IDLE",), "", [("State=DRAIN", f"Reason={MINE}")]),
    "ours is not drained again": ("drained", ("IDLE", "DRAIN"), MINE, []),
    "ours is told its new reason": ("drained", ("IDLE", "DRAIN"), "instinct.fleet: partition: y", [("State=DRAIN", f"Reason={MINE}")]),
    "theirs is left": ("drained", ("IDLE", "DRAIN"), "y", []),
    "ours is given back": ("resumed", ("DOWN", "DRAIN"), MINE, [("State=RESUME",)]),
    "theirs is not given back": ("resumed", ("IDLE", "DRAIN"), "y", []),
    "an open node is not given back": ("resumed", ("MIXED",), "", []),
}


@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize(("state", "states", "reason", "updates"), CASES.values(), ids=CASES)
def test_turn(state: str, states: tuple[str, ...], reason: str, updates: list[tuple[str, ...]], check: bool) -> None:
    fake = FakeSlurm(states, reason)
    given: dict[str, t.Any] = {**GIVEN, "state": state}
    outcome = maintenance.turn(Slurm("n1", fake), given, check)
    assert (bool(outcome.actions), fake.updates) == (bool(updates), [] if check else updates)
