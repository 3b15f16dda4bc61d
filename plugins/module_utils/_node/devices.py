# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Device nodes of the driver: who owns them, and which GPU each belongs to."""

from __future__ import annotations

import re
import typing as t

from .._core.look.kfd import Node
from .._core.look.shape import DeviceNode, Devices
from .apart import UnreadableError
from .machine import Machine, mode_text
from .notes import Notes

_KINDS = {"renderD": "render", "card": "card"}
_DRM_NAME = re.compile(r"^(renderD|card)(\d+)$")
PARTITION = "amdgpu_xcp"  # platform devices that amdgpu makes for partitions; no driver is bound to them
_DRM = "/sys/class/drm"
_PCI_NAME = re.compile(r"^[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$")


def read(machine: Machine, bdfs: t.Collection[str], nodes: t.Iterable[tuple[str, Node]]) -> Devices:
    """Read the devices section. ``nodes`` are KFD nodes with the GPU each belongs to."""
    notes = Notes()
    minors = {node.render_minor: bdf for bdf, node in nodes}
    found = [notes.attempt("nodes", None, _node, machine, "/dev/kfd", "kfd", None)]
    for name in notes.attempt("nodes", (), machine.names, "/dev/dri"):
        match = _DRM_NAME.match(name)
        bdf = _owner(machine, name, int(match[2]), minors) if match else None
        if match and bdf in bdfs:
            found.append(notes.attempt("nodes", None, _node, machine, f"/dev/dri/{name}", _KINDS[match[1]], bdf))
    return Devices(
        nodes=tuple(node for node in found if node), unknown=notes,
        groups=notes.attempt("groups", {}, machine.groups),
        displays=notes.attempt("displays", None, _displays, machine, bdfs),
    )


def _displays(machine: Machine, bdfs: t.Collection[str]) -> int:
    """Return how many DRM devices are not of these GPUs or their partitions: a BMC's display, a display card."""
    names = [name for name in machine.names(_DRM) if _DRM_NAME.match(name)]
    if not names and not machine.exists(_DRM):
        raise UnreadableError(f"there is no {_DRM}")
    devices = {machine.real(f"{_DRM}/{name}/device") for name in names}  # a card and a render node may be of one device
    return sum(not name.startswith(PARTITION) and name not in bdfs for name in (d.rpartition("/")[2] for d in devices))


def _owner(machine: Machine, name: str, minor: int, minors: t.Mapping[int | None, str]) -> str | None:
    """Return the GPU of a DRM node. The node of a partition hangs under a platform device, so KFD is asked first."""
    if minor in minors:
        return minors[minor]
    device = machine.link_name(f"{_DRM}/{name}/device")
    return device if device and _PCI_NAME.match(device) else None


def _node(machine: Machine, path: str, kind: str, bdf: str | None) -> DeviceNode | None:
    status = machine.stat(path)
    if status is None:
        return None
    return DeviceNode(path=path, kind=kind, owner=machine.user(status.st_uid), group=machine.group(status.st_gid),
                      gid=status.st_gid, mode=mode_text(status), bdf=bdf)
