# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whose turn it is: every rule alone, and what comes first where two speak."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.shape import (
    Course,
    Event,
    Place,
    Policy,
    Window,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.turn import turn

NOW = 4 * 86400 + 3600.0  # a Monday, 01:00 UTC
PLACES = (Place("h", 60, halfway=True), Place("c", 60, canary=True), Place("a", 60, "r1"), Place("b", 60, "r1"), Place("d", 60, "r2"))
NIGHT = Window((0,), 0, 62)  # closes in two minutes


def log(*said: str) -> list[Event]:
    """Events: "a begin", "a done" (with its begin), "a wait"; the last of them half a minute ago."""
    events = []
    for one in said:
        node, word = one.split()
        if word in ("begin", "wait", "skip"):
            events.append(Event(NOW - 30, node, word, reason="why"))
        else:
            events += [Event(NOW - 60, node, "begin"), Event(NOW - 30, node, "end", word, "why")]
    return events


CANARY = "waits for the canary c"
FULL = "1 node may be under way at a time"
PAUSE = "1 node may be under way at a time, 1 of them empty for the pause"
FAILED = "1 node failed or could not be reached (a); 0 may"
LONG = "it takes about 3 min 00 s, and the window of time closes in 2 min 00 s"

# policy, what happened, who asks -> answer, why
TURNS: dict[str, tuple[Policy, list[Event], str, str, str]] = {
    "nobody is under way": (Policy(), log(), "h", "go", ""),
    "all places are taken": (Policy(), log("h begin"), "c", "wait", FULL),
    "a place is free": (Policy(2), log("h begin"), "c", "go", ""),
    "who ended leaves its place": (Policy(), log("h done"), "c", "go", ""),
    "who failed leaves its place": (Policy(failures=1), log("h failed"), "c", "go", ""),
    "the pause is not over": (Policy(pause=31), log("h done"), "c", "wait", PAUSE),
    "the pause is over": (Policy(pause=30), log("h done"), "c", "go", ""),
    "a pause beside a free place": (Policy(2, pause=31), log("h done"), "c", "go", ""),
    "others wait for the canary": (Policy(9), log("h done"), "a", "wait", CANARY),
    "and while it is under way": (Policy(9), log("c begin"), "a", "wait", CANARY),
    "the canary is done": (Policy(9), log("c done"), "a", "go", ""),
    "the canary failed": (Policy(9, 9), log("c stranded"), "a", "skip", "the canary c stranded: why"),
    "the canary does not begin": (Policy(9), log("c skip"), "a", "skip", "the canary c does not begin: why"),
    "who is halfway waits for no canary": (Policy(9), log("c begin"), "h", "go", ""),
    "who is halfway goes on though the canary failed": (Policy(9), log("c failed"), "h", "go", ""),
    "who is halfway goes on though too many failed": (Policy(9), log("a failed"), "h", "go", ""),
    "too many failed": (Policy(9), log("c done", "a failed"), "b", "skip", FAILED),
    "too many failed, and the canary did not begin": (Policy(9), log("a failed"), "c", "skip", FAILED),
    "so many may fail": (Policy(9, 1), log("c done", "a failed"), "b", "go", ""),
    "its rack has its number": (Policy(9, 0, 1), log("c done", "a begin"), "b", "wait", "1 node of r1 may be under way at a time"),
    "another rack has none": (Policy(9, 0, 1), log("c done", "a begin"), "d", "go", ""),
    "its rack may have two": (Policy(9, 0, 2), log("c done", "a begin"), "b", "go", ""),
    "its rack is free again, whatever the pause": (Policy(9, 0, 1, 60), log("c done", "a done"), "b", "go", ""),
    "who tells no rack counts in none": (Policy(9, 0, 1), log("h begin"), "c", "go", ""),
    "who waits longer goes first": (Policy(2), log("c done", "d begin", "a wait"), "b", "wait", "2 nodes may be under way at a time"),
    "who is behind it does not matter": (Policy(2), log("h skip", "c done", "d begin", "b wait"), "a", "go", ""),
    "who cannot begin holds up nobody": (Policy(2, 0, 1), log("h skip", "c done", "a begin", "b wait"), "d", "go", ""),
    "who waits for the canary holds up nobody": (Policy(1), log("h skip", "a wait"), "c", "go", ""),
    "who is before it is about to ask": (Policy(), log(), "c", "wait", FULL),
    "and is not waited for long": (Policy(), log("c wait"), "c", "go", ""),
    "nor where it was skipped": (Policy(), log("h skip"), "c", "go", ""),
    "there is a place for both": (Policy(2), log(), "c", "go", ""),
    "there is time": (Policy(windows=(NIGHT,)), log(), "h", "go", ""),
    "no window is open": (Policy(windows=(Window((0,), 61, 70),)), log(), "h", "skip", "no window of time is open"),
    "a window of another zone is open": (Policy(windows=(Window((0,), 120, 180, 60),)), log(), "h", "go", ""),
    "it began": (Policy(9), log("h begin"), "h", "skip", "it began already in this run"),
    "it ended": (Policy(9), log("h failed"), "h", "skip", "it began already in this run"),
    "it is not due": (Policy(9), log(), "z", "skip", "it is not due"),
}


