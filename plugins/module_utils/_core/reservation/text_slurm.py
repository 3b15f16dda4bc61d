# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What Slurm is told: the devices that it may give, and that jobs are kept from all others.

Devices of a tenant have its name in their type, for Slurm would give a job of one tenant the device of another, which
its user cannot open: --gres=gpu:mi300x_vision:2. One that several have is of all of their names, for it can be listed
but once. Windows change nothing here: Slurm reads the file when it starts.
source: gres.conf(5), cgroup.conf(5)
"""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..errors import FleetError
from ..partition.gres import Gres, gres
from ..partition.shape import DEVICES, LogicalDevice
from .shape import Device, Record
from .text_names import HEADER
from .text_slices import held

_CONSTRAIN = "ConstrainDevices"


@dc.dataclass(frozen=True)
class Slurm:
    """What a site has of Slurm.

    Attributes:
        gres: path of gres.conf; empty: it is not written.
        cgroup: path of cgroup.conf; empty: it is not written.
        parameters: what cgroup.conf says besides.
        cores: NUMA node to the cores near it, as Slurm numbers them.
    """

    gres: str = ""
    cgroup: str = ""
    parameters: t.Mapping[str, str] = dc.field(default_factory=dict)
    cores: t.Mapping[int, str] = dc.field(default_factory=dict)


def logical(devices: t.Sequence[Device], tenant: str = "") -> list[LogicalDevice]:
    """Devices as the package partition has them. The mode follows from how many a GPU is divided into."""
    modes = {count: mode for mode, count in DEVICES.items()}
    gpus = list(dict.fromkeys(device.gpu for device in devices))
    return [
        LogicalDevice(device.gpu, gpus.index(device.gpu), device.partition, index, modes.get(device.of, "CPX"), "",
                      " ".join(filter(None, (device.product or "amd", tenant))), compute_units=device.compute_units,
                      memory_bytes=device.memory_bytes, numa_node=device.numa_node, render_node=device.render_node,
                      uuid=device.uuid, seen=True)
        for index, device in enumerate(devices)]


def resources(record: Record, cores: t.Mapping[int, str]) -> Gres:
    """Devices of tenants that have accounts of Slurm, then those of the pool, as far as the node has them.

    Raises:
        FleetError: cores are not of their form, or two devices have one render node.
    """
    names: dict[Device, list[str]] = {device: [] for device in record.pool}
    for tenant in sorted(record.tenants, key=lambda one: one.name):
        for device in held(record, tenant.name) if tenant.slurm_accounts else ():
            names.setdefault(device, []).append(tenant.name)
    groups: dict[str, list[Device]] = {}
    for device, owners in names.items():
        if device.render_node:
            groups.setdefault(" ".join(owners), []).append(device)
    order = sorted(groups, key=lambda label: (not label, label))  # those of nobody last
    return gres([one for label in order for one in logical(groups[label], label)], cores)


def files(record: Record, slurm: Slurm) -> dict[str, str]:
    """Path of each file to its text.

    Raises:
        FleetError: as of ``resources``; or a parameter is the one that is written here.
    """
    found = {}
    if slurm.gres:
        lines = resources(record, slurm.cores).lines
        found[slurm.gres] = HEADER + "".join(f"{line}\n" for line in lines)
    if slurm.cgroup:
        if _CONSTRAIN.lower() in {name.lower() for name in slurm.parameters}:
            raise FleetError("gpu_reservation_slurm_parameters", f"have {_CONSTRAIN}, which is always yes", "remove it")
        lines = (f"{_CONSTRAIN}=yes", *(f"{name}={value}" for name, value in slurm.parameters.items()))
        found[slurm.cgroup] = HEADER + "".join(f"{line}\n" for line in lines)
    return found
