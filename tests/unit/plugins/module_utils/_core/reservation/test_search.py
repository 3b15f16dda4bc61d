# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The search for devices of all wishes of a node: the least moves, and an end."""

from __future__ import annotations

import time

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation import fleet, search
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.demand import Demand
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.search import Search, ordered
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.shape import Device, Grant, Record, Wish
from ansible_collections.instinct.fleet.tests.unit.support.reservations import (
    CPX,
    MI100,
    MI300X,
    demand,
    ids,
    node,
    wish,
)

ALL = {"link": "all_to_all"}


def had(devices: tuple[Device, ...], **places: str) -> Record:
    """A record that gives GPUs by their number: a="01"."""
    return Record((), tuple(Grant(wish(name, gpus=1), tuple(devices[int(at)] for at in places[name]))
                            for name in sorted(places) if name != "spare"), tuple(devices[int(at)] for at in places.get("spare", "")))


def found(asked: Demand, spares: int = 0) -> dict[str, str] | None:
    placed = Search(asked, spares).best()
    return None if placed is None else {name: ids(devices) for name, devices in sorted(placed.items())}


def test_order() -> None:
    wishes = (wish("b"), wish("a", priority="P2"), wish("c", priority="P0"), wish("d", priority="P2", devices=("x",)), wish("a1"))
    assert [one.name for one in ordered(wishes)] == ["d", "c", "a1", "b", "a"]
    assert ordered(reversed(wishes)) == ordered(wishes)


@pytest.mark.parametrize(("wishes", "before", "places"), [
    # Nothing was there: exact devices, then by class.
    ((wish("a", gpus=2), wish("b", gpus=2, priority="P0")), None, {"a": "46 65", "b": "05 26"}),
    # What is there stays, whatever would be nicer; more comes beside it, less goes from its end.
    ((wish("a", gpus=2), wish("b", gpus=2, priority="P0")), {"a": "05", "b": "17"}, {"a": "05 a6", "b": "26 e5"}),
    ((wish("a", gpus=3),), {"a": "47"}, {"a": "85 a6 e5"}), ((wish("a", gpus=1),), {"a": "47"}, {"a": "85"}),
    # A new one goes around those that are there, and last to a spare.
    ((wish("a", gpus=2), wish("b", gpus=2)), {"a": "01", "spare": "23"}, {"a": "05 26", "b": "85 a6"}),
    # It fills the island that has least left.
    ((wish("a", gpus=1), wish("b", gpus=2)), {"a": "4"}, {"a": "85", "b": "a6 c6"}),
    # It moves one device of another where an island must be whole, and not more.
    ((wish("a", gpus=3), wish("b", gpus=4, **ALL)), {"a": "014"}, {"a": "05 26 46", "b": "85 a6 c6 e5"}),
    ((wish("a", gpus=1), wish("b", gpus=1), wish("c", gpus=4, **ALL)), {"a": "1", "b": "5"}, {"a": "26", "b": "05", "c": "85 a6 c6 e5"}),
    # Exact devices of a new one are taken from who has them.
    ((wish("a", gpus=1), wish("b", devices=("0000:05:00.0",))), {"a": "0"}, {"a": "26", "b": "05"}),
])  # fmt: skip
def test_places(wishes: tuple[Wish, ...], before: dict[str, str] | None, places: dict[str, str]) -> None:
    assert found(demand(MI100, *wishes, before=had(MI100, **before) if before else None)) == places


@pytest.mark.parametrize(("devices", "wishes", "spares", "places"), [
    (MI300X, (wish("a", gpus=8, **ALL),), 0, {"a": "05 26 46 65 85 a6 c6 e5"}), (MI300X, (wish("a", gpus=8, **ALL),), 1, None),
    (MI300X, (wish("a", gpus=4, **ALL), wish("b", gpus=3, **ALL)), 1, {"a": "05 26 46 65", "b": "85 a6 c6"}),
    (MI100, (wish("a", gpus=5, **ALL),), 0, None),
    # A place that is good alone is taken back where it leaves none for another.
    (MI100, (wish("a", gpus=3, priority="P0", one_numa=True), wish("b", gpus=4, **ALL), wish("c", devices=("0000:c6:00.0",))), 0,
     {"a": "85 a6 e5", "b": "05 26 46 65", "c": "c6"}),
    (MI100, (wish("b", gpus=4, **ALL), wish("c", devices=("0000:c6:00.0", "0000:05:00.0"))), 0, None),
    (MI100, (wish("a", gpus=1, priority="P0", memory_gib=32), wish("b", gpus=4, **ALL), wish("c", devices=("0000:85:00.0",))), 0,
     {"a": "a6", "b": "05 26 46 65", "c": "85"}),
    (MI300X, (wish("a", gpus=2, share=50), wish("b", gpus=3, share=50), wish("c", gpus=2, share=75)), 3,
     {"a": "05 26", "b": "05 26 46", "c": "65 85"}),
    # Devices of a GPU that is begun come first, so that others stay whole.
    (CPX, (wish("a", partitions=2), wish("b", partitions=3)), 1, {"a": "05-0 05-1", "b": "05-2 05-3 05-4"}),
    (CPX, (wish("a", devices=("0000:26:00.0-3",)), wish("b", partitions=2)), 0, {"a": "26-3", "b": "26-0 26-1"}),
    (MI300X, (wish("a", devices=("0000:85:00.0",), share=50), wish("b", gpus=1, share=50), wish("c", gpus=1)), 0,
     {"a": "85", "b": "85", "c": "a6"}),
    (CPX, (wish("a", devices=("0000:26:00.0-3",), share=50), wish("b", partitions=2, share=50)), 0, {"a": "26-3", "b": "26-0 26-3"}),
    (CPX, (wish("a", partitions=9), wish("b", gpus=1)), 0, None), ((), (wish("a", gpus=1),), 0, None), (MI300X, (), 8, {}),
])  # fmt: skip
def test_shapes(devices: tuple[Device, ...], wishes: tuple[Wish, ...], spares: int, places: dict[str, str] | None) -> None:
    assert found(demand(devices, *wishes), spares) == places


