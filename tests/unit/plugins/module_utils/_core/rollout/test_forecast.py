# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When each node begins: by examples, and as the turns themselves would say it."""

from __future__ import annotations

import typing as t

import pytest
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st

from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout import schedule
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.forecast import forecast
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.shape import (
    Candidate,
    Course,
    Place,
    Policy,
    Window,
)
from ansible_collections.instinct.fleet.tests.unit.properties.asked import asked

MONDAY = 4 * 86400.0


def places(*seconds: int, **other: t.Any) -> tuple[Place, ...]:
    return tuple(Place("abcdefgh"[number], took, **other) for number, took in enumerate(seconds))


# course, forks -> node, begins, ends; seconds in all
FORECASTS: dict[str, tuple[Course, int, str, float | None]] = {
    "none": (Course(), 5, "", 0),
    "one by one": (Course(places(3, 2)), 5, "a 0 3, b 3 5", 5),
    "a place that is free is taken at once": (Course(places(5, 1, 2, 3), Policy(2)), 5, "a 0 5, b 0 1, c 1 3, d 3 6", 6),
    "fewer workers than places": (Course(places(5, 1, 2, 3), Policy(4)), 2, "a 0 5, b 0 1, c 1 3, d 3 6", 6),
    "the canary first": (Course((Place("a", 4, canary=True), *places(0, 3, 2)[1:]), Policy(9)), 5, "a 0 4, b 4 7, c 4 6", 7),
    "half-done beside the canary": (
        Course((Place("a", 9, halfway=True), Place("b", 1, canary=True), Place("c", 2)), Policy(9)), 5, "a 0 9, b 0 1, c 1 3", 9),
    "a pause after each": (Course(places(2, 2, 2), Policy(1, pause=10)), 5, "a 0 2, b 12 14, c 24 26", 26),
    "a pause holds one place": (Course(places(2, 3, 2, 2), Policy(2, pause=10)), 5, "a 0 2, b 0 3, c 12 14, d 13 15", 15),
    "one of a rack": (Course((Place("a", 5, "x"), Place("b", 5, "x"), Place("c", 1, "y"), Place("d", 1, "y")), Policy(3, per_domain=1)), 5,
                      "a 0 5, c 0 1, d 1 2, b 5 10", 10),
    "nobody can tell of one": (Course(places(4, 0, 2), Policy(3)), 5, "a 0 4, b 0 3, c 0 2", 4),
    "nobody can tell of any": (Course(places(0, 0), Policy(1)), 5, "a 0 0, b 0 0", None),
    "too many failed before": (Course(places(1, 1), Policy(), ("f",)), 5, "", 0),
    "but one is half-done": (Course((Place("a", 2, halfway=True), Place("b", 1)), Policy(), ("f",)), 1, "a 0 2", 2),
}


@pytest.mark.parametrize(("given", "forks", "rows", "seconds"), FORECASTS.values(), ids=FORECASTS)
def test_forecast(given: Course, forks: int, rows: str, seconds: float | None) -> None:
    found = forecast(given, MONDAY, 0, forks)
    assert ", ".join(f"{row.node} {row.begins:g} {row.ends:g}" for row in found.rows) == rows
    assert found.seconds == seconds
    assert {*found.left} == {place.node for place in given.places} - {row.node for row in found.rows}


def test_forecast_within_windows() -> None:
    hours = Policy(1, windows=(Window((0,), 60, 120),))
    long = Course((Place("a", 1800, canary=True), Place("b", 2400), Place("c", 600)), hours)
    found = forecast(long, MONDAY, 0, 5)
    assert [(row.node, row.begins, row.ends) for row in found.rows] == [("a", 3600, 5400), ("c", 5400, 6000)]
    assert found.left == {"b": "it takes about 40 min 00 s, and the window of time closes in 30 min 00 s"}
    assert (found.opens, found.seconds) == (3600, 2400)
    assert forecast(long, MONDAY + 5400, 60, 5).opens == 7 * 86400 - 5400


def test_a_canary_that_does_not_fit_holds_up_nobody() -> None:
    given = Course((Place("a", 1801, canary=True), Place("b", 5)), Policy(1, windows=(Window((0,), 0, 30),)))
    found = forecast(given, MONDAY, 0, 1)
    why = "it takes about 30 min 01 s, and the window of time closes in 30 min 00 s"
    assert (found.rows, found.left) == ((), {"a": why, "b": f"the canary a does not begin: {why}"})
    assert found.seconds == 0


def test_who_is_guessed_is_named() -> None:
    assert forecast(Course(places(4, 0, 2)), MONDAY, 0, 5).guessed == ("b",)


NODES = st.lists(st.tuples(
    st.sampled_from([0, 60, 600, 600, 1800, 3600]), st.sampled_from(["", "x", "y", "z"]), st.sampled_from(["", "", "", "", "canary", "halfway"]),
    st.sampled_from(["due"] * 9 + ["failed before"])), max_size=14)
WINDOWS = st.lists(st.builds(Window, st.just(tuple(range(7))), st.sampled_from([0, 30, 60]), st.sampled_from([45, 70, 120])), max_size=2)
POLICIES = st.builds(Policy, st.integers(1, 6), st.integers(0, 2), st.integers(0, 2), st.sampled_from([0, 0, 60, 700]), WINDOWS.map(tuple))


def test_it_is_what_the_turns_would_say() -> None:
    @settings(max_examples=400, deadline=None, derandomize=True, database=None)
    @drawn(NODES, POLICIES, st.integers(1, 9), st.sampled_from([0, 1000, 2500, 4000, 40_000]))
    def check(nodes: list[tuple[int, str, str, str]], policy: Policy, forks: int, after: int) -> None:
        candidates = [
            Candidate(f"n{number:02d}", state, "x", "r", seconds=seconds, domain=domain, canary=role == "canary", halfway=role == "halfway")
            for number, (seconds, domain, role, state) in enumerate(nodes)]
        course = schedule.course(candidates, policy)
        found, (rows, left) = forecast(course, MONDAY + after, 0, forks), asked(course, MONDAY + after, 0, forks)
        assert [(row.node, row.begins, row.ends) for row in found.rows] == rows
        assert found.left == left

    check()
