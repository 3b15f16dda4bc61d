# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What a plan changes on a node, in words."""

from __future__ import annotations

import typing as t

from .demand import where
from .shape import Device, Grant, Record

_NOTHING = Record()


def changes(before: Record | None, after: Record) -> tuple[str, ...]:
    """One line for each reservation that is new, goes, or is another; none where the node was told the same."""
    had, has = before or _NOTHING, after
    old, new = _by_name(had.grants), _by_name(has.grants)
    lines = [_change(old.get(name), new.get(name)) for name in sorted({*old, *new})]
    lines.append(_moved("spare", had.spares, has.spares))
    lines += [f"tenant {tenant.name} has other users, units or ways to save" for tenant in has.tenants
              if tenant.name in {other.name for other in had.tenants} and tenant not in had.tenants]
    found = tuple(filter(None, lines))
    return found if found or before == after else ("what is told of its devices",)


def _by_name(grants: t.Iterable[Grant]) -> dict[tuple[str, str], Grant]:
    return {(grant.wish.name, grant.wish.tenant): grant for grant in grants}


def _change(old: Grant | None, new: Grant | None) -> str:
    grant = new or old
    name = where(grant.wish)[len("reservation "):] if grant else ""
    moved = _moved(name, old.devices if old else (), new.devices if new else ())
    if moved or old is None or new is None or old.wish == new.wish:
        return moved
    return f"{name} has other terms"


def _moved(name: str, old: t.Sequence[Device], new: t.Sequence[Device]) -> str:
    had, has = [device.id for device in old], [device.id for device in new]
    gone, come = [one for one in had if one not in has], [one for one in has if one not in had]
    words = [f"{verb} {', '.join(ids)}" for verb, ids in (("loses", gone), ("gets", come)) if ids]
    return f"{name} {' and '.join(words)}" if words else ""
