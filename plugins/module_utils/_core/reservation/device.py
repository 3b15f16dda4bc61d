# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The devices that can be reserved of a node, from a look."""

from __future__ import annotations

import collections
import typing as t

from ..look.gpus import Gpus
from ..partition.shape import LogicalDevice
from .shape import Device


def devices(gpus: Gpus, layout: t.Iterable[LogicalDevice]) -> tuple[Device, ...]:
    """All of them, in PCI order and by partition.

    Args:
        gpus: the look's.
        layout: of that look, as ``layout`` of the package partition makes it.
    """
    found = list(layout)
    seen = {gpu.bdf: gpu for gpu in gpus.gpus}
    sizes = collections.Counter(item.gpu for item in found)
    rocr = {(gpu.bdf, part.id): part.rocr_uuid for gpu in gpus.gpus for part in gpu.partitions}
    named = collections.Counter(rocr.values())  # a name that several devices have is none of its own
    return tuple(
        Device(
            _id(item, sizes[item.gpu]), item.gpu, item.partition, sizes[item.gpu], item.product,
            item.uuid or (item.gpu_uuid if sizes[item.gpu] == 1 else None),
            name if named[name] == 1 else None, item.render_node, item.numa_node, gpu.near_cpus,
            item.memory_bytes or (gpu.vram_bytes if sizes[item.gpu] == 1 else None), item.compute_units,
            gpu.xgmi_peers)
        for item in found for gpu, name in [(seen[item.gpu], rocr.get((item.gpu, item.partition)))])


def _id(item: LogicalDevice, of: int) -> str:
    return item.gpu if of == 1 else f"{item.gpu}-{item.partition}"
