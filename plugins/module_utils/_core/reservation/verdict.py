# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Who holds each device against who may."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..findings import Cause, Finding
from ..plan import grid
from . import text_now, verdict_tenant
from .shape import Device, Record
from .verdict_holder import Held, Hold, Holder
from .verdict_tenant import Whose

# Best first. A device that nobody reserved is anybody's; what cannot be told is never fine.
OK, UNRESERVED, UNKNOWN, TRESPASS = VERDICTS = ("ok", "unreserved", "unknown", "trespass")
RESERVED, SPARE, POOL, UNLISTED = "reserved", "spare", "pool", "unlisted"
_CAUSE = Cause(
    "a process holds a device that is reserved for others: their latency and memory are no longer what they reserved",
    "end it where it was started, or free the device with gpu_evict; then let reserve.yml prove who can open it")


@dc.dataclass(frozen=True)
class Use:
    """One process on one device. ``why``: what is wrong, or says whose it is."""

    holder: Holder
    hold: Hold
    whose: Whose
    verdict: str
    why: str


@dc.dataclass(frozen=True)
class Verdict:
    """One device.

    Attributes:
        device: as the node has it now, or as the record has it if it is gone.
        state: reserved, spare, pool, or unlisted where the record does not know it.
        reservations: whose time it is now, by name.
        tenants: who may use it.
        priority: the highest class among the reservations; empty where there is none.
        uses: the processes that hold it.
        verdict: one of VERDICTS.
        why: in one sentence; empty where all is well.
    """

    device: Device
    state: str
    reservations: tuple[str, ...] = ()
    tenants: tuple[str, ...] = ()
    priority: str = ""
    uses: tuple[Use, ...] = ()
    verdict: str = OK
    why: str = ""


def judge(now: Record, devices: t.Sequence[Device], held: Held) -> tuple[Verdict, ...]:
    """Every device of the node, and those of the record that are gone.

    Args:
        now: what of the record holds at this moment.
        devices: that the node has.
        held: by which processes.
    """
    seen = {device.id for device in devices}
    states = {**{device.id: POOL for device in now.pool}, **{device.id: SPARE for device in now.spares},
              **{device.id: RESERVED for grant in now.grants for device in grant.devices}}
    found = tuple(_device(one, states.get(one.id, UNLISTED), now, held) for one in devices)
    return (*found, *(_gone(device) for device in text_now.devices_of(now) if device.id not in seen))


def _gone(device: Device) -> Verdict:
    return Verdict(device, UNLISTED, verdict=UNKNOWN, why="the record has it, and the node does not")


def _device(device: Device, state: str, now: Record, held: Held) -> Verdict:
    grants = [grant for grant in now.grants if device.id in {one.id for one in grant.devices}]
    may = tuple(dict.fromkeys(grant.wish.tenant for grant in grants))
    uses = tuple(
        _use(holder, hold, verdict_tenant.whose(holder, now.tenants), state, may)
        for holder in held.holders for hold in holder.holds if hold.device == device.id and hold.real)
    verdict = max((use.verdict for use in uses), key=VERDICTS.index, default=OK)
    why = next((use.why for use in uses if use.verdict == verdict), "") if verdict != OK else ""
    if verdict != TRESPASS and "processes" in held.unknown:
        verdict, why = UNKNOWN, held.unknown["processes"]
    names = tuple(grant.wish.name for grant in grants)
    priority = min((grant.wish.priority for grant in grants), default="")
    return Verdict(device, state, names, may, priority, uses, verdict, why)


def _use(holder: Holder, hold: Hold, whose: Whose, state: str, may: t.Sequence[str]) -> Use:
    if state in (POOL, UNLISTED):
        return Use(holder, hold, whose, UNRESERVED, "nobody has reserved it")
    if set(whose.tenants) & set(may):
        mine = tuple(tenant for tenant in whose.tenants if tenant in may)
        return Use(holder, hold, dc.replace(whose, tenants=mine), OK, whose.by)
    if may and whose.unsure:
        return Use(holder, hold, whose, UNKNOWN, f"whose pid {holder.pid} is cannot be told: {whose.unsure}")
    owner = f"tenant {', '.join(whose.tenants)} ({whose.by})" if whose.tenants else "no tenant"
    kept = f"reserved for {', '.join(may)}" if may else "a spare"
    return Use(holder, hold, whose, TRESPASS, f"pid {holder.pid} is of {owner}, and the device is {kept}")


def findings(verdicts: t.Iterable[Verdict]) -> tuple[Finding, ...]:
    """One for each device that is held by others than it is for, with their tenants."""
    return tuple(_finding(item) for item in verdicts if item.verdict == TRESPASS)


def _finding(item: Verdict) -> Finding:
    wrong = [use for use in item.uses if use.verdict == TRESPASS]
    owners = sorted({f"tenant {tenant}" for use in wrong for tenant in use.whose.tenants}
                    | {"no tenant" for use in wrong if not use.whose.tenants})
    many = f"{len(wrong)} processes" if len(wrong) > 1 else f"pid {wrong[0].holder.pid}"
    kept = f"reserved for tenant {', '.join(item.tenants)} ({item.priority})" if item.tenants else "a spare"
    return Finding(
        "reservation-trespass", "reservation", "error", "workload", item.device.id,
        f"{many} of {', '.join(owners)} {'hold' if len(wrong) > 1 else 'holds'} it, and it is {kept}", _CAUSE,
        tuple(grid.plain(f"pid {use.holder.pid} ({use.holder.command or 'gone'}), {use.whose.by or 'of nobody'}")
              for use in wrong), len(wrong))
