# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What of a record holds at a moment, where each device is now, and when that changes."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..rollout import windows
from .shape import Device, Record

_DAY, _WEEK = 1440, 10080  # minutes
_NAMES = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def standing(record: Record, at: float, zone: int) -> Record:
    """The record with the reservations that hold now alone; what no other holds of the rest is in the pool.

    Args:
        record: what the node was told.
        at: seconds since 1970.
        zone: minutes that the clock of the node is before UTC.
    """
    grants = tuple(grant for grant in record.grants if windows.left(grant.wish.windows, at, zone) > 0)
    held = {device.id for grant in grants for device in grant.devices}
    every = {device.id: device for grant in record.grants for device in grant.devices}
    free = {key: device for key, device in every.items() if key not in held}
    pool = {**{device.id: device for device in record.pool}, **free}
    return dc.replace(record, grants=grants, pool=tuple(sorted(pool.values(), key=place)))


def located(record: Record, found: t.Iterable[Device]) -> Record:
    """The record with the render nodes that devices have now: kernels number those of partitions as they come."""
    nodes = {device.id: device.render_node for device in found}

    def now(devices: t.Sequence[Device]) -> tuple[Device, ...]:
        return tuple(dc.replace(device, render_node=nodes.get(device.id)) for device in devices)

    grants = tuple(dc.replace(grant, devices=now(grant.devices)) for grant in record.grants)
    return dc.replace(record, grants=grants, spares=now(record.spares), pool=now(record.pool))


def devices_of(record: Record) -> tuple[Device, ...]:
    """Every device once, in PCI order and by partition."""
    grants = (device for grant in record.grants for device in grant.devices)
    found = {device.id: device for device in (*grants, *record.spares, *record.pool)}
    return tuple(sorted(found.values(), key=place))


def place(device: Device) -> tuple[str, int]:
    """By which devices are in order: PCI address and partition."""
    return device.gpu, device.partition


def turns(record: Record) -> tuple[str, ...]:
    """When windows open and close, as systemd.time(7) writes it."""
    found: set[tuple[int, str]] = set()
    for window in (window for grant in record.grants for window in grant.wish.windows):
        for day in window.days:
            start = day * _DAY + window.begins - (window.zone or 0)
            end = start + ((window.ends - window.begins) % _DAY or _DAY)
            found |= {(moment % _WEEK, "" if window.zone is None else " UTC") for moment in (start, end)}
    return tuple(f"{_NAMES[moment // _DAY]} *-*-* {moment % _DAY // 60:02}:{moment % 60:02}:00{zone}"
                 for moment, zone in sorted(found))
