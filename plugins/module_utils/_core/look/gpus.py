# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The part of a look that is about GPUs. Read through shape.py, which has the whole."""

from __future__ import annotations

import dataclasses as dc

Unknown = dict[str, str]

# Why the link of a GPU is unknown that fell off the bus.
OFF_THE_BUS = "the GPU does not answer on the bus: it reads as all ones"


@dc.dataclass(frozen=True)
class Smi:
    """Which GPU library answered, and whether binding and library belong together."""

    source: str = "none"  # amdsmi, sysfs, none
    binding_path: str | None = None
    binding_version: str | None = None
    library_path: str | None = None
    library_version: str | None = None
    mismatch: bool | None = None
    simulated: bool = False
    error: str | None = None  # why amdsmi did not answer
    unknown: Unknown = dc.field(default_factory=dict)


@dc.dataclass(frozen=True)
class Partition:
    """One logical device of a GPU."""

    id: int
    render_node: str | None = None  # /dev/dri/renderD128
    uuid: str | None = None
    kfd_node: int | None = None
    kfd_id: int | None = None
    rocr_uuid: str | None = None  # GPU-<16 hex digits>, as ROCR_VISIBLE_DEVICES takes it; partitions may share one


@dc.dataclass(frozen=True)
class Link:
    """PCIe link as trained now and as it could be. Widths in lanes, speeds in MT/s."""

    width: int | None = None
    max_width: int | None = None
    speed_mts: int | None = None
    max_speed_mts: int | None = None


@dc.dataclass(frozen=True)
class Errors:
    """Error counters since boot; one GPU, all blocks."""

    correctable: int | None = None
    uncorrectable: int | None = None
    deferred: int | None = None
    bad_pages: int | None = None
    xgmi_error: int | None = None  # 0 none, 1 one, 2 several


@dc.dataclass(frozen=True)
class Gpu:
    """One physical GPU. Numbers carry their unit in the name."""

    index: int  # in PCI order
    bdf: str  # 0000:05:00.0
    device_id: str  # 74a1
    product: str | None = None  # MI300X, from the catalogue's PCI ids as given, else the market name
    market_name: str | None = None
    virtual_function: bool | None = None
    uuid: str | None = None
    serial: str | None = None
    numa_node: int | None = None
    vram_bytes: int | None = None
    compute_partition: str | None = None
    available_compute: tuple[str, ...] = ()
    memory_partition: str | None = None
    available_memory: tuple[str, ...] = ()
    partitions: tuple[Partition, ...] = ()
    xgmi_hive_id: str | None = None
    pcie: Link = Link()
    errors: Errors = Errors()
    temperature_hotspot_c: int | None = None
    temperature_memory_c: int | None = None
    power_cap_w: int | None = None
    driver: str | None = None  # driver bound in sysfs: amdgpu, vfio-pci, None
    near_cpus: str | None = None  # 0-15,64-79: CPUs near it, as Linux lists them
    xgmi_peers: tuple[str, ...] | None = None  # BDFs of GPUs that it has a direct XGMI link to


@dc.dataclass(frozen=True)
class Gpus:
    """All AMD accelerators on the PCI bus, bound or not."""

    gpus: tuple[Gpu, ...] = ()
    unknown: Unknown = dc.field(default_factory=dict)


@dc.dataclass(frozen=True)
class DeviceNode:
    """One device node. ``mode`` is octal text: 0660."""

    path: str
    kind: str  # kfd, render, card
    owner: str
    group: str
    gid: int
    mode: str
    bdf: str | None = None


@dc.dataclass(frozen=True)
class Devices:
    """Device nodes of the driver, and the group that should own them."""

    nodes: tuple[DeviceNode, ...] = ()
    groups: dict[str, int] = dc.field(default_factory=dict)  # every local group -> gid
    displays: int | None = None  # DRM devices that are not of these GPUs; each takes one of DRM's minors
    unknown: Unknown = dc.field(default_factory=dict)


@dc.dataclass(frozen=True)
class Process:
    """A process that KFD knows, with its unit or container where cgroups tell."""

    pid: int
    command: str | None = None
    user: str | None = None
    unit: str | None = None
    gpus: tuple[str, ...] = ()  # BDFs
    vram_bytes: int | None = None
    state: str | None = None  # letter of proc(5): Z ended, and nobody waited for it; D waits for a device


@dc.dataclass(frozen=True)
class Processes:
    """Processes on GPUs, from KFD's own list."""

    processes: tuple[Process, ...] = ()
    unknown: Unknown = dc.field(default_factory=dict)
