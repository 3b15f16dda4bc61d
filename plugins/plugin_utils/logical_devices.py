# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Logical devices between modules and filters: plain data that is read strictly, whoever wrote it."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..module_utils._core.errors import DataError
from ..module_utils._core.partition.shape import LogicalDevice
from .plain import from_plain


def read(data: t.Any, where: str = "devices") -> tuple[LogicalDevice, ...]:
    """The devices in what a module or a filter returned.

    Raises:
        DataError: it is no list of devices; the message names the place.
    """
    if not isinstance(data, list):
        raise DataError(where, f"is {type(data).__name__}, not a list", "give it what partition_layout returns")
    return tuple(from_plain(LogicalDevice, item, f"{where}[{index}]") for index, item in enumerate(data))


def plain(devices: t.Iterable[LogicalDevice]) -> list[dict[str, t.Any]]:
    """The same as plain data."""
    return [dc.asdict(device) for device in devices]
