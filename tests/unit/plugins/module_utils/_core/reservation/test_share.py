# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compute units of shared devices: whose windows may meet have none in common, and who stays keeps his own."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation import record as records
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation import share
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.allocate import allocate
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.shape import Grant, Record
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout import windows
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.shape import Window
from ansible_collections.instinct.fleet.tests.unit.support.granted import FIRST, HALF, SHARED, grant
from ansible_collections.instinct.fleet.tests.unit.support.reservations import demand, node, wish

EVERY_DAY = tuple(range(7))
NIGHT, DAY = (Window(EVERY_DAY, 22 * 60, 6 * 60, 0),), (Window(EVERY_DAY, 8 * 60, 20 * 60, 0),)


def units(record: Record, before: Record | None = None) -> dict[str, tuple[str, ...]]:
    return {one.wish.name: one.units for one in share.placed(record, before).grants}


def part(name: str, per_cent: int, *devices: object, tenant: str = "vision", **changes: object) -> Grant:
    return grant(name, tenant, *(devices or (SHARED,)), share=per_cent, **changes)  # type: ignore[arg-type]


def test_shares_follow_each_other() -> None:
    assert units(Record((), (part("a", 75), part("b", 25)))) == {"a": ("0-227",), "b": ("228-303",)}


def test_windows_that_never_meet_may_have_the_same() -> None:
    record = Record((), (part("always", 50), part("day", 50, windows=DAY), part("night", 50, windows=NIGHT)))
    assert units(record) == {"always": ("0-151",), "day": ("152-303",), "night": ("152-303",)}


def test_one_with_an_earlier_name_or_a_higher_class_moves_nobody() -> None:
    before = share.placed(Record((), (part("b", 25), part("c", 25))), None)
    after = Record((), (part("a", 50, priority="P0"), *before.grants))
    assert units(after, before) == {"a": ("152-303",), "b": ("0-75",), "c": ("76-151",)}
    gap = Record((), (part("a", 75, priority="P0"), before.grants[1]))
    assert units(gap, before) == {"a": ("0-75,152-303",), "c": ("76-151",)}


def test_a_plan_keeps_what_the_record_of_the_node_says() -> None:
    one, late = wish("b", gpus=1, share=25), wish("a", "train", "P0", gpus=1, share=75)
    told = records.read(records.text(allocate(demand(node(1), one))))
    after = allocate(demand(node(1), late, one, before=told))
    assert {grant.wish.name: grant.units for grant in after.grants} == {"a": ("76-303",), "b": ("0-75",)}


@pytest.mark.parametrize("changed", [part("b", 50), part("b", 25, tenant="research"), part("b", 25, FIRST)])
def test_another_share_tenant_or_device_is_placed_anew(changed: Grant) -> None:
    before = share.placed(Record((), (part("a", 50), part("b", 25))), None)
    assert units(Record((), (changed,)), before)["b"][0].startswith("0-")


def test_where_those_that_stay_leave_no_room_all_are_placed_anew() -> None:
    """The windows of two that never met now meet those of a third."""
    before = Record((), (Grant(part("day", 50, windows=DAY).wish, (SHARED,), ("0-151",)),
                         Grant(part("night", 50, windows=NIGHT).wish, (SHARED,), ("152-303",))))
    found = units(Record((), (*before.grants, part("new", 50))), before)
    assert not share.numbers(found["new"][0]) & (share.numbers(found["day"][0]) | share.numbers(found["night"][0]))
    assert found["new"][0]


def test_more_than_there_are_units_are_no_units() -> None:
    assert units(Record((), (part("a", 75), part("b", 75)))) == {"a": ("",), "b": ("",)}


def test_what_is_whole_or_unknown_has_none() -> None:
    unknown = grant("b", "vision", HALF.__class__(**{**HALF.__dict__, "compute_units": None}), share=50)
    assert units(Record((), (grant("a", "vision", FIRST), unknown))) == {"a": (), "b": ("",)}


@pytest.mark.parametrize(("numbers", "text"), [((), ""), ((0, 1, 2, 7), "0-2,7-7")])
def test_units_as_text(numbers: tuple[int, ...], text: str) -> None:
    assert (share.text(numbers), share.numbers(text)) == (text, frozenset(numbers))


WISHES = st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from([25, 50, 75]), st.sampled_from([(), NIGHT, DAY]),
                            st.sampled_from(["P0", "P1"])), max_size=4, unique_by=lambda one: one[0])


@settings(max_examples=60)
@given(WISHES, WISHES)
def test_whose_windows_meet_have_no_unit_in_common(first: list, second: list) -> None:
    before = None
    for wishes in (first, second):
        record = Record((), tuple(part(name, size, windows=window, priority=level) for name, size, window, level in wishes))
        before = share.placed(record, before)
        for one, other in itertools.combinations(before.grants, 2):
            if windows.overlap(one.wish.windows, other.wish.windows):
                assert not share.numbers(one.units[0]) & share.numbers(other.units[0])
        assert share.placed(before, before) == before
