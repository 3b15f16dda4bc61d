# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Groups as reservations need them: what must be done for the render group, and for one of each tenant.

A tenant's group has exactly the tenant's users, so who leaves the tenant leaves its devices at the next login. Of the
render group others may be members too: out of it go those alone who were brought in here. A group is emptied and never
removed, for its number would go to another tenant, while logins and files of old still have it.
"""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..errors import FleetError
from .shape import Record
from .text_names import RENDER, group


@dc.dataclass(frozen=True)
class Seen:
    """What a node has.

    Attributes:
        groups: by name, with number and members.
        uids: of the users asked for that it knows.
        primary: number of a group to the users whose primary group it is.
        logins: uid to the numbers of all groups that processes of its login have.
    """

    groups: t.Mapping[str, tuple[int, tuple[str, ...]]]
    uids: t.Mapping[str, int]
    primary: t.Mapping[int, tuple[str, ...]] = dc.field(default_factory=dict)
    logins: t.Mapping[int, frozenset[int]] = dc.field(default_factory=dict)


@dc.dataclass(frozen=True)
class Step:
    """Attributes: what is done, in words, and the command that does it."""

    words: str
    argv: tuple[str, ...]


def users(record: Record) -> tuple[str, ...]:
    """Users of all tenants."""
    return tuple(sorted({user for tenant in record.tenants for user in tenant.users}))


def unknown(record: Record, seen: Seen) -> tuple[str, ...]:
    """Users of tenants that the node does not know, or does not know now."""
    return tuple(user for user in users(record) if user not in seen.uids)


def refuse(record: Record, seen: Seen, ours: t.Container[str]) -> None:
    """Refuse tenants that cannot be had.

    Args:
        record: whose tenants.
        seen: what the node has.
        ours: groups that the last set brought.

    Raises:
        FleetError: a user does not exist, or others have the group of a tenant.
    """
    for tenant in record.tenants:
        for user in tenant.users:
            if user not in seen.uids:
                raise FleetError(f"user {user} of tenant {tenant.name}", "does not exist on the node",
                                 "create it first, or take it out of gpu_reservation_tenants")
        gid, members = seen.groups.get(group(tenant.name), (None, ()))
        primary = () if gid is None else seen.primary.get(gid, ())
        others = sorted({*primary, *(() if group(tenant.name) in ours else members)} - set(tenant.users))
        if others:
            raise FleetError(f"group {group(tenant.name)}", f"is that of {others[0]} too, who is no user of the tenant",
                             "take them out of it, or give the tenant another name")


def making(record: Record, seen: Seen, render_gid: int | None) -> tuple[Step, ...]:
    """What makes groups, in order.

    Args:
        record: whose tenants have groups.
        seen: what the node has.
        render_gid: what the number of the render group should be; None: what it is.

    Raises:
        FleetError: another group has the number.
    """
    names = (group(tenant.name) for tenant in record.tenants)
    return (*_render(seen, render_gid), *(Step(f"create group {name}", ("groupadd", "--system", name))
                                          for name in names if name not in seen.groups))


def joining(record: Record, seen: Seen) -> tuple[Step, ...]:
    """What brings users that the node knows into their groups."""
    wanted = {RENDER: users(record), **{group(tenant.name): tenant.users for tenant in record.tenants}}
    return tuple(Step(f"add {user} to group {name}", ("gpasswd", "--add", user, name))
                 for name, those in wanted.items() for user in sorted(those)
                 if user in seen.uids and user not in _members(seen, name))


def _render(seen: Seen, gid: int | None) -> list[Step]:
    number = [] if gid is None else ["--gid", str(gid)]
    there = seen.groups.get(RENDER)
    if gid is not None:
        for other, (taken, _of_it) in seen.groups.items():
            if taken == gid and other != RENDER:
                raise FleetError("gpu_reservation_render_gid", f"{gid} is the number of group {other} on this node",
                                 "choose one that is free on all nodes")
    if there is None:
        return [Step(f"create group {RENDER}", ("groupadd", "--system", *number, RENDER))]
    if gid in (None, there[0]):
        return []
    return [Step(f"give group {RENDER} the number {gid} (was {there[0]})", ("groupmod", *number, RENDER))]


def added(record: Record, seen: Seen, before: t.Container[str]) -> tuple[str, ...]:
    """Users who are in the render group because they were brought in here, now or by the last set."""
    return tuple(user for user in users(record) if user in before or user not in _members(seen, RENDER))


def leaving(groups: t.Iterable[str], those: t.Iterable[str], record: Record, seen: Seen) -> tuple[Step, ...]:
    """Who goes out of groups: of tenants, of the last set without a tenant now, and of the render group those that the
    last set brought in."""
    wanted = {**dict.fromkeys(groups, ()), **{group(tenant.name): tenant.users for tenant in record.tenants}}
    gone = [(user, RENDER) for user in those if user not in users(record) and user in _members(seen, RENDER)]
    gone += [(user, name) for name in wanted for user in _members(seen, name) if user not in wanted[name]]
    return tuple(Step(f"take {user} out of group {name}", ("gpasswd", "--delete", user, name)) for user, name in gone)


def left(record: Record, seen: Seen, uids: t.Mapping[str, int]) -> tuple[int, ...]:
    """Uids whose logins have the group of a tenant, and are those of no user of any: they had it before they left."""
    gids = {seen.groups[name][0] for name in (group(tenant.name) for tenant in record.tenants) if name in seen.groups}
    known = {0, *(uids[user] for user in users(record) if user in uids)}
    return tuple(sorted(uid for uid, has in seen.logins.items() if uid not in known and has & gids))


def login(status: str, cgroup: str) -> tuple[int, frozenset[int]] | None:
    """Uid of a process, and numbers of its groups, where it is of a login; None for any other.

    source: proc_pid_status(5); pam_systemd(8) (user-<uid>.slice)
    """
    fields = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
    uid = int(fields["Uid"].split()[0])
    if f"/user-{uid}.slice/" not in cgroup:
        return None
    return uid, frozenset(map(int, f"{fields['Gid']} {fields['Groups']}".split()))


def _members(seen: Seen, name: str) -> tuple[str, ...]:
    return seen.groups.get(name, (0, ()))[1]
