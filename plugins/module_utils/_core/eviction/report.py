# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What an eviction returns, as plain data, and the difference that it makes."""

from __future__ import annotations

import typing as t

from ..reservation.shape import Device
from .shape import STAYS, Fate, Holder, Kept, Plan
from .wording import gib, named

Plain = dict[str, t.Any]


def processes(fates: t.Iterable[Fate]) -> list[Plain]:
    """Those that were to go, in the order in which they were told."""
    return [{**_plain(fate.target.holder), "priority": fate.target.priority, "result": fate.how,
             "seconds": None if fate.seconds is None else round(fate.seconds, 3)} for fate in fates]


def foreseen(plan: Plan) -> list[Plain]:
    """The same before anything is done."""
    return [{**_plain(target.holder), "priority": target.priority, "result": "would_go", "seconds": None}
            for wave in plan.waves for target in wave.targets]


def kept(items: t.Iterable[Kept]) -> list[Plain]:
    """Those that hold a device that was to be freed and were not told to go."""
    return [{**_plain(item.holder), "reason": item.reason} for item in items]


def survivors(fates: t.Iterable[Fate]) -> list[int]:
    """Numbers of those that were told to go and stay."""
    return [fate.target.holder.pid for fate in fates if fate.how == STAYS]


def devices(wanted: t.Sequence[Device], before: t.Sequence[Holder], after: t.Sequence[Holder],
            used: t.Mapping[str, int | None], reasons: t.Mapping[str, str], kept: t.Iterable[Kept]) -> list[Plain]:
    """Each device that was to be freed. One that somebody keeps is not released, and that is no failure.

    Args:
        wanted: the devices.
        before, after: who held any device.
        used: PCI address -> bytes that the driver has in use now.
        reasons: id -> why it is not released.
        kept: who was not told to go.
    """
    why = {**{device: f"{named(item.holder)} stays: {item.reason}" for item in kept for device in item.holder.devices},
           **reasons}
    return [{
        "device": device.id, "released": device.id not in why, "reason": why.get(device.id, ""),
        "vram_bytes_before": memory(device.id, before), "vram_bytes_after": memory(device.id, after),
        "driver_bytes_after": used.get(device.gpu),
        "pids_before": _pids(device.id, before), "pids_after": _pids(device.id, after)} for device in wanted]


def freed(found: t.Iterable[Plain]) -> int | None:
    """Bytes that were freed, by the devices as above; None where one of them is unknown."""
    pairs = [(one["vram_bytes_before"], one["vram_bytes_after"]) for one in found]
    return None if any(None in pair for pair in pairs) else sum(max(0, before - after) for before, after in pairs)


def memory(device: str, holders: t.Iterable[Holder]) -> int | None:
    """Bytes that processes have of a device; None where that of one is unknown."""
    sizes = [one.devices[device] for one in holders if device in one.devices]
    return None if None in sizes else sum(filter(None, sizes))


def _pids(device: str, holders: t.Iterable[Holder]) -> list[int]:
    return [one.pid for one in holders if device in one.devices]


def _plain(holder: Holder) -> Plain:
    names = ("pid", "start", "command", "user", "unit", "tenant")
    devices = [{"device": device, "vram_bytes": size} for device, size in sorted(holder.devices.items())]
    return {**{name: getattr(holder, name) for name in names}, "devices": devices}


def diff(wanted: t.Collection[str], before: t.Sequence[Holder], after: t.Sequence[Holder]) -> dict[str, str]:
    """Who holds the devices, a line each."""
    return {"before_header": "devices", "after_header": "devices",
            "before": _lines(wanted, before), "after": _lines(wanted, after)}


def _lines(wanted: t.Collection[str], holders: t.Sequence[Holder]) -> str:
    return "".join(f"{device} {named(one)} {gib(one.devices[device])}\n"
                   for device in wanted for one in holders if device in one.devices)
