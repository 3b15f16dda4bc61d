# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Wishes of a fleet, spread over its nodes."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.demand import Demand
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.fleet import Planned, plan
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.shape import Device, Wish
from ansible_collections.instinct.fleet.tests.unit.support.reservations import (
    BDFS,
    CPX,
    MI100,
    MI300X,
    demand,
    ids,
    node,
    wish,
)


def all_of(name: str = "all", **how: object) -> Wish:
    return wish(name, **{"scope": "fleet", **how})  # type: ignore[arg-type]


def fleet(*wishes: tuple[Wish, ...], devices: tuple[Device, ...] = MI300X, spares: int | None = 0) -> list[Demand]:
    return [demand(devices, *of, name=f"n{number}", spares=spares) for number, of in enumerate(wishes)]


def told(planned: tuple[Planned, ...], name: str = "all") -> dict[str, str]:
    return {one.node: ids(grant.devices) for one in planned if one.record
            for grant in one.record.grants if grant.wish.name == name}


def again(demands: list[Demand], planned: tuple[Planned, ...]) -> list[Demand]:
    return [dc.replace(one, before=was.record) for one, was in zip(demands, planned)]


@pytest.mark.parametrize(("demands", "found"), [
    (fleet((all_of(gpus=6),), (all_of(gpus=6),)), {"n0": "05 26 46 65 85 a6"}),
    # Where there is most room first; what nodes want of themselves stays.
    (fleet((all_of(gpus=6), wish("own", gpus=7)), (all_of(gpus=6),)), {"n1": "05 26 46 65 85 a6"}),
    (fleet((all_of(gpus=12), wish("own", gpus=3)), (all_of(gpus=12),)), {"n0": "05 26 46 65", "n1": "05 26 46 65 85 a6 c6 e5"}),
    # Each part is linked by itself.
    (fleet((all_of(gpus=7, link="all_to_all"),), (all_of(gpus=7, link="all_to_all"),), devices=MI100), {"n0": "05 26 46 65", "n1": "05 26 46"}),
    (fleet((all_of(partitions=18),), (all_of(partitions=18),), devices=CPX), {
        "n0": ids(CPX), "n1": "05-0 05-1"}),
    # Spares are no room; a node that does not ask is none either.
    (fleet((all_of(gpus=8),), (all_of(gpus=8),), (), spares=None), {"n0": "05 26 46 65 85 a6 c6", "n1": "05"}),
    (fleet((all_of("b", gpus=8), all_of(gpus=8, priority="P0")), (all_of("b", gpus=8),)), {"n0": "05 26 46 65 85 a6 c6 e5"}),
])
def test_spread(demands: list[Demand], found: dict[str, str]) -> None:
    planned = plan(demands)
    assert [one.refusal for one in planned] == [""] * len(demands)
    assert told(planned) == found
    assert plan(list(reversed(demands))) == planned
    assert [one.record for one in plan(again(demands, planned))] == [one.record for one in planned]


@pytest.mark.parametrize(("gpus", "found"), [
    (3, {"n0": "05 26 46"}), (5, {"n0": "05 26 46 65", "n1": "05"}), (8, {"n0": "05 26 46 65", "n1": "05 26 46 65"}),
])
def test_what_nodes_have_stays_when_the_wish_changes(gpus: int, found: dict[str, str]) -> None:
    before = fleet((all_of(gpus=5),), (all_of(gpus=5),), devices=node(4))
    after = fleet((all_of(gpus=gpus),), (all_of(gpus=gpus),), devices=node(4))
    assert told(plan(again(after, plan(before)))) == found


def test_one_that_grows_does_not_take_what_another_has() -> None:
    before = fleet((all_of("a", gpus=2), all_of("b", gpus=6)), (all_of("a", gpus=2), all_of("b", gpus=6)))
    first = plan(before)
    assert (told(first, "a"), told(first, "b")) == ({"n0": "05 26"}, {"n1": "05 26 46 65 85 a6"})
    after = again(fleet((all_of("a", gpus=9), all_of("b", gpus=6)), (all_of("a", gpus=9), all_of("b", gpus=6))), first)
    assert (told(plan(after), "a"), told(plan(after), "b")) == ({"n0": "05 26 46 65 85 a6 c6 e5", "n1": "c6"}, told(first, "b"))


