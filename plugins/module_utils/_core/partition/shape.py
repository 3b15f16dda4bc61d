# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What partitioning speaks of: what is wanted of GPUs, the ordered changes, and the logical devices that come of it."""

from __future__ import annotations

import dataclasses as dc

from ..findings import Finding

# Fewest devices first. What a product has of these is data.
COMPUTE = ("SPX", "DPX", "TPX", "QPX", "CPX")
MEMORY = ("NPS1", "NPS2", "NPS4", "NPS8")
# Logical devices of a GPU by compute mode, as the names say; of CPX as many as the product has XCDs.
DEVICES = {"SPX": 1, "DPX": 2, "TPX": 3, "QPX": 4}
# How well a pair of modes is known, best first: the vendor lists it; the kernel takes it and no page lists it; the
# vendor calls it a preview, or it depends on firmware. Every other pair is refused.
STANDINGS = ("documented", "allowed", "experimental")
DEFAULT_ACCEPT = ("documented",)
# What a change does, in the order in which changes come.
MEMORY_CHANGE, RELOAD, COMPUTE_CHANGE = "memory", "reload", "compute"


def memory_parts(mode: str) -> int:
    """Into how many parts a memory mode divides a GPU: 4 for NPS4."""
    return int(mode[3:])


@dc.dataclass(frozen=True)
class GpuWanted:
    """What one GPU should be."""

    bdf: str
    compute: str  # one of COMPUTE
    memory: str  # one of MEMORY

    @property
    def text(self) -> str:
        """CPX/NPS4, as AMD writes pairs."""
        return f"{self.compute}/{self.memory}"


@dc.dataclass(frozen=True)
class Change:
    """One ordered change of a node.

    Attributes:
        action: memory (asked once for a hive), reload (of the driver), compute (of each GPU by itself).
        gpus: PCI addresses that it is for, in their order; of a memory change and a reload all that it touches.
        mode: NPS4, CPX; empty for a reload.
        before: the mode now; empty where it is not the same for all of them, or for a reload.
        words: "set memory partition NPS4 on 8 GPUs (was NPS1)".
    """

    action: str
    gpus: tuple[str, ...]
    mode: str
    before: str
    words: str


@dc.dataclass(frozen=True)
class Transition:
    """From what is seen to what is wanted.

    Attributes:
        wanted: of every GPU that is chosen and can be partitioned, in PCI order.
        changes: in order; none: the node is as wanted, or waits for the reboot.
        touched: PCI addresses that no process may hold meanwhile: all of the node for a reload, else those whose
            compute mode changes and all of their hives.
        reload: why the driver must be reloaded; empty if it need not be. If the library reloads it within the call that
            sets the memory mode, there is a reason and no change of its own.
        reboot: why only a reboot brings what is wanted (a reload is not allowed); empty if none is needed.
        notes: what a person should know and that changes nothing.
        findings: where the node and the table disagree, and others.
    """

    wanted: tuple[GpuWanted, ...]
    changes: tuple[Change, ...] = ()
    touched: tuple[str, ...] = ()
    reload: str = ""
    reboot: str = ""
    notes: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()


@dc.dataclass(frozen=True)
class LogicalDevice:
    """One device that programs see: a whole GPU or a partition of one.

    Attributes:
        gpu: PCI address of the GPU.
        gpu_index: of the GPU, in PCI order.
        partition: its number on the GPU, from 0.
        index: its number on the node, in PCI order and then by partition.
        product: MI300X; None where it is not known.
        compute, memory: the modes of the GPU.
        xcds, compute_units: that are its own; None where the product is not known.
        memory_bytes: that it is given; None where it is not known.
        memory_domain: number of the memory partition of its GPU that it belongs to.
        numa_node: of the host.
        render_node: /dev/dri/renderD128; None where it cannot be told.
        uuid: of the partition, only as seen.
        seen: the node has it now; else it is what a change would bring.
        gpu_uuid: of the whole GPU, whatever it is divided into.
    """

    gpu: str
    gpu_index: int
    partition: int
    index: int
    compute: str
    memory: str
    product: str | None = None
    xcds: int | None = None
    compute_units: int | None = None
    memory_bytes: int | None = None
    memory_domain: int | None = None
    numa_node: int | None = None
    render_node: str | None = None
    uuid: str | None = None
    seen: bool = False
    gpu_uuid: str | None = None
