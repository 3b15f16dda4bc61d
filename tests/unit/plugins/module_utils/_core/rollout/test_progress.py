# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a roll-out is, from events in any order that a killed or confused run may leave."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.progress import fold
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.shape import Course, Event, Place

COURSE = Course((Place("a"), Place("b"), Place("c"), Place("d")), failed=("x",))


def test_a_run() -> None:
    events = [
        Event(1, "b", "wait", reason="full"), Event(1, "a", "begin"), Event(2, "b", "begin"), Event(3, "b", "step", "drain"),
        Event(4, "c", "wait", reason="full"), Event(4.5, "c", "wait"),
        Event(5, "a", "step", "gate"), Event(6, "a", "end", "done"), Event(7, "d", "wait", reason="full"),
        Event(8, "d", "skip", reason="stopped")]
    found = fold(COURSE, events)
    assert found.waiting == {"c": 4}
    assert found.began == {"a": 1, "b": 2}
    assert found.steps == {"b": ("drain", 3)}
    assert found.last == {"a": "gate", "b": "drain"}
    assert found.ended == {"a": Event(6, "a", "end", "done")}
    assert found.skipped == {"d": "stopped"}
    assert (found.done, found.failed, [place.node for place in found.left]) == (("a",), ("x",), ["c", "d"])


@pytest.mark.parametrize("word", ["failed", "rolled back", "stranded", "unreachable", ""])
def test_whatever_is_not_done_failed(word: str) -> None:
    found = fold(COURSE, [Event(1, "a", "begin"), Event(2, "a", "end", word)])
    assert (found.done, found.failed, found.steps) == ((), ("x", "a"), {})


NONSENSE: dict[str, list[Event]] = {
    "a node of elsewhere": [Event(1, "z", "begin"), Event(1, "z", "end", "failed")],
    "a step before it began": [Event(1, "a", "step", "drain")],
    "an end before it began": [Event(1, "a", "end", "failed")],
    "an event of a later version": [Event(1, "a", "thinks")],
}


@pytest.mark.parametrize("events", NONSENSE.values(), ids=NONSENSE)
def test_what_makes_no_sense_changes_nothing(events: list[Event]) -> None:
    sense = [Event(2, "b", "begin")]
    assert fold(COURSE, [*events, *sense]) == fold(COURSE, sense)


def test_what_comes_twice_counts_once() -> None:
    once = [Event(1, "a", "begin"), Event(2, "a", "end", "done")]
    twice = [once[0], Event(1.5, "a", "begin"), Event(1.6, "a", "wait"), Event(1.7, "a", "skip"), once[1], Event(3, "a", "end", "failed"),
             Event(4, "a", "begin"), Event(5, "a", "step", "x")]
    assert fold(COURSE, twice) == fold(COURSE, once)


def test_who_was_skipped_may_begin_after_all() -> None:
    found = fold(COURSE, [Event(1, "a", "skip", reason="closed"), Event(2, "a", "begin")])
    assert (found.skipped, found.began) == ({}, {"a": 2})
