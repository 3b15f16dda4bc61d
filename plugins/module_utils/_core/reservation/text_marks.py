# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What each setting is worth: enforced by the kernel, kept by programs that cooperate, or meant and no more."""

from __future__ import annotations

import dataclasses as dc

from .shape import Record
from .text_env import MASK, UNMASKED, VISIBLE, masked, variables
from .text_intent import FILTER, QUALITY
from .text_set import Settings
from .text_slices import held, near

ENFORCING, COOPERATIVE, INTENT = "enforcing", "cooperative", "intent"
_BOUND = {"CPUs": "AllowedCPUs=", "memory": "AllowedMemoryNodes="}


@dc.dataclass(frozen=True)
class Setting:
    """Attributes: of which tenant (empty: of the node), what, its mark, and how it acts or why it does not."""

    tenant: str
    what: str
    mark: str
    how: str


@dc.dataclass(frozen=True)
class Facts:
    """What a node was seen to have; what was not seen counts as not there.

    Attributes:
        policies: systemd can keep processes to devices: the node has cgroups for that and is no container.
        cpusets: it can keep them to CPUs and memory: cgroup v2 with cpusets, and the node is no container.
        constrains: Slurm's TaskPlugin has task/cgroup.
    """

    policies: bool = False
    cpusets: bool = False
    constrains: bool = False


def marks(record: Record, settings: Settings, facts: Facts) -> tuple[Setting, ...]:
    """Every setting of a record that holds now."""
    found = [Setting("", "/dev/kfd", ENFORCING, "root:render 0660: strangers do not reach KFD")]
    if record.pool and (record.grants or record.spares):
        found.append(Setting("", "pool", INTENT, "the group render may open it, but ROCm starts for nobody who has no "
                             "device policy: it gives up at a GPU of others that KFD shows"))
    for tenant in record.tenants:
        found += _of_tenant(record, tenant.name, settings, facts)
        found += [_policy(tenant.name, what, facts)
                  for what, there in (("logins", tenant.users), ("units", tenant.units)) if there]
    for grant in record.grants:
        if grant.wish.share < 100 and not masked(record, grant):
            found.append(Setting(grant.wish.tenant, f"share of {grant.wish.name}", INTENT, UNMASKED))
        if grant.wish.memory_bandwidth is not None:
            found.append(Setting(grant.wish.tenant, f"memory_bandwidth of {grant.wish.name}", INTENT,
                                 "nothing in ROCm limits the memory bandwidth of a process"))
    found += [Setting("", name, INTENT, "for people: no program reads it") for name in (FILTER, QUALITY)]
    if settings.cdi:
        found.append(Setting("", "CDI", COOPERATIVE, "who starts a container names the tenant; an engine of root keeps "
                             "the container to its devices, one without root cannot"))
    if settings.slurm.gres or settings.slurm.cgroup:
        kept = settings.slurm.cgroup and facts.constrains
        found.append(Setting("", "Slurm", ENFORCING if kept else INTENT, "ConstrainDevices with task/cgroup" if kept
                             else "no task/cgroup was seen in slurm.conf, or cgroup.conf is not written here"))
    if any(tenant.namespaces for tenant in record.tenants):
        found.append(Setting("", "Kubernetes", INTENT, "AMD's device plugin knows no tenants"))
    return tuple(found)


def _of_tenant(record: Record, tenant: str, settings: Settings, facts: Facts) -> list[Setting]:
    found = [
        Setting(tenant, "device nodes", ENFORCING, "the group of each, or its list"),
        Setting(tenant, "memlock", COOPERATIVE, "pam_limits sets it at login"),
        _policy(tenant, "slice", facts),
    ]
    devices = held(record, tenant)
    lines = near(devices, settings.bounds)
    for what, key in _BOUND.items() if settings.bounds.bind and devices else ():
        if not any(line.startswith(key) for line in lines):
            found.append(Setting(tenant, what, INTENT, "not bound: those near its devices are not all known"))
        elif facts.cpusets:
            found.append(Setting(tenant, what, ENFORCING, "those near its devices, for its slice, logins and units"))
        else:
            found.append(Setting(tenant, what, INTENT, "written, but no cgroup v2 with cpusets was seen"))
    named = variables(record, tenant)
    found.append(Setting(tenant, VISIBLE, COOPERATIVE if named else INTENT,
                         "ROCr reads it" if named else "not written: not each device has a name of its own"))
    if MASK in named:
        found.append(Setting(tenant, MASK, COOPERATIVE, "ROCr reads it; memory is shared"))
    return found


def _policy(tenant: str, what: str, facts: Facts) -> Setting:
    if facts.policies:
        return Setting(tenant, what, ENFORCING, "a device policy, for what runs in it")
    return Setting(tenant, what, INTENT, "a device policy is written, but systemd cannot keep to it on this node")
