# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Which devices are to be freed: named themselves, by their reservation, or by whom they are reserved for."""

from __future__ import annotations

import typing as t

from ..errors import FleetError
from ..near import nearest
from ..reservation.shape import Device, Record


def selected(devices: t.Sequence[str], reservation: str, tenant: str, record: Record,
             known: t.Sequence[Device]) -> tuple[str, ...]:
    """Ids of the devices, in the node's order.

    Args:
        devices: ids, PCI addresses of GPUs (all of their devices), or UUIDs.
        reservation: name of one.
        tenant: name of one: all that it has reserved.
        record: the node's.
        known: all devices of the node.

    Raises:
        FleetError: not exactly one of the three is given, or there is no such thing on this node.
    """
    if sum(map(bool, (devices, reservation, tenant))) != 1:
        raise FleetError("gpu_evict", "not exactly one of devices, reservation and tenant is given", "give one of them")
    if devices:
        return _exact(devices, known)
    kind, name = ("reservation", reservation) if reservation else ("tenant", tenant)
    names = [grant.wish.name if reservation else grant.wish.tenant for grant in record.grants]
    if name not in names:
        raise FleetError(kind, f"this node has none named {name!r}", _hint(name, names))
    wanted = {device.id for grant, word in zip(record.grants, names) if word == name for device in grant.devices}
    return _there(kind, name, wanted, known)


def _there(kind: str, name: str, wanted: t.Collection[str], known: t.Sequence[Device]) -> tuple[str, ...]:
    lost = sorted(set(wanted) - {device.id for device in known})
    if lost:
        raise FleetError(f"{kind} {name}", f"has {', '.join(lost)}, which this node does not show", "reserve anew")
    return tuple(device.id for device in known if device.id in wanted)


def _exact(devices: t.Sequence[str], known: t.Sequence[Device]) -> tuple[str, ...]:
    wanted: set[str] = set()
    for name in devices:
        found = {device.id for device in known if name.lower() in (device.id, device.gpu, (device.uuid or "").lower())}
        if not found:
            raise FleetError("devices", f"this node has no {name!r}", _hint(name, [device.id for device in known]))
        wanted |= found
    return tuple(device.id for device in known if device.id in wanted)


def _hint(name: str, names: t.Sequence[str]) -> str:
    near = nearest(name, names)
    return f"did you mean {near}" if near else f"there is {', '.join(dict.fromkeys(names)) or 'none at all'}"
