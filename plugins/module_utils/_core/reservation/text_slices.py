# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What systemd is told: a slice for each tenant, what its services and the logins of its users may open, and limits.

A policy holds from the next daemon-reload on, for what runs as well; what is open stays open.
source: systemd.resource-control(5), systemd.exec(5), systemd.unit(5), limits.conf(5); systemd src/core/unit-serialize.c
"""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..errors import FleetError
from .shape import Device, Record, Tenant
from .text_names import DROP_IN, HEADER, KFD, RENDER, SERVICE, UNITS, environment_file, group, slice_of
from .text_now import place

LIMITS = "/etc/security/limits.d/72-instinct-reservation.conf"


@dc.dataclass(frozen=True)
class Bounds:
    """What slices of a site have besides.

    Attributes:
        besides: devices that every tenant may open, as DeviceAllow= names them: /dev/fuse, char-infiniband_verbs.
        bind: whether tenants are kept to the CPUs and the memory near their devices.
    """

    besides: tuple[str, ...] = ()
    bind: bool = True


def held(record: Record, tenant: str) -> tuple[Device, ...]:
    """The devices of a tenant, in PCI order and by partition."""
    found = {device.id: device for grant in record.grants if grant.wish.tenant == tenant for device in grant.devices}
    return tuple(sorted(found.values(), key=place))


def slices(
    record: Record, bounds: Bounds, uids: t.Mapping[str, int], left: t.Iterable[int] = (),
) -> dict[str, str]:
    """Path of each file to its text.

    Args:
        record: what holds now.
        bounds: what slices have besides.
        uids: of the users of tenants.
        left: uids whose logins still have a group of a tenant that they have left.

    Raises:
        FleetError: a unit of a tenant is the login of a user of another.
    """
    files: dict[str, str] = {}
    users: dict[str, set[Device]] = {}
    for tenant in record.tenants:
        devices = held(record, tenant.name)
        policy = _policy(devices, bounds)
        kept = [*policy, *near(devices, bounds)]
        files[f"{UNITS}/{slice_of(tenant.name)}"] = _text(
            [f"[Unit]\nDescription=GPUs of tenant {tenant.name}\n\n[Slice]", *kept])
        for name in tenant.units:
            kind = name.rpartition(".")[2]
            lines = _service(tenant, policy) if kind == "service" else [f"[{kind.capitalize()}]", *kept]
            files[f"{UNITS}/{name}.d/{DROP_IN}"] = _text(lines)
        for user in tenant.users:
            users.setdefault(user, set()).update(devices)
    nothing: dict[int, set[Device]] = {uid: set() for uid in left}
    logins = nothing | {uids[user]: every for user, every in users.items() if user in uids}
    _refuse_logins(record, uids)
    for uid, every in logins.items():  # who may open the devices of all of its tenants, and those of nobody
        policy = _policy(sorted({*every, *record.pool}, key=place), bounds)
        bound = near(sorted(every, key=place), bounds)
        files[f"{UNITS}/user-{uid}.slice.d/{DROP_IN}"] = _text(["[Slice]", *policy, *bound])
    return files


def _refuse_logins(record: Record, uids: t.Mapping[str, int]) -> None:
    logins = {f"user-{uid}.slice": user for user, uid in uids.items()}
    for tenant in record.tenants:
        for unit in tenant.units:
            if unit in logins and logins[unit] not in tenant.users:
                raise FleetError(f"unit {unit} of tenant {tenant.name}",
                                 f"is the login of {logins[unit]}, who is of another",
                                 "name the user in that tenant as well, or leave out the unit")


def _policy(devices: t.Iterable[Device], bounds: Bounds) -> list[str]:
    nodes = [device.render_node for device in devices if device.render_node]
    allowed = [*([KFD] if nodes else []), *nodes]
    # An empty one takes back what a vendor's unit allows.
    return ["DevicePolicy=closed", "DeviceAllow=", *(f"DeviceAllow={name} rw" for name in (*allowed, *bounds.besides))]


def near(devices: t.Sequence[Device], bounds: Bounds) -> list[str]:
    """CPUs and memory near the devices. Where one is unknown nothing is said: a guess may be wrong."""
    if not (bounds.bind and devices):
        return []
    cpus = [device.near_cpus for device in devices]
    nodes = [device.numa_node for device in devices]
    lines = []
    if all(cpus):
        lines.append("AllowedCPUs=" + " ".join(dict.fromkeys(str(one) for one in cpus)))
    if None not in nodes:
        lines.append("AllowedMemoryNodes=" + " ".join(map(str, sorted({one for one in nodes if one is not None}))))
    return lines


def _service(tenant: Tenant, policy: t.Sequence[str]) -> list[str]:
    """CPUs and memory are those of its slice. Its user need be no member of the groups."""
    return [f"[Unit]\nAfter={SERVICE}\n", "[Service]", *policy, f"Slice={slice_of(tenant.name)}",
            f"SupplementaryGroups={group(tenant.name)} {RENDER}", "LimitMEMLOCK=infinity",
            f"EnvironmentFile=-{environment_file(tenant.name)}"]


def limits(record: Record) -> dict[str, str]:
    """Memory that users may lock, which registering it for GPUs and RDMA takes."""
    lines = [f"@{group(tenant.name)} - memlock unlimited" for tenant in record.tenants]
    return {LIMITS: _text(lines)} if lines else {}


def _text(lines: t.Sequence[str]) -> str:
    return HEADER + "\n".join(lines) + "\n"
