# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The devices of all nodes: what is wanted of the fleet as a whole is spread over nodes, then each is its own."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..errors import DataError, FleetError
from ..plan.wording import counted
from .allocate import allocate, allocated
from .demand import Demand, barred, where
from .group import units
from .room import fits
from .search import ordered
from .shape import FLEET, Record, Wish
from .spares import USUAL, Rule, spread

Demands = dict[str, Demand]


@dc.dataclass(frozen=True)
class Planned:
    """One node after planning.

    Attributes:
        node: its name.
        before: what it was told last; None if nothing.
        record: what it is to be told; None where it is refused.
        refusal: why, in one sentence; empty if it is not.
        notes: what a person should know.
    """

    node: str
    before: Record | None = None
    record: Record | None = None
    refusal: str = ""
    notes: tuple[str, ...] = ()


def plan(demands: t.Iterable[Demand], spares: Rule = USUAL) -> tuple[Planned, ...]:
    """All nodes, in the order of their names. Where one is refused the others are told as if it were not there."""
    asked = spread(sorted(demands, key=lambda one: one.node), spares)
    parts: Demands = {one.node: dc.replace(one, wishes=_own(one)) for one in asked}
    wanted: dict[str, list[Wish]] = {}
    for one in asked:
        for wish in one.wishes:
            if wish.scope == FLEET:
                wanted.setdefault(wish.name, []).append(wish)
    refusals = {name: _refuse_unlike(name, wishes) for name, wishes in wanted.items()}
    whole = [wish for wish in ordered(wishes[0] for wishes in wanted.values()) if not refusals[wish.name]]
    nodes = {wish.name: [one.node for one in asked if wish in one.wishes] for wish in whole}
    for grow in (False, True):
        for wish in whole:
            missing = _spread(wish, parts, nodes[wish.name], grow)
            if grow and missing:
                refusals[wish.name] = _short(wish, missing, nodes[wish.name])
    return tuple(_planned(one, parts[one.node], refusals) for one in asked)


def _own(demand: Demand) -> tuple[Wish, ...]:
    return tuple(wish for wish in demand.wishes if wish.scope != FLEET)


def _refuse_unlike(name: str, wishes: t.Sequence[Wish]) -> str:
    if len(set(wishes)) == 1:
        return ""
    return DataError(f"reservation {name}", "is one of the fleet, and not the same on all nodes",
                     "say it once, in variables of a group").sentence


def _spread(wish: Wish, parts: Demands, nodes: t.Sequence[str], grow: bool) -> int:
    """Put a wish of the fleet on its nodes: what they have of it, or more of it. Returns how much is missing."""
    missing = _many(wish) - sum(_part(parts[node], wish) for node in nodes)
    room = {node: _room(parts[node], wish) if grow else _had(parts[node], wish) for node in nodes}
    for node in sorted(nodes, key=lambda node: (-room[node], node)):
        has = _part(parts[node], wish)
        for many in range(has + min(missing, room[node]), has, -1):
            more = _with(parts[node], wish, many)
            if _fits(more):
                parts[node], missing = more, missing - many + has
                break
    return missing


def _many(wish: Wish) -> int:
    return wish.gpus or wish.partitions or 0


def _part(demand: Demand, wish: Wish) -> int:
    """How much of it the node has in this plan."""
    return sum(_many(own) for own in demand.wishes if own.name == wish.name)


def _had(demand: Demand, wish: Wish) -> int:
    """How much of it the node has by its record."""
    grants = demand.before.grants if demand.before else ()
    return sum(len(units(wish, grant.devices)) for grant in grants
               if (grant.wish.name, grant.wish.tenant) == (wish.name, wish.tenant))


def _with(demand: Demand, wish: Wish, many: int) -> Demand:
    part = dc.replace(wish, gpus=many if wish.gpus else None, partitions=many if wish.partitions else None)
    return dc.replace(demand, wishes=(*(own for own in demand.wishes if own.name != wish.name), part))


def _room(demand: Demand, wish: Wish) -> int:
    """How much more of it the node may have room for, spares among it."""
    try:
        record = allocate(demand)
    except FleetError:
        return 0
    taken = {device.id: tuple(grant.wish for grant in record.grants if device in grant.devices)
             for device in demand.devices}
    return sum(all(fits(device, wish, taken) and not barred(demand, device, wish) for device in unit)
               for unit in units(wish, demand.devices))


def _fits(demand: Demand) -> bool:
    try:
        return bool(allocate(demand))
    except FleetError:
        return False


def _short(wish: Wish, missing: int, nodes: t.Sequence[str]) -> str:
    many = counted(_many(wish), "GPU" if wish.gpus else "device")
    what = f"wants {many} of {', '.join(nodes)} together, and they have place for {_many(wish) - missing}"
    return FleetError(where(wish), what, "ask for less, or of more nodes").sentence


def _planned(asked: Demand, part: Demand, refusals: t.Mapping[str, str]) -> Planned:
    refusal = next((refusals[wish.name] for wish in asked.wishes if wish.scope == FLEET and refusals[wish.name]), "")
    try:
        record, found = (None, ()) if refusal else allocated(part)
    except FleetError as error:
        return Planned(asked.node, asked.before, refusal=error.sentence)
    return Planned(asked.node, asked.before, record, refusal, (*found, *_notes(asked, record)) if record else ())


def _notes(asked: Demand, record: Record) -> tuple[str, ...]:
    wanted, kept = asked.spares or 0, len({device.gpu for device in record.spares} - asked.aside.keys())
    fewer = f"keeps {kept} of {wanted} spares: no more are free beside the reservations that were there"
    return (*((fewer,) if kept < wanted else ()), *_set_aside(asked, record))


def _set_aside(asked: Demand, record: Record) -> t.Iterator[str]:
    for why in dict.fromkeys(asked.aside.values()):
        gpus = [gpu for gpu, reason in asked.aside.items() if reason == why]
        keep = [grant.wish.name for grant in record.grants if {one.gpu for one in grant.devices} & {*gpus}]
        kept = f"{', '.join(keep)} {'keep' if len(keep) > 1 else 'keeps'} what is there, and " if keep else ""
        yield f"{', '.join(gpus)} {'are' if len(gpus) > 1 else 'is'} {why}: {kept}nothing new is given"
