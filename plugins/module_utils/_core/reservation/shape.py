# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What reservations speak of: tenants, what they want of nodes, and which devices they hold."""

from __future__ import annotations

import dataclasses as dc

from ..rollout.shape import Window

# Production that serves and is never evicted; training that can resume; development, which goes first.
P0, P1, P2 = CLASSES = ("P0", "P1", "P2")
# How the GPUs of one reservation are linked: each with each by XGMI within one NUMA domain; apart is as good.
ALL_TO_ALL, ANY_LINK = LINKS = ("all_to_all", "any")
NODE, FLEET = SCOPES = ("node", "fleet")


@dc.dataclass(frozen=True)
class Checkpoint:
    """How a tenant's programs are told to save their state before they are ended.

    Attributes:
        command: words of a command that runs as root with INSTINCT_PIDS in its environment; none: a signal alone.
        signal: SIGUSR1; empty: none.
        seconds: how long saving may take.
    """

    command: tuple[str, ...] = ()
    signal: str = ""
    seconds: int = 0


@dc.dataclass(frozen=True)
class Tenant:
    """Who devices are for, by every name that a process can show.

    Attributes:
        name: also that of its systemd slice (tenant-<name>.slice) and group (gpu-<name>).
        users: of the node, who are members of its group.
        units: systemd units whose processes are the tenant's: vllm.service, user-1001.slice.
        slurm_accounts: of Slurm's jobs.
        namespaces: of Kubernetes' pods.
        container_label: value of the label org.instinct.tenant on its containers; empty: its name.
        checkpoint: how its programs save their state.
        protected: its jobs count as mixed precision: they are not evicted within the window of protection.
    """

    name: str
    users: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    slurm_accounts: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()
    container_label: str = ""
    checkpoint: Checkpoint = Checkpoint()
    protected: bool = False


@dc.dataclass(frozen=True)
class Wish:
    """One reservation as the inventory asks for it: exactly one of gpus, partitions and devices.

    Attributes:
        name: of the reservation, on a node.
        tenant: name of a tenant.
        priority: P0, P1 or P2.
        gpus: number of whole GPUs, with all of their partitions.
        partitions: number of logical devices.
        devices: exact ones, by id, PCI address of a GPU (all of its devices), or UUID. Never by index.
        memory_gib: that each device must have at least.
        link: all_to_all or any.
        one_numa: all devices are near one NUMA node of the host. all_to_all implies it.
        windows: when it holds; none: always.
        share: per cent of the compute units of each device, where it is shared; 100: the device is its own.
        memory_bandwidth: per cent, as readable intent alone: nothing in ROCm limits it. None: nothing is said.
        scope: node: this much on each node; fleet: this much over all nodes that ask for it under this name.
    """

    name: str
    tenant: str
    priority: str
    gpus: int | None = None
    partitions: int | None = None
    devices: tuple[str, ...] = ()
    memory_gib: int = 0
    link: str = ANY_LINK
    one_numa: bool = False
    windows: tuple[Window, ...] = ()
    share: int = 100
    memory_bandwidth: int | None = None
    scope: str = NODE


@dc.dataclass(frozen=True)
class Device:
    """One logical device: a whole GPU, or a partition of one.

    Attributes:
        id: 0000:05:00.0 for a whole GPU, 0000:05:00.0-3 for a partition. What the record names.
        gpu: PCI address of the GPU.
        partition: its number on the GPU.
        of: how many devices the GPU is divided into; 1 for a whole one.
        product: MI300X.
        uuid: as the look has it; None where it is unknown.
        rocr_uuid: GPU-<16 hex digits>, as ROCR_VISIBLE_DEVICES takes it; None where it is unknown, and where another
            device of the node has the same: partitions may have that of their GPU.
        render_node: /dev/dri/renderD128; None where it is unknown, and such a device is given to nobody.
        numa_node: of the host; None where it is unknown or there is but one.
        near_cpus: "0-15,64-79", as Linux numbers those near the GPU; None where unknown.
        memory_bytes: that it has; None where unknown.
        compute_units: that it has; None where unknown.
        peers: PCI addresses of GPUs that its GPU has a direct XGMI link to; None where the links are unknown.
    """

    id: str
    gpu: str
    partition: int = 0
    of: int = 1
    product: str | None = None
    uuid: str | None = None
    rocr_uuid: str | None = None
    render_node: str | None = None
    numa_node: int | None = None
    near_cpus: str | None = None
    memory_bytes: int | None = None
    compute_units: int | None = None
    peers: tuple[str, ...] | None = None


@dc.dataclass(frozen=True)
class Grant:
    """A wish and the devices that it was given, in PCI order and by partition.

    Attributes:
        units: where devices are shared, the compute units of each, in their order, that the share is: 0-75,152-227;
            empty for one of which they are unknown.
    """

    wish: Wish
    devices: tuple[Device, ...]
    units: tuple[str, ...] = ()


@dc.dataclass(frozen=True)
class Record:
    """What a node was told: /var/lib/instinct/reservation.json.

    Attributes:
        tenants: by name, of every grant.
        grants: by name of the reservation.
        spares: devices that are kept out of all work, so that one can step in.
        pool: devices that nobody has reserved: open to every member of the render group.
    """

    tenants: tuple[Tenant, ...] = ()
    grants: tuple[Grant, ...] = ()
    spares: tuple[Device, ...] = ()
    pool: tuple[Device, ...] = ()
