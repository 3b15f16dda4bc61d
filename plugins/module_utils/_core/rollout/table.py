# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The schedule of a roll-out before it begins: as a table for people, and as plain data."""

from __future__ import annotations

import collections
import dataclasses as dc
import typing as t

from ..plan import grid, tally
from ..plan.wording import counted, duration
from . import shape
from .forecast import Forecast
from .shape import Candidate, Policy

HEADINGS = ("node", "domain", "found", "wanted", "changes", "turn", "begins", "takes", "verdict")
Candidates = t.Sequence[Candidate]


def to_dict(candidates: Candidates, forecast: Forecast) -> dict[str, dict[str, t.Any]]:
    """Every node as plain data, with its place in the schedule: the form that fleet_upgrade_plan documents."""
    rows = {row.node: (place, row) for place, row in enumerate(forecast.rows, 1)}
    known = forecast.seconds is not None
    found = {}
    for one in candidates:
        place, row = rows.get(one.node, (None, None))
        found[one.node] = {
            **{key: value for key, value in dc.asdict(one).items() if key != "node"},
            "steps": list(one.steps), "notes": list(one.notes), "verdict": verdict(one), "turn": place,
            "begins": round(row.begins) if row and known else None, "ends": round(row.ends) if row and known else None,
            "left": forecast.left.get(one.node)}
    return found


def verdict(one: Candidate) -> str:
    """In few words, with the reason after a colon."""
    cut_off = f", cut off {'on its way back' if one.back else 'before'}"
    status = one.status + (cut_off if one.status == shape.DUE and one.halfway else "")
    return f"{status}: {one.reason}" if one.reason else status


def counts(candidates: Candidates) -> dict[str, int]:
    """How many nodes there are of which status."""
    return dict(collections.Counter(one.status for one in candidates))


def summary(candidates: Candidates) -> str:
    """One line: how many nodes, and how it is with them."""
    return tally.line(len(candidates), counts(candidates))


def table(candidates: Candidates, policy: Policy, forecast: Forecast, width: int) -> str:
    """The table as text, in the order of the schedule, at most ``width`` wide.

    Below it stand steps and notes, once for all nodes that have the same, and how the roll-out goes on.
    """
    if not candidates:
        return summary(candidates)
    rows = {row.node: (place, row.begins) for place, row in enumerate(forecast.rows, 1)}
    last = len(candidates)
    ordered = sorted(candidates, key=lambda one: rows.get(one.node, (last, 0))[0])
    cells = [_cells(one, rows.get(one.node), forecast.seconds is not None) for one in ordered]
    lines = grid.table(HEADINGS, cells, width)
    lines += grid.grouped("steps of", ((one.node, one.steps) for one in ordered), width)
    lines += grid.grouped("notes on", ((one.node, one.notes) for one in ordered), width)
    lines += grid.grouped("left for another run:", ((node, (why,)) for node, why in forecast.left.items()), width)
    return "\n".join([*lines, *grid.headed(_pace(policy), _times(forecast), width), "", summary(candidates)])


def _cells(one: Candidate, place: tuple[int, float] | None, known: bool) -> tuple[str, ...]:
    many = len(one.steps)
    changes = f"{counted(many, 'step')}{', reboot' if one.reboot else ''}" if many or one.reboot else "-"
    due = one.status == shape.DUE
    turn = f"{place[0]}{', canary' if one.canary else ''}" if place else "left" if due else "-"
    begins = _when(place[1] if known else None) if place else "-"
    takes = (duration(one.seconds) if one.seconds else "?") if due else "-"
    names = (one.node, one.domain or "-", one.found or "-", one.release or "-")
    return (*names, changes, turn, begins, takes, verdict(one))


def _when(begins: float | None) -> str:
    return "?" if begins is None else f"in {duration(begins)}" if begins >= 1 else "at once"


def _pace(policy: Policy) -> str:
    """How the roll-out goes on, in words."""
    return ", ".join(filter(None, (
        f"{tally.many(policy.max_unavailable)} at a time",
        f"{policy.per_domain} of a domain" if policy.per_domain else "",
        f"{duration(policy.pause)} between" if policy.pause else "",
        f"{policy.failures or 'none'} may fail")))


def _times(forecast: Forecast) -> list[str]:
    """How long it takes, in words."""
    if not forecast.rows:
        return ["no node begins"]
    lines = [f"the next window of time opens in {duration(forecast.opens)}"] if forecast.opens else []
    if forecast.seconds is None:
        return [*lines, "how long it takes is not known"]
    guessed = f"; {grid.names(forecast.guessed)} as the others, since that is not known" if forecast.guessed else ""
    return [*lines, f"it takes about {duration(forecast.seconds)} without waiting for jobs{guessed}"]
