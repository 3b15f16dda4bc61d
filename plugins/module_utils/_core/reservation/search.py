# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The search for devices: every wish of a node has its place, and as few as can be that have one lose it.

It goes through the wishes in their order and through the places of each, the best first, and takes back a place that
leaves none for a later wish. It is bounded, so that a node that cannot fulfil its wishes says so soon.
"""

from __future__ import annotations

import collections
import itertools
import math
import typing as t

from .demand import Demand, barred, named
from .group import Group, Unit, groups, units
from .room import Taken, fits, given, untouched
from .shape import CLASSES, Device, Wish

_STEPS = 1000  # places that are tried until the search ends
_WIDTH = 100  # places of one wish in one group of GPUs
Placed = dict[str, tuple[Device, ...]]  # name of a reservation -> its devices


def ordered(wishes: t.Iterable[Wish]) -> tuple[Wish, ...]:
    """In which order wishes are given their places: exact devices, then by class, then by name."""
    return tuple(sorted(wishes, key=lambda wish: (not wish.devices, CLASSES.index(wish.priority), wish.name)))


def place_of(device: Device) -> tuple[str, int]:
    """By which devices are sorted."""
    return device.gpu, device.partition


class Search:
    """The places of the wishes of one node.

    Attributes:
        wishes: in their order.
        cut: whether the search was ended before all was tried, so that a better way may be there.
    """

    def __init__(self, demand: Demand, spares: int) -> None:
        self._demand, self._spares = demand, spares
        self._devices = tuple(sorted(demand.devices, key=place_of))
        self.wishes = ordered(demand.wishes)
        self._pools = {wish.name: named(wish, self._devices) or self._devices for wish in self.wishes}
        self._groups = {wish.name: groups(wish, self._devices, self.count(wish)) for wish in self.wishes}
        self._steps, self._narrow, self.cut = 0, False, False

    def best(self) -> Placed | None:
        """Places for all with the fewest moves that were found; None where none were."""
        every = sum(map(len, self._demand.held.values()))
        some = self._any((0, every) if every else (0,))
        moved = sum(self._moves(wish, some[wish.name]) for wish in self.wishes) if some else 0
        return self._any(range(1, moved)) or some

    def first(self, wish: Wish, taken: Taken) -> tuple[Device, ...] | None:
        """The best place of one wish beside what is taken; None where there is none."""
        places = self._places(wish, taken)
        return next((devices for devices in places if self._spared(given(taken, wish, devices))), None)

    def pool(self, wish: Wish) -> tuple[Device, ...]:
        """What a wish may choose from: what it names, or all of the node."""
        return self._pools[wish.name]

    def count(self, wish: Wish) -> int:
        """How many units it wants."""
        return wish.gpus or wish.partitions or len(units(wish, self.pool(wish)))

    def free(self, wish: Wish, taken: Taken) -> tuple[Unit, ...]:
        """What of the node is left for a wish."""
        return tuple(unit for unit in units(wish, self.pool(wish))
                     if all(fits(one, wish, taken) and not self.barred(one, wish) for one in unit))

    def barred(self, device: Device, wish: Wish) -> str:
        """Why the wish may not have a device that is set aside; empty if it may."""
        return barred(self._demand, device, wish)

    def together(self, wish: Wish, taken: Taken) -> tuple[Unit, ...]:
        """The most of it that may serve the wish together."""
        free = self.free(wish, taken)
        return max((tuple(unit for unit in free if unit[0].gpu in group) for group in self._groups[wish.name]),
                   key=len, default=())

    def _any(self, bounds: t.Iterable[int]) -> Placed | None:
        return next((found for found in map(self._within, bounds) if found is not None), None)

    def _within(self, most: int) -> Placed | None:
        self._steps, self._narrow = _STEPS, False
        found = self._placed(0, {}, 0, most)
        self.cut |= found is None and (self._narrow or not self._steps)
        return found

    def _placed(self, index: int, taken: Taken, moved: int, most: int) -> Placed | None:
        if index == len(self.wishes):
            return {} if self._spared(taken) else None
        wish = self.wishes[index]
        for devices in self._places(wish, taken):
            if not self._steps:
                break
            self._steps -= 1
            now, more = given(taken, wish, devices), moved + self._moves(wish, devices)
            if self._spared(now) and more <= most:
                rest = self._placed(index + 1, now, more, most)
                if rest is not None:
                    return {wish.name: devices, **rest}
        return None

    def _spared(self, taken: Taken) -> bool:
        return not self._spares or len(untouched(self._demand.able, taken)) >= self._spares

    def _moves(self, wish: Wish, devices: t.Sequence[Device]) -> int:
        """How many devices the reservation gets in the place of those that it has."""
        held = self._demand.held.get(wish.name, frozenset())
        return min(len(held), len(devices)) - sum(device.id in held for device in devices)

    def _places(self, wish: Wish, taken: Taken) -> t.Iterator[tuple[Device, ...]]:
        """Devices that the wish may have, the best choice first."""
        count, free = self.count(wish), self.free(wish, taken)
        held = self._demand.held.get(wish.name, frozenset())
        crowd = collections.Counter(map(_island, free))
        mates = collections.Counter(_island(unit) for unit in free if unit[0].id in held)
        rank = {unit: (*self._rank(wish, unit, taken), -mates[_island(unit)], crowd[_island(unit)]) for unit in free}
        ranked = sorted(free, key=lambda unit: (rank[unit], place_of(unit[0])))
        shortlists = [[unit for unit in ranked if unit[0].gpu in group] for group in self._groups[wish.name]]
        enough = [units for units in shortlists if len(units) >= count]
        for mine in sorted(enough, key=lambda units: tuple(map(sum, zip(*(rank[unit] for unit in units[:count]))))):
            self._narrow |= math.comb(len(mine), count) > _WIDTH
            for chosen in itertools.islice(itertools.combinations(mine, count), _WIDTH):
                yield tuple(sorted((device for unit in chosen for device in unit), key=place_of))

    def _rank(self, wish: Wish, unit: Unit, taken: Taken) -> tuple[int, ...]:
        """How good a choice a unit is, the least first: what the wish has; what no other has; what was no spare; what
        is shared already, and of a GPU of which others have a part. Then comes what is beside that which the wish has,
        and what leaves larger islands whole."""
        ids = {device.id for device in unit}
        begun = any(device.gpu == unit[0].gpu and device.id in taken for device in self._devices)
        others = {device for name, held in self._demand.held.items() if name != wish.name for device in held}
        return (-len(ids & self._demand.held.get(wish.name, frozenset())), len(ids & others),
                len(ids & self._demand.spared), -len(ids & taken.keys()), not begun)


def _island(unit: Unit) -> tuple[int | None, Group]:
    """The GPUs that one is linked to, and the NUMA node they are near."""
    return unit[0].numa_node, frozenset({unit[0].gpu, *(unit[0].peers or ())})
