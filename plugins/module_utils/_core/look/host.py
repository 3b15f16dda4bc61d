# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The part of a look that is about the machine around the GPUs. Read through shape.py."""

from __future__ import annotations

import dataclasses as dc

from .gpus import Link, Unknown


@dc.dataclass(frozen=True)
class PciDevice:
    """A GPU, or a bridge or switch port between it and the root complex, from config space and sysfs."""

    bdf: str
    vendor: str  # 1002
    device: str
    kind: str  # gpu, bridge, root_port
    above: str | None = None  # BDF of the bridge above, None below the root complex
    link: Link = dc.field(default_factory=Link)
    bars: tuple[int, ...] = ()  # sizes in bytes of the memory BARs that have an address, in order
    bars_unplaced: tuple[int, ...] = ()  # sizes of BARs that have none; -1: the size is not told
    acs: int | None = None  # ACS control register; None: no such capability (or unknown)
    atomics: int | None = None  # DevCap2: bits 6 routing, 7 32-bit, 8 64-bit completer, 9 128-bit
    atomics_requested: bool | None = None  # DevCtl2 bit 6
    aer_correctable: int | None = None  # sum of aer_dev_correctable
    aer_fatal: int | None = None  # sum of aer_dev_fatal and aer_dev_nonfatal


@dc.dataclass(frozen=True)
class RdmaPort:
    """One port of one RDMA device."""

    device: str  # mlx5_0
    port: int
    driver: str | None = None  # mlx5_core, bnxt_en, ionic
    link_layer: str | None = None  # InfiniBand, Ethernet
    state: str | None = None  # ACTIVE, DOWN
    physical: str | None = None  # LinkUp, Polling
    rate_gbps: int | None = None
    counters: dict[str, int] = dc.field(default_factory=dict)  # symbol_error, link_downed, link_error_recovery
    net_device: str | None = None


@dc.dataclass(frozen=True)
class Limits:
    """Limits of a daemon that starts jobs: slurmd, containerd, dockerd, kubelet, systemd itself."""

    process: str
    pid: int
    memlock_bytes: int | None = None  # soft; -1: unlimited
    open_files: int | None = None


@dc.dataclass(frozen=True)
class Clock:
    """The node's clock."""

    epoch: float  # seconds, when the look was taken
    synchronized: bool | None = None  # what the kernel says (adjtimex)
    booted: float | None = None  # seconds since the epoch, when this boot began


@dc.dataclass(frozen=True)
class Host:
    """What the platform and the operating system give the GPUs."""

    iommu_groups: int | None = None  # 0: no IOMMU in use
    iommu_types: tuple[str, ...] = ()  # of the GPUs' groups: identity, DMA, DMA-FQ
    devices: tuple[PciDevice, ...] = ()  # GPUs first, then what is above them
    cpu_vendor: str | None = None  # AuthenticAMD, GenuineIntel
    cpus: int | None = None
    memory_bytes: int | None = None
    numa_nodes: int | None = None
    numa_balancing: int | None = None
    transparent_hugepages: str | None = None  # always, madvise, never
    hugepages_bytes: int | None = None  # reserved, of all sizes
    sysctls: dict[str, int] = dc.field(default_factory=dict)  # vm.compaction_proactiveness, ...
    limits: tuple[Limits, ...] = ()
    drm_devices: dict[str, int] = dc.field(default_factory=dict)  # driver -> render and card nodes it has: amdgpu, ast
    drm_minors: int | None = None  # DRM minors in use of one kind (render), of 64 on old kernels
    kernel_config: dict[str, str] = dc.field(default_factory=dict)  # CONFIG_PCI_P2PDMA -> y, m, n
    loaded_modules: tuple[str, ...] = ()  # of those that matter: ast, vfio_pci, gim, amdkfd, ib_peer_mem...
    rdma: tuple[RdmaPort, ...] = ()
    clock: Clock | None = None
    lockdown: str | None = None  # none, integrity, confidentiality
    unknown: Unknown = dc.field(default_factory=dict)
