# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What stops a roll-out."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout import budget
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.progress import fold
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.shape import Course, Event, Place, Policy

PLACES = (Place("c", canary=True), Place("a"), Place("b"))


def ends(**words: str) -> list[Event]:
    return [event for node, word in words.items() for event in (Event(1, node, "begin"), Event(2, node, "end", word, f"why of {node}"))]


# failures that may be, of before, of this run, why from the beginning -> why it stops
STOPPED: dict[str, tuple[int, tuple[str, ...], dict[str, str], str, str]] = {
    "nothing happened": (0, (), {}, "", ""),
    "all is well": (0, (), {"c": "done", "a": "done"}, "", ""),
    "one, and none may": (0, (), {"a": "failed"}, "", "1 node failed or could not be reached (a); 0 may"),
    "one, and one may": (1, (), {"a": "rolled back"}, "", ""),
    "two, and one may": (1, (), {"a": "stranded", "b": "unreachable"}, "", "2 nodes failed or could not be reached (a, b); 1 may"),
    "one of before counts": (1, ("x",), {"a": "failed"}, "", "2 nodes failed or could not be reached (x, a); 1 may"),
    "of before alone": (0, ("x",), {}, "", "1 node failed or could not be reached (x); 0 may"),
    "the canary, whatever may fail": (9, (), {"c": "rolled back"}, "", "the canary c rolled back: why of c"),
    "a canary of before": (9, ("x",), {}, "the canary x failed before", "the canary x failed before"),
}


@pytest.mark.parametrize(("may", "before", "words", "stop", "why"), STOPPED.values(), ids=STOPPED)
def test_stopped(may: int, before: tuple[str, ...], words: dict[str, str], stop: str, why: str) -> None:
    assert budget.stopped(fold(Course(PLACES, Policy(failures=may), before, stop), ends(**words))) == why


def test_a_canary_that_tells_no_reason() -> None:
    events = [Event(1, "c", "begin"), Event(2, "c", "end", "unreachable")]
    assert budget.stopped(fold(Course(PLACES), events)) == "the canary c unreachable"
