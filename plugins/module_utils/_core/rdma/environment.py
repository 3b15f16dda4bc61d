# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What programs on a node are told of its NICs."""

from __future__ import annotations

import typing as t

from ..errors import FleetError
from . import fabric
from .catalogue import Catalogue
from .seen import Port, Seen
from .wish import Roce, Wish


def told(catalogue: Catalogue, seen: Seen, wish: Wish) -> tuple[Port, ...]:
    """The ports that programs are told of: active ones of NICs, of the families that are wanted."""
    chosen = {catalogue.family(name).name for name in wish.families}
    families = {device.name: fabric.family_of(catalogue, device) for device in seen.devices}
    wanted = {name for name, family in families.items()
              if family and family.pci and (not chosen or family.name in chosen)}
    return tuple(port for port in seen.ports if port.device in wanted and port.state == fabric.ACTIVE)


def environment(catalogue: Catalogue, seen: Seen, wish: Wish) -> dict[str, str]:
    """Variables for programs of this node. What is not known of the node is not in it.

    Raises:
        FleetError: two families want one variable to be two things.
    """
    ports = told(catalogue, seen, wish)
    drivers = {device.name: fabric.family_of(catalogue, device) for device in seen.devices}
    known = {"ports": ",".join(port.name for port in ports), "gid": _shared_gid(ports), **_classes(wish.roce, ports),
             "dmabuf": "1" if not seen.peer and fabric.lacking(seen) == () else ""}
    found: dict[str, str] = {}
    for family in dict.fromkeys(drivers[port.device] for port in ports):
        for variable in family.environment if family else ():
            value = _filled(variable.value, known)
            if value and found.setdefault(variable.name, value) != value and variable.name not in wish.environment:
                raise FleetError(f"variable {variable.name}", f"is {found[variable.name]} for one family of NICs, and "
                                 f"{value} for another", "name one family in rdma_stack_families")
    return {**found, **wish.environment} if ports else {}


def _shared_gid(ports: t.Sequence[Port]) -> str:
    """Index of the GID of RoCE v2 that all ports share; empty: there is none, as where one is of InfiniBand."""
    indexes = {found.index if found else None for found in (fabric.gid(port) for port in ports)}
    index = indexes.pop() if len(indexes) == 1 else None
    return "" if index is None else str(index)


def _classes(roce: Roce, ports: t.Sequence[Port]) -> dict[str, str]:
    """Traffic classes of data, which has flow control where any has, and of control messages; empty: not known.

    A class of RoCE is the byte that holds DSCP and ECN. source: RFC 2474, 3; RFC 3168, 5
    """
    asked = roce.dscp if roce.dscp and all(port.link_layer == fabric.ETHERNET for port in ports) else {}
    data = [dscp for dscp, priority in asked.items() if not roce.pfc or priority in roce.pfc]
    control = [dscp for dscp in asked if dscp not in data]
    return {name: str(4 * found[0]) if len(found) == 1 else ""
            for name, found in (("tc", data), ("control_tc", control))}


def _filled(value: str, known: t.Mapping[str, str]) -> str:
    for name, text in known.items():
        mark = "{" + name + "}"
        if mark in value and not text:
            return ""
        value = value.replace(mark, text)
    return value
