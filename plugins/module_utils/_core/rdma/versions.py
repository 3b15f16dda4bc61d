# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Versions of what no package manager tells: modules of the kernel, and firmware of NICs."""

from __future__ import annotations

import typing as t

from ..errors import FleetError
from . import fabric
from .catalogue import Catalogue
from .seen import Seen
from .shape import VerbsDevice
from .wish import Wish

Result = tuple[t.Optional[bool], str, str]  # good or not, None: unknown; what is wanted; what was seen


def drivers(catalogue: Catalogue, seen: Seen, wish: Wish) -> t.Iterator[tuple[str, Result]]:
    """Modules that have to have a version, of the NICs that the node has.

    Raises:
        FleetError: no family has a module of that name.
    """
    needed = {name for _nic, family in fabric.nics(catalogue, seen) for name in family.modules}
    for name, version in wish.drivers.items():
        if catalogue.module(name) in needed:
            yield name, _compared(version, seen.drivers.get(name), "its version is not known")


def firmware(catalogue: Catalogue, seen: Seen, wish: Wish) -> t.Iterator[tuple[str, Result]]:
    """Devices whose firmware has to have a version: that of their model, or else of their family.

    Raises:
        FleetError: there is no such family.
    """
    for name in wish.firmware:
        if ":" not in name and name not in catalogue.families:
            raise FleetError("rdma_stack_firmware", f"there is no family {name!r}",
                             f"choose one of {', '.join(sorted(catalogue.families))}")
    for device in seen.devices:
        family = fabric.family_of(catalogue, device)
        names = (*_models(device, seen), family.name if family else "")
        wanted = next((wish.firmware[name] for name in names if name in wish.firmware), None)
        if wanted is not None:
            yield device.name, _compared(wanted, of(device.name, seen), "ibv_devinfo does not tell it")


def of(device: str, seen: Seen) -> str | None:
    """Firmware of a device; None: not known."""
    listed = seen.said.devices.get(device) if seen.said else None
    return listed.fields.get("fw_ver") if listed else None


def _models(device: VerbsDevice, seen: Seen) -> list[str]:
    places = {port.bdf for port in seen.ports if port.device == device.name}
    return [f"{nic.vendor}:{nic.device}" for nic in seen.nics if nic.bdf in places]


def _compared(wanted: str, there: str | None, otherwise: str) -> Result:
    return None if there is None else there == wanted, wanted, there or otherwise
