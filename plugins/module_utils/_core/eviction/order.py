# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Who goes, in which order, and who stays: decided before the first signal."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..errors import FleetError
from ..reservation.shape import CLASSES, P0, P2, Checkpoint, Record, Tenant
from .protection import left
from .shape import ENDED, EVERYBODY, EVICTABLE, UNTOUCHABLE, Holder, Kept, Plan, Request, Rules, Target, Wave
from .wording import named

# Those who have reserved nothing go before everybody, then P2, then P1.
_STRANGERS = "nobody's"
_ORDER = (_STRANGERS, *reversed(EVICTABLE))
# With which programs can be told to save their state.
_SAVING = ("SIGUSR1", "SIGUSR2", "SIGHUP", "SIGINT", "SIGTERM", "SIGURG", "SIGWINCH")


def refuse_classes(classes: t.Sequence[str], grace: t.Iterable[str]) -> None:
    """Refuse classes that are never evicted.

    Raises:
        FleetError: P0 is among them.
    """
    for where, words in (("classes", classes), ("grace", grace)):
        for word in words:
            if word not in EVICTABLE:
                what = f"has {word}, which is never evicted" if word == P0 else f"has {word!r}, which is no class"
                raise FleetError(where, what, f"choose of {', '.join(EVICTABLE)}")


def plan(request: Request, holders: t.Sequence[Holder], record: Record, rules: Rules,
         recognised: t.Collection[str] = ()) -> Plan:
    """Order those that hold the devices.

    Args:
        request: what may be done.
        holders: of any device of the node.
        record: who has reserved what.
        rules: the numbers.
        recognised: ids of devices whose samples show a mixed precision job.

    Raises:
        FleetError: one of them is of class P0, or is told to save its state by what is no signal for that. Nobody was
            signalled.
    """
    there = [one for one in holders if set(one.devices) & set(request.devices)]
    there = [one for one in there if request.whom == EVERYBODY or one.state == ENDED or one.unknown
             or one.trespasses & set(request.devices)]
    tenants = {tenant.name: tenant for tenant in record.tenants}
    kept, waves = [], {name: list[Target]() for name in _ORDER}
    for one in sorted(there, key=lambda holder: holder.pid):
        if one.state == ENDED:
            continue
        tenant, priority = tenants.get(one.tenant or ""), _class(one, record)
        reason = _reason(one, priority, request) or _protected(one, holders, tenant, request, rules, recognised)
        if reason:
            kept.append(Kept(one, reason))
        else:
            waves[priority or _STRANGERS].append(Target(one, priority or P2, _checkpoint(tenant)))
    return Plan(
        tuple(Wave(name, tuple(waves[name]), _grace(P2 if name == _STRANGERS else name, request, rules))
              for name in _ORDER if waves[name]),
        tuple(kept), tuple(one for one in there if one.state == ENDED))


def heirs(wave: Wave, holders: t.Iterable[Holder], known: t.Collection[tuple[int, int | None]],
          devices: t.Collection[str], record: Record) -> tuple[Target, ...]:
    """Processes that hold the devices by now and came out of those of a wave: of their process group, begun later.

    ``known``: pid and start of those that were seen before.
    """
    parents = {target.holder.group: target for target in reversed(wave.targets) if target.holder.group is not None}
    return tuple(
        dc.replace(parents[one.group], holder=one) for one in holders
        if one.group in parents and (one.pid, one.start) not in known and set(one.devices) & set(devices)
        and _same(one, parents[one.group], record))


def _same(holder: Holder, target: Target, record: Record) -> bool:
    """Whether a process is whose another one is, of its class, and can be signalled."""
    one = target.holder
    return ((holder.user, holder.tenant, holder.unknown, holder.state) == (one.user, one.tenant, "", "")
            and (_class(holder, record) or P2) == target.priority)


def still(wave: Wave, holders: t.Iterable[Holder], devices: t.Collection[str]) -> tuple[Target, ...]:
    """Those of a wave that hold one of the devices to this day: who has let go of them need not end."""
    there = {(one.pid, one.start) for one in holders if set(one.devices) & set(devices)}
    return tuple(target for target in wave.targets if (target.holder.pid, target.holder.start) in there)


def _class(holder: Holder, record: Record) -> str | None:
    """The class of a process: the highest that its tenants have for what it holds, or else for anything here."""
    grants = [grant for grant in record.grants if grant.wish.tenant in (holder.tenant, *holder.tenants)]
    covering = [grant for grant in grants if any(device.id in holder.devices for device in grant.devices)]
    return min((grant.wish.priority for grant in covering or grants), key=CLASSES.index, default=None)


def _checkpoint(tenant: Tenant | None) -> Checkpoint:
    how = tenant.checkpoint if tenant else Checkpoint()
    if tenant and not how.command and how.signal and how.signal not in _SAVING:
        hint = f"choose of {', '.join(_SAVING)}"
        raise FleetError(f"tenant {tenant.name}", f"saves its state with {how.signal}", hint)
    return how


def _reason(holder: Holder, priority: str | None, request: Request) -> str:
    """Why a process stays that may not be evicted; empty if it may."""
    if priority == P0:
        where = "device " + ", ".join(sorted(set(holder.devices) & set(request.devices)))
        hint = "choose other devices" + (", or whom=trespassers" if request.whom == EVERYBODY else "")
        raise FleetError(where, f"is held by {named(holder)}, and class P0 is never evicted", hint)
    if holder.state == UNTOUCHABLE:
        return "it is of the system, or runs this eviction"
    if holder.unknown or holder.start is None:
        return f"whose it is is unknown: {holder.unknown or 'when it began cannot be read'}"
    if (priority or P2) not in request.classes:
        return f"class {priority or P2} is not among those that may be evicted"
    return ""


def _protected(holder: Holder, holders: t.Sequence[Holder], tenant: Tenant | None, request: Request, rules: Rules,
               recognised: t.Collection[str]) -> str:
    """Why a mixed precision job stays; empty if it does not."""
    flagged = tenant is not None and tenant.protected
    if not request.protection or not (flagged or set(holder.devices) & set(recognised)):
        return ""
    seconds = left(holder, holders, rules)
    if seconds == 0:
        return ""
    why = "its tenant is protected" if flagged else "its samples show it"
    return f"it is a mixed precision job ({why}), left alone for " + (
        "a time that is unknown" if seconds is None else f"{seconds} s more")


def _grace(priority: str, request: Request, rules: Rules) -> int:
    given = request.grace.get(priority)
    return rules.grace(priority) if given is None else given
