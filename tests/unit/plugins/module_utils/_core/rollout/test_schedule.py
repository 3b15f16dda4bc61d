# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The order of the nodes, what refuses a roll-out, and when each node begins."""

from __future__ import annotations

import dataclasses as dc
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout import schedule
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.shape import (
    Candidate,
    Course,
    Place,
    Policy,
    Window,
)

MONDAY = 4 * 86400.0


def due(node: str, **other: t.Any) -> Candidate:
    return Candidate(node, "due", **{"release": "r2", **other})


def names(candidates: t.Iterable[Candidate]) -> str:
    return " ".join(one.node for one in candidates)


ORDERS: dict[str, tuple[list[Candidate], str]] = {
    "none": ([], ""),
    "as the inventory has them": ([due("b"), due("a"), due("c")], "b a c"),
    "only those that are due": ([Candidate("a", "as wanted"), due("b"), Candidate("c", "failed before"), Candidate("d", "unreachable")], "b"),
    "half-done, canaries, out of work by us, the rest": (
        [due("d"), due("c", standing="ours"), due("b", canary=True), due("a", halfway=True, standing="ours")], "a b c d"),
    "a canary that is half-done is half-done": ([due("b", canary=True), due("a", canary=True, halfway=True)], "a b"),
    "out of work by others": ([due("a", standing="foreign"), due("b", standing="ours")], "b a"),
    "the longest first": ([due("a", seconds=5), due("b", seconds=9), due("c"), due("d", seconds=9)], "b d a c"),
    "racks in turn": ([due(f"{rack}{n}", domain=rack) for rack in "xyz" for n in (1, 2)], "x1 y1 z1 x2 y2 z2"),
    "a small rack spread over a large one": ([*(due(f"x{n}", domain="x") for n in range(6)), due("y1", domain="y"), due("y2", domain="y")],
                                             "x0 x1 y1 x2 x3 x4 y2 x5"),
    "the longest of each rack": ([due("x1", domain="x", seconds=1), due("x2", domain="x", seconds=3), due("y1", domain="y", seconds=2),
                                  due("y2", domain="y", seconds=4)], "y2 x2 y1 x1"),
}


@pytest.mark.parametrize(("given", "order"), ORDERS.values(), ids=ORDERS)
def test_order(given: list[Candidate], order: str) -> None:
    assert names(schedule.order(given)) == order


CANARIES: dict[str, tuple[list[Candidate], str]] = {
    "one is named": ([due("a"), due("b", canary=True)], "b"),
    "the first that is due": ([Candidate("a", "as wanted", release="r2"), due("b"), due("c")], "b"),
    "one that was cut off": ([due("a"), due("b", halfway=True), due("c", halfway=True)], "b"),
    "one that failed before, or each run would burn another": ([due("a"), due("b", halfway=True), Candidate("c", "failed before", release="r2")], "c"),
    "none where the release is proven": ([due("a"), Candidate("b", "as wanted", release="r2", proven=True)], ""),
    "nor where one failed beside it": ([due("a"), Candidate("b", "as wanted", release="r2", proven=True), Candidate("c", "failed before", release="r2")], ""),
    "the first of each release": ([due("a"), due("b", release="r3"), due("c"), due("d", release="r3")], "a b"),
    "the first of a release that is not proven": (
        [due("a"), due("b", release="r3"), Candidate("c", "as wanted", release="r2", proven=True), due("d", release="r3")], "b"),
    "none where nothing is due": (
        [Candidate("a", "as wanted", release="r2"), Candidate("b", "refused", release="r2"), Candidate("c", "unreachable")], ""),
    "none where there is none": ([], ""),
}


@pytest.mark.parametrize(("given", "canaries"), CANARIES.values(), ids=CANARIES)
def test_canary(given: list[Candidate], canaries: str) -> None:
    found = schedule.with_canary(given)
    assert names(one for one in found if one.canary) == canaries
    assert [dc.replace(one, canary=False) for one in found] == [dc.replace(one, canary=False) for one in given]


REFUSED = Candidate("r", "refused", "/boot is full")
FAILED = Candidate("f", "failed before", "stranded: x")
LOST = Candidate("u", "unreachable", "no route")
HOUR = (Window((0,), 0, 60),)
ONE = "1 node failed or could not be reached (f); 0 may"

