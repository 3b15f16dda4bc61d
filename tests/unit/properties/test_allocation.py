# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What holds of every allocation: nobody has what another has, wishes are fulfilled as they say, and what is there stays."""

from __future__ import annotations

import collections
import dataclasses as dc
import itertools
import typing as t

from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.allocate import allocate
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.demand import Demand, spares_of
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.fleet import plan
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.room import untouched
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.shape import (
    CLASSES,
    Device,
    Record,
    Wish,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout import windows
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.shape import Window
from ansible_collections.instinct.fleet.tests.unit.support.reservations import BDFS, MI100, MI300X, TENANTS, node

few = settings(max_examples=40, deadline=None)
NODES = (MI300X, MI100, node(4, island=2, near=2), node(2, of=8), node(3, of=2, near=2))
TIMES = ((), (Window((0, 1, 2), 480, 1200),), (Window((0, 1, 2), 1200, 480),))
SMALL = node(4, island=2, near=2)


@st.composite
def wishes(draw: t.Callable[..., t.Any], most: int = 4, plain: bool = False) -> tuple[Wish, ...]:
    """Some wishes, of every kind, or of plain ones."""
    found = []
    for name in range(draw(st.integers(0, most))):
        kind = "gpus" if plain else draw(st.sampled_from(("gpus", "gpus", "partitions", "devices")))
        count: t.Any = draw(st.integers(1, 4))
        if kind == "devices":
            count = tuple(draw(st.lists(st.sampled_from(BDFS[:3]), min_size=1, max_size=2, unique=True)))
        more = {} if plain else {"share": draw(st.sampled_from((100, 100, 50))), "windows": draw(st.sampled_from(TIMES))}
        found.append(Wish(
            f"w{name}", draw(st.sampled_from(TENANTS)).name, draw(st.sampled_from(CLASSES)), **{kind: count}, **more,
            link=draw(st.sampled_from(("any", "any", "all_to_all"))), one_numa=not plain and draw(st.booleans())))
    return tuple(found)


def tried(demand: Demand) -> Record | None:
    try:
        return allocate(demand)
    except FleetError:
        return None


def together(wish: Wish, devices: t.Sequence[Device], every: t.Sequence[Device]) -> bool:
    """Whether devices are linked and near each other as the wish says. Said anew, and not as the code does."""
    pairs = list(itertools.combinations({one.gpu: one for one in devices}.values(), 2))
    near = all(one.numa_node == other.numa_node for one, other in pairs)
    linked = all(other.gpu in (one.peers or ()) for one, other in pairs)
    domains = collections.Counter(one.numa_node for one in {one.gpu: one for one in every}.values())
    large = len({one.gpu for one in devices}) > max(domains.values())
    return (near or not wish.one_numa) and (wish.link == "any" or (linked and (near or large)))


@few
@given(st.sampled_from(NODES), wishes(), st.integers(0, 2))
def test_wishes_are_fulfilled_and_nobody_has_what_another_has(devices: tuple[Device, ...], asked: tuple[Wish, ...], spares: int) -> None:
    record = tried(Demand("n", devices, TENANTS, asked, spares))
    if record is None:
        return
    held: dict[str, list[Wish]] = collections.defaultdict(list)
    for grant in record.grants:
        gpus = {device.gpu for device in grant.devices}
        assert (len(gpus), len(grant.devices))[bool(grant.wish.partitions)] == (
            grant.wish.gpus or grant.wish.partitions or len(grant.wish.devices))
        if not grant.wish.partitions:  # of each GPU it has all
            assert set(grant.devices) == {device for device in devices if device.gpu in gpus}
        assert together(grant.wish, grant.devices, devices)
        for device in grant.devices:
            held[device.id].append(grant.wish)
    for sharers in held.values():
        for wish in sharers:
            assert sum(other.share for other in sharers if windows.overlap(wish.windows, other.windows)) <= 100
    assert {grant.wish for grant in record.grants} == set(asked)
    assert len({device.gpu for device in record.spares}) == spares
    assert sorted([*held, *(device.id for device in (*record.spares, *record.pool))]) == sorted(device.id for device in devices)


@few
@given(st.sampled_from(NODES), wishes(), st.randoms(use_true_random=False))
def test_order_of_what_is_given_does_not_matter_and_a_second_time_changes_nothing(
    devices: tuple[Device, ...], asked: tuple[Wish, ...], random: t.Any,
) -> None:
    demand = Demand("n", devices, TENANTS, asked, 1)
    record = tried(demand)
    mixed = Demand("n", tuple(random.sample(devices, len(devices))), TENANTS, tuple(random.sample(asked, len(asked))), 1)
    assert tried(mixed) == record
    if record is not None:
        assert tried(dc.replace(mixed, before=record)) == record


def arrangements(devices: t.Sequence[Device], asked: t.Sequence[Wish], spares: int) -> t.Iterator[dict[str, frozenset[str]]]:
    """Every way to fulfil plain wishes, by brute force."""
    if not asked:
        if len(devices) >= spares:
            yield {}
        return
    wish = asked[0]
    for chosen in itertools.combinations(devices, wish.gpus or 0):
        if together(wish, chosen, SMALL):
            rest = [device for device in devices if device not in chosen]
            for others in arrangements(rest, asked[1:], spares):
                yield {wish.name: frozenset(device.id for device in chosen), **others}


@few
@given(wishes(3, plain=True), wishes(3, plain=True), st.integers(0, 1))
def test_as_few_devices_move_as_can_be(first: tuple[Wish, ...], then: tuple[Wish, ...], spares: int) -> None:
    """Of every way there is, none moves less; and where there is a way, one is found."""
    before = tried(Demand("n", SMALL, TENANTS, first, spares))
    asked = Demand("n", SMALL, TENANTS, then, spares, before)
    after = tried(asked)
    ways = list(arrangements(SMALL, then, spares_of(asked)))
    assert bool(ways) is (after is not None)
    had = asked.held
    if after is not None:
        has = {grant.wish.name: frozenset(device.id for device in grant.devices) for grant in after.grants}
        moved = [sum(min(len(had[name]), len(way[name])) - len(had[name] & way[name]) for name in had) for way in (has, *ways)]
        assert moved[0] == min(moved)


@few
@given(st.sampled_from(NODES), wishes(plain=True), st.integers(0, 3))
def test_who_is_refused_comes_after_all_that_fit(devices: tuple[Device, ...], asked: tuple[Wish, ...], spares: int) -> None:
    """Exact devices, P0, P1, P2: what does not fit is never told of one whose betters would not fit either."""
    spares = min(spares, len({device.gpu for device in devices}))
    try:
        allocate(Demand("n", devices, TENANTS, asked, spares))
    except FleetError as error:
        (refused,) = [wish for wish in asked if error.where == f"reservation {wish.name} of {wish.tenant}"]
        better = [wish for wish in asked if (CLASSES.index(wish.priority), wish.name) < (CLASSES.index(refused.priority), refused.name)]
        assert allocate(Demand("n", devices, TENANTS, tuple(better), spares)).grants or not better


@few
@given(wishes(3, plain=True), st.lists(st.sampled_from(CLASSES), min_size=3, max_size=3), st.integers(0, 1))
def test_classes_order_and_take_nothing_from_anybody(asked: tuple[Wish, ...], classes: list[str], spares: int) -> None:
    """Whether all fit does not depend on their classes: no class makes room for itself where another has none then."""
    before = tried(Demand("n", SMALL, TENANTS, asked[:1], spares))
    others = tuple(dc.replace(wish, priority=other) for wish, other in zip(asked, classes, strict=False))
    found = [tried(Demand("n", SMALL, TENANTS, wishes, spares, before)) for wishes in (asked, others)]
    assert (found[0] is None) is (found[1] is None)


@few
@given(wishes(3, plain=True), st.integers(1, 4), st.sampled_from(CLASSES))
def test_a_new_reservation_that_fits_beside_the_others_moves_nobody(asked: tuple[Wish, ...], gpus: int, priority: str) -> None:
    before = tried(Demand("n", MI300X, TENANTS, asked, 1))
    if before is None or len(untouched(MI300X, {one.id: () for grant in before.grants for one in grant.devices})) <= gpus:
        return
    new = Wish("new", "dev", priority, gpus=gpus)
    after = allocate(Demand("n", MI300X, TENANTS, (*asked, new), 1, before))
    assert [grant for grant in after.grants if grant.wish != new] == list(before.grants)


@few
@given(st.lists(st.tuples(st.integers(1, 8), wishes(2, plain=True)), min_size=1, max_size=3), st.integers(1, 12))
def test_a_wish_of_the_fleet_is_fulfilled_as_a_whole(nodes: list[tuple[int, tuple[Wish, ...]]], gpus: int) -> None:
    of_all = Wish("of-all", "chat", "P2", gpus=gpus, scope="fleet")
    demands = [Demand(f"n{number}", node(size), TENANTS, (*own, of_all), 0) for number, (size, own) in enumerate(nodes)]
    planned = plan(demands)
    assert plan(demands[::-1]) == planned
    if not any(one.refusal for one in planned):
        has = [grant for one in planned if one.record for grant in one.record.grants if grant.wish.name == "of-all"]
        assert sum(len(grant.devices) for grant in has) == gpus
        again = plan([dc.replace(one, before=was.record) for one, was in zip(demands, planned, strict=True)])
        assert [one.record for one in again] == [one.record for one in planned]