@pytest.mark.parametrize(("devices", "wishes", "before", "places"), [
    # The first way that is found would move all, and one that moves a single device is looked for.
    (node(4, island=2, near=2), (wish("a", gpus=2, one_numa=True), wish("b", gpus=1), wish("c", gpus=1)), {"a": "20", "b": "1"},
     {"a": "46 65", "b": "26", "c": "05"}),
    (MI100, (wish("w0", gpus=2, one_numa=True), wish("w1", gpus=3, one_numa=True), wish("x0", priority="P0", gpus=2, **ALL), wish("x1", gpus=1)),
     {"w0": "23", "w1": "145"}, {"w0": "46 65", "w1": "85 a6 c6", "x0": "05 26", "x1": "e5"}),
])  # fmt: skip
def test_the_fewest_moves(devices: tuple[Device, ...], wishes: tuple[Wish, ...], before: dict[str, str], places: dict[str, str]) -> None:
    assert found(demand(devices, *wishes, before=had(devices, **before))) == places


def test_a_place_is_taken_back() -> None:
    """The first choice of one that may be anywhere is in the only island that another can have."""
    devices = node(6, island=4, near=4)
    wishes = (wish("a", gpus=2, priority="P0", memory_gib=192), wish("b", gpus=4, priority="P2", **ALL))
    assert found(demand(devices, *wishes)) == {"a": "85 a6", "b": "05 26 46 65"}
    before = Record((), (Grant(wish("a", gpus=2), devices[:2]),))
    assert found(demand(devices, *wishes, before=before)) == {"a": "85 a6", "b": "05 26 46 65"}


def test_what_is_there_stays_among_many() -> None:
    """Of 64 devices there are more ways than are tried; those that keep everything come first."""
    devices = node(8, of=8)
    has = {"a": devices[3:60:7], "b": devices[5:60:7], "c": devices[4:60:7]}
    before = Record((), tuple(Grant(wish(name, partitions=9), chosen) for name, chosen in has.items()))
    asked = demand(devices, wish("0new", priority="P0", partitions=9), *(wish(name, partitions=9) for name in has), before=before)
    placed = Search(asked, 0).best()
    assert placed is not None and all(set(chosen) <= set(placed[name]) for name, chosen in has.items())


@pytest.mark.parametrize(("steps", "cut"), [(1000, False), (4, True)])
def test_a_way_that_was_found_is_given_though_a_better_one_may_be_there(monkeypatch: pytest.MonkeyPatch, steps: int, cut: bool) -> None:
    monkeypatch.setattr(search, "_STEPS", steps)
    asked = demand(MI100, wish("a", gpus=3), wish("z", priority="P0", gpus=4, **ALL), before=had(MI100, a="36"))
    found = Search(asked, 0)
    assert (bool(found.best()), found.cut) == (True, cut)


def test_ways_that_are_not_tried_are_told() -> None:
    """Of 16 parts 9 can be chosen in more ways than are tried."""
    before = Record((), (Grant(wish("a", partitions=9), CPX[:9]), Grant(wish("b", partitions=7), CPX[9:])))
    (planned,) = fleet.plan([demand(CPX, wish("a", partitions=9), wish("b", gpus=0, partitions=6), wish("c", devices=(CPX[0].id,)), before=before)])
    assert planned.notes == ("fewer devices might move: there are more ways than are tried",)


def test_a_search_ends() -> None:
    """Many wishes, one too many: it says so, and soon."""
    wishes = tuple(wish(f"w{number}", partitions=3, **ALL) for number in range(6))
    begun = time.process_time()
    assert found(demand(node(2, of=8), *wishes, before=had(CPX, w1="012", w2="345"))) is None
    assert time.process_time() - begun < 5