REFUSALS: dict[str, tuple[list[Candidate], Policy, str]] = {
    "none": ([due("a"), Candidate("w", "as wanted")], Policy(), ""),
    "every node that refuses, with those of the same reason": (
        [REFUSED, due("a"), Candidate("s", "refused", "no plan"), dc.replace(REFUSED, node="t")], Policy(9, 9),
        "r, t refused: /boot is full; s refused: no plan"),
    "one that failed before, and none may": ([due("a"), FAILED], Policy(), ONE),
    "as many as may": ([due("a"), FAILED, LOST], Policy(9, 2), ""),
    "more than may": ([due("a"), FAILED, LOST], Policy(9, 1), "2 nodes failed or could not be reached (f, u); 1 may"),
    "a half-done node is brought to an end all the same": ([due("a", halfway=True), FAILED], Policy(), ""),
    "but not if another refuses": ([due("a", halfway=True), FAILED, REFUSED], Policy(), "r refused: /boot is full"),
    "the canary failed before": ([due("a"), dc.replace(FAILED, canary=True)], Policy(9, 9), "the canary f failed before: stranded: x"),
    "the canary is not reached": ([due("a"), dc.replace(LOST, canary=True)], Policy(9, 9), "the canary u unreachable: no route"),
    "the canary failed before, and one is half-done": ([due("a", halfway=True), dc.replace(FAILED, canary=True)], Policy(9, 9), ""),
    "it fits into a window": ([due("a", seconds=3600)], Policy(windows=HOUR), ""),
    "it fits into none": ([due("a", seconds=3601)], Policy(windows=HOUR),
                          "a refused: it takes about 1 h 00 min, and no window of time is longer than 1 h 00 min"),
}


@pytest.mark.parametrize(("given", "policy", "why"), REFUSALS.values(), ids=REFUSALS)
def test_refusal(given: list[Candidate], policy: Policy, why: str) -> None:
    assert schedule.refusal(given, policy, 0) == (f"no node was touched: {why}" if why else "")


def test_course() -> None:
    given = [FAILED, due("a", seconds=5, domain="x"), dc.replace(LOST, canary=True), due("b", halfway=True), Candidate("w", "as wanted")]
    assert schedule.course(given, Policy(3)) == Course(
        (Place("b", halfway=True), Place("a", 5, "x")), Policy(3), ("f", "u"), "the canary u unreachable: no route")
    assert schedule.course([FAILED, due("a", canary=True)], Policy()) == Course((Place("a", canary=True),), Policy(), ("f",))


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
    found = schedule.forecast(given, MONDAY, 0, forks)
    assert ", ".join(f"{row.node} {row.begins:g} {row.ends:g}" for row in found.rows) == rows
    assert found.seconds == seconds
    assert {*found.left} == {place.node for place in given.places} - {row.node for row in found.rows}


def test_forecast_within_windows() -> None:
    hours = Policy(1, windows=(Window((0,), 60, 120),))
    long = Course((Place("a", 1800, canary=True), Place("b", 2400), Place("c", 600)), hours)
    found = schedule.forecast(long, MONDAY, 0, 5)
    assert [(row.node, row.begins, row.ends) for row in found.rows] == [("a", 3600, 5400), ("c", 5400, 6000)]
    assert found.left == {"b": "it takes about 40 min 00 s, and the window of time closes in 30 min 00 s"}
    assert (found.opens, found.seconds) == (3600, 2400)
    assert schedule.forecast(long, MONDAY + 5400, 60, 5).opens == 7 * 86400 - 5400


def test_a_canary_that_does_not_fit_holds_up_nobody() -> None:
    given = Course((Place("a", 1801, canary=True), Place("b", 5)), Policy(1, windows=(Window((0,), 0, 30),)))
    found = schedule.forecast(given, MONDAY, 0, 1)
    why = "it takes about 30 min 01 s, and the window of time closes in 30 min 00 s"
    assert (found.rows, found.left) == ((), {"a": why, "b": f"the canary a does not begin: {why}"})
    assert found.seconds == 0


def test_who_is_guessed_is_named() -> None:
    assert schedule.forecast(Course(places(4, 0, 2)), MONDAY, 0, 5).guessed == ("b",)
