# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Logical devices, and what is told beside them, from modules and users: plain data that is read strictly."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..module_utils._core.errors import DataError
from ..module_utils._core.partition.shape import LogicalDevice
from .plain import from_plain


def read(data: t.Any, where: str = "devices") -> tuple[LogicalDevice, ...]:
    """The devices in what a module or a filter returned.

    Raises:
        DataError: it is no list of devices, or has one twice; the message names the place.
    """
    if not isinstance(data, list):
        raise DataError(where, f"is {type(data).__name__}, not a list", "give it what partition_layout returns")
    devices = tuple(from_plain(LogicalDevice, item, f"{where}[{index}]") for index, item in enumerate(data))
    places: set[tuple[str, int]] = set()
    for index, device in enumerate(devices):
        if (device.gpu, device.partition) in places:
            raise DataError(f"{where}[{index}]", f"is partition {device.partition} of gpu {device.gpu} once more",
                            "give each device once")
        places.add((device.gpu, device.partition))
    return devices


def cores(given: t.Any, where: str) -> dict[int, t.Any]:
    """NUMA node -> cores, as Slurm numbers them. Keys may be text: in a template they are.

    Raises:
        DataError: it is no such mapping.
    """
    if given is not None and not isinstance(given, dict):
        raise DataError(where, f"is {type(given).__name__}, not a mapping", "write it as in {0: 0-95, 1: 96-191}")
    for key in given or {}:
        if isinstance(key, bool) or not str(key).isascii() or not str(key).isdigit():
            raise DataError(where, f"has a key {key!r}, which is no number of a NUMA node", "write it as a number")
    return {int(str(key)): str(value) if isinstance(value, int) and not isinstance(value, bool) else value
            for key, value in (given or {}).items()}


def plain(devices: t.Iterable[LogicalDevice]) -> list[dict[str, t.Any]]:
    """The same as plain data."""
    return [dc.asdict(device) for device in devices]
