# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The logical devices of a node: those that it has, and those that a change would bring."""

from __future__ import annotations

import typing as t

from ..errors import FleetError
from ..look.gpus import Gpu, Gpus, Partition
from .capabilities import Capabilities, ProductModes
from .nodes import RENDER
from .shape import COMPUTE, DEVICES, MEMORY, GpuWanted, LogicalDevice, memory_parts

# A GPU has the minors of its partitions from when it is found, in a row after its own; an invalid one does not open.
# Beyond the last of these, kernels hand out numbers of cards and render nodes in one row, in no order that can be told.
# source: torvalds/linux drivers/gpu/drm/amd/amdgpu/amdgpu_xcp.c (amdgpu_xcp_dev_alloc), drivers/gpu/drm/drm_drv.c
_LAST_IN_A_ROW = 191
# What a partition is given is a share of its memory partition, in whole pages.
# source: torvalds/linux drivers/gpu/drm/amd/amdgpu/amdgpu_amdkfd.c (amdgpu_amdkfd_xcp_memory_size); a node of MI300X
# in halves: ROCm/k8s-gpu-dra-driver#20
_PAGE = 4096


def layout(gpus: Gpus, capabilities: Capabilities,
           wanted: t.Sequence[GpuWanted] | None = None) -> tuple[LogicalDevice, ...]:
    """Return the devices in PCI order and by partition: what is there, with what is wanted of some GPUs in its place.

    A GPU that is not wanted otherwise keeps the devices that it was seen with; one without a driver has none. So does
    one that cannot be partitioned. Whether a GPU can be what is wanted of it is not asked here.

    Raises:
        FleetError: a GPU that is wanted is not there, or how many devices it would have is not known.
    """
    asked = {item.bdf: item for item in wanted or ()}
    missing = sorted(set(asked) - {gpu.bdf for gpu in gpus.gpus})
    if missing:
        raise FleetError(f"gpu {missing[0]}", "is not on the node", "look at the node again")
    nodes = {gpu.bdf: _minors(gpu) for gpu in gpus.gpus}
    devices: list[LogicalDevice] = []
    for gpu in gpus.gpus:
        product = capabilities.products.get(gpu.product or "")
        item = asked.get(gpu.bdf)
        if item is None or _as_it_is(gpu, item) or (product and not product.pairs):
            found = _seen(gpu, product, len(devices))
        else:
            taken = {minor for bdf, minors in nodes.items() if bdf != gpu.bdf for minor in minors}
            found = _predicted(gpu, product, item, taken, len(devices))
        devices += found
    return tuple(devices)


def refuse_unknown(gpus: Gpus) -> None:
    """Refuse to call it no devices where it is not known which there are.

    Raises:
        FleetError: GPUs or their partitions could not be read.
    """
    for name, words in (("gpus", "GPUs"), ("partitions", "partitions")):
        if name in gpus.unknown:
            raise FleetError("node", f"which {words} it has is unknown: {gpus.unknown[name]}", "mend that on the node")


def _as_it_is(gpu: Gpu, item: GpuWanted) -> bool:
    """Whether a GPU has the modes that are wanted of it, and devices."""
    return (gpu.compute_partition, gpu.memory_partition) == (item.compute, item.memory) and bool(gpu.partitions)


def _minors(gpu: Gpu) -> tuple[int, ...]:
    """Return the minors of the render nodes that were seen of a GPU."""
    matches = (RENDER.fullmatch(part.render_node or "") for part in gpu.partitions)
    return tuple(int(match[1]) for match in matches if match)


def _seen(gpu: Gpu, product: ProductModes | None, first: int) -> list[LogicalDevice]:
    compute = gpu.compute_partition if gpu.compute_partition in COMPUTE else ""
    memory = gpu.memory_partition if gpu.memory_partition in MEMORY else ""
    count = _devices(product, compute) or len(gpu.partitions)
    return [_device(gpu, product, first + place, compute or "", memory or "", count, part, True)
            for place, part in enumerate(sorted(gpu.partitions, key=lambda part: part.id))]


def _predicted(gpu: Gpu, product: ProductModes | None, item: GpuWanted, taken: t.Collection[int],
               first: int) -> list[LogicalDevice]:
    count = _devices(product, item.compute)
    if count is None:
        what = f"how many devices {item.compute} makes of {gpu.product or 'it'} is not known"
        raise FleetError(f"gpu {gpu.bdf}", what, "add the product to a directory of gpu_partition_catalogue_dirs")
    nodes = (None if minor is None else f"/dev/dri/renderD{minor}" for minor in _row(gpu, count, taken))
    return [_device(gpu, product, first + number, item.compute, item.memory, count, Partition(number, node), False)
            for number, node in enumerate(nodes)]


def _row(gpu: Gpu, count: int, taken: t.Collection[int]) -> list[int | None]:
    """Return the minors that the partitions of a GPU will have; None where the kernel's rule does not tell.

    Where another GPU has one of them now, this driver does not keep them in a row, and only the GPU's own is told.
    """
    own = next((_minors(gpu)[:1] for part in gpu.partitions[:1] if part.id == 0), ())
    if not own:
        return [None] * count
    row: list[int | None] = [minor if minor <= _LAST_IN_A_ROW else None for minor in range(own[0], own[0] + count)]
    return row if not set(row) & set(taken) else [own[0], *[None] * (count - 1)]


def _devices(product: ProductModes | None, compute: str) -> int | None:
    """Return how many devices a compute mode makes of a GPU; None where that is not known."""
    return product.devices_in(compute) if product and compute else DEVICES.get(compute)


def _device(gpu: Gpu, product: ProductModes | None, index: int, compute: str, memory: str, count: int, part: Partition,
            seen: bool) -> LogicalDevice:
    # What a guest is given of a GPU is decided by its host, whose modes it does not see.
    known = None if gpu.virtual_function else product
    domains = memory_parts(memory) if memory else None
    if known and count == 1 and domains is None:
        domains = 1
    return LogicalDevice(
        gpu=gpu.bdf, gpu_index=gpu.index, partition=part.id, index=index, compute=compute, memory=memory,
        product=gpu.product, xcds=known.xcds // count if known else None,
        compute_units=known.compute_units // count if known else None,
        memory_bytes=_share(known, count, domains) if known and domains else None,
        memory_domain=part.id * domains // count if domains and domains <= count else None,
        numa_node=gpu.numa_node, render_node=part.render_node, uuid=part.uuid, seen=seen,
        gpu_uuid=gpu.uuid)


def _share(product: ProductModes, count: int, domains: int) -> int | None:
    """Return the bytes of one device; None where they cannot be told.

    The memory of an APU is the host's, and its parts depend on what the host lets graphics have.
    """
    if count % domains or (product.memory_change == "bios" and count > 1):
        return None
    of_domain = product.memory_mib * 1024 * 1024 // domains // _PAGE * _PAGE
    return of_domain // (count // domains) // _PAGE * _PAGE
