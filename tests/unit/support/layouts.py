# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""GPUs as a look has them, and what a few products can be: for tests of devices and of what is made of them."""

from __future__ import annotations

import typing as t

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.gpus import Gpu, Gpus, Partition
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.capabilities import (
    Capabilities,
    Pair,
    Period,
    ProductModes,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.layout import layout
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.shape import GpuWanted, LogicalDevice
from ansible_collections.instinct.fleet.tests.unit.support.partitions import BDFS

KNOWN = (Period("documented"),)


def _pairs(*texts: str) -> tuple[Pair, ...]:
    """SPX/NPS1=1 -> a pair that makes one device."""
    return tuple(Pair(*text.split("=")[0].split("/"), int(text.split("=")[1]), KNOWN) for text in texts)


CAPABILITIES = Capabilities({product.name: product for product in (
    ProductModes("MI300X", 8, 304, 196592, "reload",
                 _pairs("SPX/NPS1=1", "DPX/NPS1=2", "DPX/NPS2=2", "QPX/NPS1=4", "CPX/NPS1=8", "CPX/NPS4=8")),
    ProductModes("MI300A", 6, 228, 131072, "bios", _pairs("SPX/NPS1=1", "TPX/NPS1=3", "CPX/NPS1=6")),
    ProductModes("MI210", 1, 104, 65520, "none", alternative="CU masks"),
)})


def gpu(index: int, compute: str | None = "SPX", memory: str | None = "NPS1", count: int = 1, **other: t.Any) -> Gpu:
    """One GPU of eight, with devices as its driver makes them: numbers of render nodes in steps of 8."""
    parts = tuple(Partition(number, f"/dev/dri/renderD{128 + 8 * index + number}", f"uuid-{index}-{number}")
                  for number in range(count))
    known = {"product": "MI300X", "numa_node": index // 4, "driver": "amdgpu", "partitions": parts, **other}
    return Gpu(index, BDFS[index], "74a1", compute_partition=compute, memory_partition=memory, **known)


def node(*gpus: Gpu) -> Gpus:
    """The section of a look; without GPUs a node of eight MI300X as they are after a boot."""
    return Gpus(gpus or tuple(gpu(index) for index in range(8)))


def wanted(mode: str, *indices: int) -> tuple[GpuWanted, ...]:
    """CPX/NPS4 of the GPUs with these indices; without indices of all eight."""
    return tuple(GpuWanted(BDFS[index], *mode.split("/")) for index in indices or range(8))


def devices(mode: str | None = None, gpus: Gpus | None = None) -> tuple[LogicalDevice, ...]:
    """The devices of a node of eight, as it is or as it would be."""
    return layout(gpus or node(), CAPABILITIES, wanted(mode) if mode else None)
