# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Which compute units of a shared device each reservation has.

They are chosen when a reservation is planned and stand in the record, so that the mask of a program that runs is that
of its reservation for as long as it stays: neither a window that opens nor a reservation that is added moves it.
"""

from __future__ import annotations

import dataclasses as dc
import itertools
import typing as t

from ..rollout import windows
from .room import WHOLE
from .search import ordered
from .shape import Device, Record, Wish

_Units = frozenset[int]


def placed(record: Record, before: Record | None) -> Record:
    """The record in which each share of a device is a set of its compute units.

    Reservations that may hold at one time have none in common. One that stays keeps its own, unless the others find
    none beside it: then all of the device are placed anew.

    Args:
        record: what a node is to be told.
        before: what it was told last.
    """
    had = {(grant.wish.name, grant.wish.tenant, device.id): numbers(units)
           for grant in (before.grants if before else ()) for device, units in zip(grant.devices, grant.units)}
    has: dict[tuple[str, str], _Units] = {}
    for device in {device.id: device for grant in record.grants for device in grant.devices}.values():
        wishes = ordered(grant.wish for grant in record.grants
                         if grant.wish.share < WHOLE and device.id in {one.id for one in grant.devices})
        theirs = {wish.name: had.get((wish.name, wish.tenant, device.id), frozenset()) for wish in wishes}
        for name, units in (_fit(device, wishes, theirs) or _fit(device, wishes, {}) or {}).items():
            has[name, device.id] = units
    return dc.replace(record, grants=tuple(
        dc.replace(grant, units=tuple(text(has.get((grant.wish.name, device.id), ())) for device in grant.devices)
                   if grant.wish.share < WHOLE else ())
        for grant in record.grants))


def _fit(device: Device, wishes: t.Sequence[Wish], theirs: t.Mapping[str, _Units]) -> dict[str, _Units] | None:
    """Compute units for each wish, in their order after those that keep theirs; None where one finds too few."""
    every = frozenset(range(device.compute_units or 0))
    sizes = {wish.name: len(every) * wish.share // WHOLE for wish in wishes}
    keep = {name: units for name, units in theirs.items() if len(units) == sizes[name]}
    found: dict[str, _Units] = {}
    for wish in sorted(wishes, key=lambda one: one.name not in keep):
        others = (found[one.name] for one in wishes
                  if one.name in found and windows.overlap(one.windows, wish.windows))
        free = every.difference(*others)
        mine = keep.get(wish.name, frozenset())
        found[wish.name] = mine if mine and mine <= free else frozenset(sorted(free)[:sizes[wish.name]])
        if len(found[wish.name]) < sizes[wish.name]:
            return None
    return found


def text(units: t.Iterable[int]) -> str:
    """0-75,152-227. source: rocm.docs.amd.com reference/environment-variables/setting-cus, CU_list"""
    runs = [[unit for _place, unit in run]
            for _key, run in itertools.groupby(enumerate(sorted(units)), lambda pair: pair[1] - pair[0])]
    return ",".join(f"{run[0]}-{run[-1]}" for run in runs)


def numbers(units: str) -> _Units:
    """What ``text`` wrote."""
    pairs = (run.split("-") for run in units.split(",") if run)
    return frozenset(unit for begin, end in pairs for unit in range(int(begin), int(end) + 1))
