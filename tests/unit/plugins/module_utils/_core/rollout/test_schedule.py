# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The order of the nodes, and what refuses a roll-out."""

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
