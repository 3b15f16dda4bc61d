# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Who may open which device node.

KFD gives a process memory and queues of a GPU only if the process has opened the render node of that GPU, and hides a
GPU whose render node its device cgroup denies. So render nodes are what counts, and /dev/kfd is but the door.
source: Linux drivers/gpu/drm/amd/amdkfd/kfd_process.c (kfd_bind_process_to_device), kfd_priv.h
(kfd_devcgroup_check_permission)
"""

from __future__ import annotations

import dataclasses as dc
import typing as t

from .shape import Record
from .text_names import RENDER, group
from .text_now import devices_of


@dc.dataclass(frozen=True)
class Access:
    """Owner root, a group, a mode, and further groups by an access control list.

    Attributes:
        group: of the node.
        mode: permissions.
        groups: that may read and write besides.
    """

    group: str
    mode: int = 0o660
    groups: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """root:gpu-vision 0660, and the groups of a list."""
        return " ".join([f"root:{self.group} {self.mode:04o}", *(f"+{name}" for name in self.groups)])


@dc.dataclass(frozen=True)
class Node:
    """A device node: path, kind (kfd, render, card), and PCI address of its GPU; None for that of a partition."""

    path: str
    kind: str
    gpu: str | None = None


DOOR = Access(RENDER)
CLOSED = Access("root", 0o600)


def access_of(record: Record) -> dict[str, Access]:
    """Access to each device of a record that holds now, by its id."""
    holders: dict[str, set[str]] = {}
    for grant in record.grants:
        for device in grant.devices:
            holders.setdefault(device.id, set()).add(group(grant.wish.tenant))
    found = {device.id: DOOR for device in record.pool} | {device.id: CLOSED for device in record.spares}
    for key, names in holders.items():
        shared = tuple(sorted(names))
        found[key] = Access(shared[0]) if len(shared) == 1 else Access("root", groups=shared)
    return found


def released(nodes: t.Sequence[Node]) -> dict[str, Access]:
    """Access where nothing is reserved, as distributions have it. source: systemd rules.d/50-udev-default.rules.in"""
    return {node.path: Access("video") if node.kind == "card" else DOOR for node in nodes}


def access(record: Record, nodes: t.Sequence[Node]) -> dict[str, Access]:
    """Access to each device node that a node has, by its path. What the record does not know is closed.

    A card follows its GPU. Those of a divided GPU are closed: programs that compute do not need them, and which
    partition one belongs to is in no record.
    """
    found, devices = access_of(record), devices_of(record)
    by_path = {device.render_node: found[device.id] for device in devices}
    by_gpu = {device.gpu: found[device.id] for device in devices if device.of == 1}
    return {node.path: DOOR if node.kind == "kfd"
            else by_path.get(node.path, CLOSED) if node.kind == "render"
            else by_gpu.get(node.gpu or "", CLOSED) for node in nodes}
