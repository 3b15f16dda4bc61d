# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The plan of the reservations of a fleet: as a table for people, and as plain data."""

from __future__ import annotations

import collections
import typing as t

from ..plan import grid, tally
from ..rollout.reading import DAYS, window_words
from .change import changes
from .fleet import Planned
from .record import plain
from .shape import ALL_TO_ALL, Device, Wish

HEADINGS = ("node", "reservation", "tenant", "class", "devices", "terms")
DUE, SAME, REFUSED, UNSEEN, UNASKED = "reserved", "as reserved", "refused", "not seen", "unasked"
Plans = t.Sequence[Planned]


def status(one: Planned) -> str:
    """One of the words above."""
    return REFUSED if one.record is None else SAME if one.record == one.before else DUE


def to_dict(plans: Plans, left: t.Mapping[str, tuple[str, str]]) -> dict[str, dict[str, t.Any]]:
    """Every node as plain data: the form that fleet_reservation_plan documents.

    Args:
        plans: of the nodes that were planned.
        left: node -> status and reason of the others.
    """
    found = {one.node: {"status": status(one), "reason": one.refusal, "changes": list(_changes(one)),
                        "notes": list(one.notes)} for one in plans}
    found.update({node: {"status": word, "reason": why, "changes": [], "notes": []}
                  for node, (word, why) in left.items()})
    return dict(sorted(found.items()))


def records(plans: Plans) -> dict[str, dict[str, t.Any]]:
    """The record of every node that has one, as plain data."""
    return {one.node: plain(one.record) for one in plans if one.record is not None}


def refusal(plans: Plans) -> str:
    """Every refusal with its nodes; empty if there is none."""
    found: dict[str, list[str]] = {}
    for one in plans:
        if one.refusal:
            found.setdefault(one.refusal, []).append(one.node)
    return "; ".join(f"{grid.names(nodes)}: {why}" for why, nodes in found.items())


def counts(nodes: t.Mapping[str, t.Mapping[str, t.Any]]) -> dict[str, int]:
    """How many nodes there are of which status."""
    return dict(collections.Counter(node["status"] for node in nodes.values()))


def summary(nodes: t.Mapping[str, t.Mapping[str, t.Any]]) -> str:
    """One line."""
    return tally.line(len(nodes), counts(nodes))


def table(plans: Plans, nodes: t.Mapping[str, t.Mapping[str, t.Any]], width: int) -> str:
    """Nodes and who has what of them, at most ``width`` wide; below it changes, notes, and who is left out."""
    cells = [row for one in plans for row in _rows(one)]
    lines = grid.table(HEADINGS, cells, width) if cells else []
    lines += grid.grouped("changes of", ((node, tuple(said["changes"])) for node, said in nodes.items()), width)
    lines += grid.grouped("notes on", ((node, tuple(said["notes"])) for node, said in nodes.items()), width)
    lines += grid.grouped("left out:", ((node, (f"{said['status']}: {said['reason']}",))
                                        for node, said in nodes.items() if said["reason"]), width)
    return "\n".join([*lines, "", summary(nodes)])


def _changes(one: Planned) -> tuple[str, ...]:
    return changes(one.before, one.record) if one.record else ()


def _rows(one: Planned) -> list[tuple[str, ...]]:
    if one.record is None:
        return []
    rows: list[tuple[str, ...]] = [
        (one.node, grant.wish.name, grant.wish.tenant, grant.wish.priority, _ids(grant.devices), terms(grant.wish))
        for grant in one.record.grants]
    for name, devices in (("spare", one.record.spares), ("pool", one.record.pool)):
        rows += [(one.node, f"({name})", "-", "-", _ids(devices), "-")] if devices else []
    return rows


def _ids(devices: t.Sequence[Device]) -> str:
    return ", ".join(device.id for device in devices)


def terms(wish: Wish) -> str:
    """What a reservation is bound to besides its devices, in few words."""
    words = [f"{wish.share} % of the compute units"] if wish.share < 100 else []
    words += ["all to all"] if wish.link == ALL_TO_ALL else []
    words += ["one NUMA node"] if wish.one_numa else []
    words += [f"{_days(said['days'])} {said['begins']}-{said['ends']}{said.get('zone', '')}"
              for said in map(window_words, wish.windows)]
    return ", ".join(words) or "-"


def _days(days: t.Sequence[str]) -> str:
    return "daily" if len(days) == len(DAYS) else "/".join(days)