@pytest.mark.parametrize(("policy", "events", "node", "word", "reason"), TURNS.values(), ids=TURNS)
def test_turn(policy: Policy, events: list[Event], node: str, word: str, reason: str) -> None:
    answer = turn(Course(PLACES, policy), events, node, NOW, 0)
    assert (answer.word, answer.reason) == (word, reason)


# seconds of canary and of another, what happened, who asks -> answer, why
TIME: dict[str, tuple[int, int, list[Event], str, str, str]] = {
    "it fits to the second": (60, 120, log("c done"), "a", "go", ""),
    "it does not fit": (60, 180, log("c done"), "a", "skip", LONG),
    "it does not fit, so it does not wait": (60, 180, log("c begin"), "a", "skip", LONG),
    "nobody can tell": (60, 0, log("c done"), "a", "go", ""),
    "the canary does not fit": (180, 60, log(), "c", "skip", LONG),
    "the canary will not fit": (180, 60, log(), "a", "skip", f"the canary c does not begin: {LONG}"),
    "the canary is under way": (180, 60, log("c begin"), "a", "wait", CANARY),
}


@pytest.mark.parametrize(("canary", "other", "events", "node", "word", "reason"), TIME.values(), ids=TIME)
def test_time(canary: int, other: int, events: list[Event], node: str, word: str, reason: str) -> None:
    course = Course((Place("c", canary, canary=True), Place("a", other)), Policy(9, windows=(NIGHT,)))
    answer = turn(course, events, node, NOW, 0)
    assert (answer.word, answer.reason) == (word, reason)


def test_a_clock_that_was_set_back_holds_up_nobody() -> None:
    assert turn(Course(PLACES, Policy(pause=60)), log("h done"), "c", NOW - 3600, 0).word == "go"
    assert turn(Course(PLACES, Policy()), log("c wait"), "c", NOW - 3600, 0).word == "go"


def test_all_canaries_are_waited_for() -> None:
    course = Course((Place("c", canary=True), Place("d", canary=True), Place("a")), Policy(9))
    assert turn(course, log("d begin"), "a", NOW, 0).reason == "waits for the canaries c, d"
    assert turn(course, log("c done", "d begin"), "a", NOW, 0).reason == "waits for the canary d"
    assert turn(course, log("c failed", "d begin"), "a", NOW, 0).reason == "the canary c failed: why"
    assert turn(course, log("c done", "d done"), "a", NOW, 0).word == "go"


@pytest.mark.parametrize(("waited", "word"), [(14.9, "wait"), (15, "go")])
def test_who_is_before_it_gets_a_moment(waited: float, word: str) -> None:
    events = [Event(NOW - waited, "c", "wait"), Event(NOW - 1, "c", "wait")]
    assert turn(Course(PLACES), events, "c", NOW, 0).word == word


def test_who_failed_before_counts() -> None:
    assert turn(Course(PLACES, Policy(9, 1), ("x", "y")), [], "c", NOW, 0).word == "skip"
    assert turn(Course(PLACES, Policy(9, 2), ("x", "y")), [], "c", NOW, 0).word == "go"
