# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Groups as reservations need them: what must be done for the render group, and for one of each tenant.

A tenant's group has exactly the tenant's users, so who leaves the tenant leaves its devices at the next login. Of the
render group others may be members too: out of it go those alone who were brought in here.
"""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..errors import FleetError
from .shape import Record
from .text_names import RENDER, group


@dc.dataclass(frozen=True)
class Seen:
    """Attributes: groups of the node by name, with gid and members; uids of the users asked for that exist."""

    groups: t.Mapping[str, tuple[int, tuple[str, ...]]]
    uids: t.Mapping[str, int]


@dc.dataclass(frozen=True)
class Step:
    """Attributes: what is done, in words, and the command that does it."""

    words: str
    argv: tuple[str, ...]


def users(record: Record) -> tuple[str, ...]:
    """Users of all tenants."""
    return tuple(sorted({user for tenant in record.tenants for user in tenant.users}))


def steps(record: Record, seen: Seen, render_gid: int | None) -> tuple[Step, ...]:
    """What brings the groups there, in order.

    Args:
        record: whose tenants have groups.
        seen: what the node has.
        render_gid: what the number of the render group should be; None: what it is.

    Raises:
        FleetError: a user does not exist, or another group has the number.
    """
    for tenant in record.tenants:
        for user in tenant.users:
            if user not in seen.uids:
                raise FleetError(f"user {user} of tenant {tenant.name}", "does not exist on the node",
                                 "create it first, or take it out of gpu_reservation_tenants")
    found = _render(seen, render_gid)
    found += [Step(f"add {user} to group {RENDER}", ("gpasswd", "--add", user, RENDER))
              for user in users(record) if user not in _members(seen)]
    for tenant in record.tenants:
        name, wanted = group(tenant.name), tuple(sorted(tenant.users))
        there = seen.groups.get(name)
        if there is None:
            found.append(Step(f"create group {name}", ("groupadd", "--system", name)))
        if set(there[1] if there else ()) != set(wanted):
            found.append(Step(f"let {' '.join(wanted) or 'nobody'} be the members of group {name}",
                              ("gpasswd", "--members", ",".join(wanted), name)))
    return tuple(found)


def _render(seen: Seen, gid: int | None) -> list[Step]:
    number = [] if gid is None else ["--gid", str(gid)]
    there = seen.groups.get(RENDER)
    if gid is not None:
        for other, (taken, _members) in seen.groups.items():
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
    return tuple(user for user in users(record) if user in before or user not in _members(seen))


def leaving(groups: t.Iterable[str], those: t.Iterable[str], record: Record, seen: Seen) -> tuple[Step, ...]:
    """Removal of users that the last set brought into the render group, and of its groups, without a tenant now."""
    wanted = {group(tenant.name) for tenant in record.tenants}
    return (*(Step(f"take {user} out of group {RENDER}", ("gpasswd", "--delete", user, RENDER))
              for user in those if user not in users(record) and user in _members(seen)),
            *(Step(f"remove group {name}", ("groupdel", name)) for name in groups
              if name not in wanted and name in seen.groups))


def _members(seen: Seen) -> tuple[str, ...]:
    return seen.groups.get(RENDER, (0, ()))[1]
