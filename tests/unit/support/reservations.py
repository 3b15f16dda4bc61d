# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes and wishes for tests of reservations."""

from __future__ import annotations

import typing as t

from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.demand import Demand
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.shape import Device, Record, Tenant, Wish

BUSES = ("05", "26", "46", "65", "85", "a6", "c6", "e5")
BDFS = tuple(f"0000:{bus}:00.0" for bus in BUSES)
GIB = 1 << 30
TENANTS = (Tenant("chat"), Tenant("train"), Tenant("dev"))


def node(gpus: int = 8, *, of: int = 1, island: int = 8, near: int = 4, gib: int = 192, units: int = 304) -> tuple[Device, ...]:
    """Devices of a node: islands of GPUs that are all linked, so many GPUs near one NUMA node, each divided or not."""
    return tuple(
        Device(BDFS[gpu] if of == 1 else f"{BDFS[gpu]}-{part}", BDFS[gpu], part, of, "MI300X", f"UUID-{gpu}-{part}",
               f"GPU-{gpu}{part}", f"/dev/dri/renderD{128 + 8 * gpu + part}", gpu // near, f"{48 * (gpu // near)}-47",
               gib * GIB // of - 1000, units // of,
               tuple(BDFS[peer] for peer in range(gpus) if peer != gpu and peer // island == gpu // island))
        for gpu in range(gpus) for part in range(of))


MI300X = node()  # 8 GPUs, each linked with each, 4 near each of 2 NUMA nodes
MI100 = node(island=4, gib=32, units=120)  # two islands of 4
CPX = node(2, of=8)  # 2 GPUs in 8 partitions each


def wish(name: str, tenant: str = "chat", priority: str = "P1", **how: t.Any) -> Wish:
    return Wish(name, tenant, priority, **how)


def demand(devices: tuple[Device, ...] = MI300X, *wishes: Wish, spares: int | None = 0, before: Record | None = None,
           name: str = "node") -> Demand:
    return Demand(name, devices, TENANTS, wishes, spares, before)


def ids(devices: t.Iterable[Device]) -> str:
    """Buses of devices, and their partitions: 05 26-3."""
    return " ".join(device.id.replace("0000:", "").replace(":00.0", "") for device in devices)


def shown(record: Record) -> dict[str, str]:
    """Who has what."""
    return {**{grant.wish.name: ids(grant.devices) for grant in record.grants}, "spare": ids(record.spares), "pool": ids(record.pool)}
