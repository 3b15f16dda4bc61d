# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""How much of a device is left for a wish: compute units are shared, and time is."""

from __future__ import annotations

import functools
import typing as t

from ..rollout import windows
from .shape import Device, Wish

GIB = 1 << 30
WHOLE = 100  # per cent of the compute units of a device
Taken = t.Mapping[str, tuple[Wish, ...]]  # id of a device -> the wishes that have it

_overlap = functools.cache(windows.overlap)


def suits(device: Device, wish: Wish) -> bool:
    """Whether a device is of the kind that a wish wants. What is not known of it does not count for it."""
    return device.render_node is not None and enough(device, wish) and whole_units(device, wish)


def enough(device: Device, wish: Wish) -> bool:
    """Whether it has the memory. What the driver keeps of a GPU does not count: one of 64 GiB tells a little less."""
    return not wish.memory_gib or -(-(device.memory_bytes or 0) // GIB) >= wish.memory_gib


def whole_units(device: Device, wish: Wish) -> bool:
    """Whether the share of the wish is a whole number of its compute units: masks have a bit for each."""
    return wish.share == WHOLE or bool(device.compute_units and not device.compute_units * wish.share % WHOLE)


def left(device: Device, wish: Wish, taken: Taken) -> int:
    """Per cent of a device that are left for a wish: without what others have at a time at which it holds too."""
    return WHOLE - sum(other.share for other in taken.get(device.id, ()) if _overlap(other.windows, wish.windows))


def fits(device: Device, wish: Wish, taken: Taken) -> bool:
    """Whether a wish can have a device."""
    return suits(device, wish) and left(device, wish, taken) >= wish.share


def given(taken: Taken, wish: Wish, devices: t.Iterable[Device]) -> dict[str, tuple[Wish, ...]]:
    """What is taken once a wish has devices too."""
    return {**taken, **{device.id: (*taken.get(device.id, ()), wish) for device in devices}}


def untouched(devices: t.Iterable[Device], taken: Taken) -> list[str]:
    """PCI addresses of GPUs that nobody has anything of at any time, and that work, in their order."""
    found: dict[str, bool] = {}
    for device in devices:
        free = device.id not in taken and device.render_node is not None
        found[device.gpu] = free and found.get(device.gpu, True)
    return [gpu for gpu, free in found.items() if free]
