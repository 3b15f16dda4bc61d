# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The words of a roll-out: each means one thing, and what nobody said is the careful choice."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout import shape
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.shape import (
    Candidate,
    Course,
    Note,
    Place,
    Policy,
)

WORDS = {
    "steps": (*shape.STEPS, *shape.BACK),
    "ends": (*shape.STATES, shape.UNREACHABLE),
    "findings": (shape.DUE, shape.WANTED, shape.REFUSED, shape.FAILED_BEFORE, shape.UNREACHABLE),
    "events": (shape.WAIT, shape.BEGIN, shape.STEP, shape.END, shape.SKIP),
}


@pytest.mark.parametrize("words", WORDS.values(), ids=WORDS)
def test_each_word_means_one_thing(words: tuple[str, ...]) -> None:
    assert len(set(words)) == len(words)


def test_a_node_ends_well_or_badly_or_goes_on() -> None:
    assert {*shape.BAD, shape.DONE, shape.GOING} == {*shape.STATES, shape.UNREACHABLE}
    assert shape.STEPS[-1] == "undrain"


def test_what_nobody_said_is_the_careful_choice() -> None:
    assert Policy() == Policy(max_unavailable=1, failures=0, per_domain=0, pause=0, windows=())
    assert Course() == Course((), Policy(), (), "")
    assert Place("a") == Place("a", 0, "", canary=False, halfway=False)
    one = Candidate("a", "due")
    assert (one.halfway, one.back, one.proven, one.canary, one.reboot, one.seconds, one.standing) == (False, "", False, False, False, 0, "open")


def test_nothing_of_it_changes() -> None:
    note = Note("r2", "r2", "", "gate", shape.GOING)
    assert (note.attempt, note.seconds) == (1, None)
    with pytest.raises(dc.FrozenInstanceError):
        note.state = shape.DONE  # type: ignore[misc]