def test_a_node_that_lost_gpus_gives_its_part_to_another() -> None:
    before = fleet((all_of(gpus=4),), (all_of(gpus=4),), devices=node(4))
    after = again(before, plan(before))
    after[0] = dc.replace(after[0], devices=after[0].devices[:1])
    assert told(plan(after)) == {"n0": "05", "n1": "05 26 46"}


def test_a_spare_steps_in_for_a_gpu_that_is_lost_and_is_one_again_when_it_is_back() -> None:
    whole = fleet((wish("own", gpus=7),), spares=None)
    (before,) = plan(whole)
    (lost,) = plan([dc.replace(whole[0], devices=MI300X[1:], before=before.record)])
    assert (told((lost,), "own"), lost.refusal) == ({"n0": "26 46 65 85 a6 c6 e5"}, "")
    assert lost.notes == ("keeps 0 of 1 spares: no more are free beside the reservations that were there",)
    (back,) = plan([dc.replace(whole[0], before=lost.record)])
    assert back.record and (told((back,), "own"), ids(back.record.spares), back.notes) == (told((lost,), "own"), "05", ())


def test_what_is_set_aside_takes_nothing_new_and_is_no_spare() -> None:
    """Who has some of it keeps it, and what nobody has is closed; a wish of the fleet grows elsewhere."""
    demands = fleet((wish("own", gpus=2), all_of(gpus=3)), (all_of(gpus=3),), devices=node(6, near=6))
    first = plan(demands)
    assert (told(first, "own"), told(first)) == ({"n0": "05 26"}, {"n1": "05 26 46"})
    after = again(fleet((wish("own", gpus=2), all_of(gpus=9)), (all_of(gpus=9),), devices=node(6, near=6), spares=1), first)
    bad = dict.fromkeys(BDFS, "set aside (quarantine)")
    both = plan([dc.replace(after[0], aside=bad), after[1]])
    assert both[0].refusal == "reservation all of chat: wants 9 GPUs of n0, n1 together, and they have place for 5; ask for less, or of more nodes"
    after = again(fleet((wish("own", gpus=2), all_of(gpus=5)), (all_of(gpus=5),), devices=node(6, near=6), spares=1), first)
    here, there = plan([dc.replace(after[0], aside={BDFS[0]: "set aside (gate)", BDFS[5]: "set aside (gate)"}), after[1]])
    assert (told((here, there), "own"), told((here, there))) == ({"n0": "05 26"}, {"n0": "46 65", "n1": "05 26 46"})
    assert here.record and (ids(here.record.spares), ids(here.record.pool)) == ("85 a6", "")
    assert here.notes == ("0000:05:00.0, 0000:a6:00.0 are set aside (gate): own keeps what is there, and nothing new is given",)
    (gone,) = plan([dc.replace(after[0], wishes=(wish("own", gpus=2),), aside=bad)])
    assert gone.notes == ("keeps 0 of 1 spares: no more are free beside the reservations that were there",
                          f"{', '.join(BDFS)} are set aside (quarantine): own keeps what is there, and nothing new is given")


@pytest.mark.parametrize(("demands", "refusals"), [
    (fleet((all_of(gpus=17),), (all_of(gpus=17), wish("own", gpus=1)), (wish("own", gpus=1),)),
     ["reservation all of chat: wants 17 GPUs of n0, n1 together, and they have place for 15; ask for less, or of more nodes"] * 2 + [""]),
    (fleet((all_of(partitions=17),), devices=CPX),
     ["reservation all of chat: wants 17 devices of n0 together, and they have place for 16; ask for less, or of more nodes"]),
    (fleet((all_of(gpus=1),), (all_of(gpus=2),), ()),
     ["reservation all: is one of the fleet, and not the same on all nodes; say it once, in variables of a group"] * 2 + [""]),
    (fleet((all_of(gpus=9), wish("own", gpus=9)), (all_of(gpus=9),), devices=node(2)),
     ["reservation all of chat: wants 9 GPUs of n0, n1 together, and they have place for 2; ask for less, or of more nodes"] * 2),
    (fleet((wish("own", gpus=3),), (wish("own", gpus=1),), devices=node(2)),
     ["reservation own of chat: wants 3 GPUs, and free are 2 (0000:05:00.0, 0000:26:00.0); ask for less, or of another node", ""]),
])
def test_refusals(demands: list[Demand], refusals: list[str]) -> None:
    planned = plan(demands)
    assert [one.refusal for one in planned] == refusals
    assert [one.record is None for one in planned] == [bool(why) for why in refusals]
