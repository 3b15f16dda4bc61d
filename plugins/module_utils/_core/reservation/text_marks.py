# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What each setting is worth: enforced by the kernel, kept by programs that cooperate, or meant and no more."""

from __future__ import annotations

import dataclasses as dc

from .shape import Record
from .text_env import MASK, UNMASKED, VISIBLE, mask, masked
from .text_slices import held
from .text_slurm import Slurm

ENFORCING, COOPERATIVE, INTENT = "enforcing", "cooperative", "intent"


@dc.dataclass(frozen=True)
class Setting:
    """Attributes: of which tenant (empty: of the node), what, its mark, and how it acts or why it does not."""

    tenant: str
    what: str
    mark: str
    how: str


def marks(record: Record, slurm: Slurm, bind: bool) -> tuple[Setting, ...]:
    """Every setting of a record that holds now."""
    found = [Setting("", "/dev/kfd", ENFORCING, "root:render 0660: strangers do not reach KFD")]
    for tenant in record.tenants:
        devices = held(record, tenant.name)
        found += [
            Setting(tenant.name, "device nodes", ENFORCING, "the group of each, or its list"),
            Setting(tenant.name, "slice", ENFORCING, "its device policy, for what runs in it"),
        ]
        if bind and devices and all(device.near_cpus and device.numa_node is not None for device in devices):
            found.append(Setting(tenant.name, "CPUs and memory", ENFORCING, "of the slice: those near its devices"))
        elif bind and devices:
            found.append(Setting(tenant.name, "CPUs and memory", INTENT, "not bound: not all are known"))
        visible = devices and all(device.rocr_uuid for device in devices)
        found.append(Setting(tenant.name, VISIBLE, COOPERATIVE if visible else INTENT,
                             "ROCr reads it" if visible else "not written: not each device has a name of its own"))
        if mask(record, tenant.name):
            found.append(Setting(tenant.name, MASK, COOPERATIVE, "ROCr reads it; memory is shared"))
    for grant in record.grants:
        if grant.wish.share < 100 and not masked(grant):
            found.append(Setting(grant.wish.tenant, f"share of {grant.wish.name}", INTENT, UNMASKED))
        if grant.wish.memory_bandwidth is not None:
            found.append(Setting(grant.wish.tenant, f"memory_bandwidth of {grant.wish.name}", INTENT,
                                 "nothing in ROCm limits the memory bandwidth of a process"))
    if slurm.gres or slurm.cgroup:
        found.append(Setting("", "Slurm", ENFORCING, "where TaskPlugin has task/cgroup"))
    if any(tenant.namespaces for tenant in record.tenants):
        found.append(Setting("", "Kubernetes", INTENT, "AMD's device plugin knows no tenants"))
    return tuple(found)
