# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What becomes of a node that failed, by the step at which it did and by what an earlier run left."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.retreat import Retreat, retreat
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.shape import BACK, STEPS

OLD = {"halfway": False, "snapshot": "s0", "standing": "open"}  # upgraded before, from s0
CUT = {"halfway": True, "snapshot": "s1", "standing": "ours"}  # cut off after s1 was made
EARLY = {"halfway": True, "snapshot": "", "standing": "open"}  # cut off before

# node, step, snapshot of this run -> what it goes back to, whether it is out of work
CASES: dict[str, tuple[dict[str, t.Any], str, str, str, bool]] = {
    "before anything was kept": (OLD, "snapshot", "", "", False),
    "the driver does not build": (OLD, "trial", "s2", "", False),
    "jobs do not end": (OLD, "drain", "s2", "", True),
    "packages do not install": (OLD, "apply", "s2", "s2", True),
    "nothing but a reboot was due": (OLD, "apply", "", "", True),
    "the gate is closed": (OLD, "gate", "s2", "s2", True),
    "the scheduler does not take it": (OLD, "undrain", "s2", "", True),
    "nothing was begun": (OLD, "", "", "", False),
    "a step that nobody knows": (OLD, "", "s2", "s2", True),
    "on its way back": (CUT, "", "", "s1", True),
    "half done, and the driver does not build": (CUT, "trial", "s1", "s1", True),
    "half done, and jobs do not end": (CUT, "drain", "s1", "", True),
    "half done, and the gate is closed": (CUT, "gate", "s1", "s1", True),
    "cut off before anything was kept": (EARLY, "snapshot", "", "", False),
    "out of work by us, and not changed": ({**OLD, "standing": "ours"}, "trial", "s2", "", True),
    "as little as can be known": ({}, "apply", "s2", "s2", True),
}


@pytest.mark.parametrize(("node", "step", "snapshot", "to", "out"), CASES.values(), ids=CASES)
def test_what_becomes_of_it(node: dict[str, t.Any], step: str, snapshot: str, to: str, out: bool) -> None:
    noted = {"word": step} if step else {}
    assert retreat(node, noted, snapshot, True) == Retreat(to, out)
    assert retreat(node, noted, snapshot, False) == Retreat("", out)


@pytest.mark.parametrize("step", ["snapshot", "apply", "gate", "restore"])
def test_a_node_that_another_run_has_taken_is_not_touched(step: str) -> None:
    assert retreat(CUT, {"word": step, "failed": True, "lost": True}, "s2", True) == Retreat("", False)
    assert retreat(CUT, {"word": step, "failed": True, "lost": False}, "s2", True).out is True


def test_a_node_that_was_on_its_way_back_is_stranded_where_it_does_not_get_there() -> None:
    assert retreat({**CUT, "back": "gate: fail"}, {}, "", True) == Retreat("s1", True, "stranded")
    assert retreat(CUT, {}, "", True).state == "failed"


@pytest.mark.parametrize("step", [*STEPS, *BACK])
def test_a_node_that_worked_is_taken_back_only_from_what_changes_it(step: str) -> None:
    assert (retreat(OLD, {"word": step}, "s2", True).snapshot != "") is (step in ("apply", "gate", "restore"))
