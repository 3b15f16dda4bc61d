# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""In which order the nodes begin, and why none does."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..plan import grid
from ..plan.wording import duration
from . import budget, shape, windows
from .shape import Candidate, Course, Place, Policy

BEFORE = (shape.FAILED_BEFORE, shape.UNREACHABLE)  # they count against the budget from the beginning
Candidates = t.Sequence[Candidate]


def order(candidates: Candidates) -> list[Candidate]:
    """Those that are due: first what an earlier run was cut off on, then the canaries, then what we have out of work
    already, then the rest. Each spread over the failure domains, and inside of these the longest first."""
    groups: list[list[Candidate]] = [[], [], [], []]
    for one in candidates:
        if one.status == shape.DUE:
            groups[0 if one.halfway else 1 if one.canary else 2 if one.standing == "ours" else 3].append(one)
    return [one for group in groups for one in _spread(group)]


def _spread(group: Candidates) -> list[Candidate]:
    domains: dict[str, list[Candidate]] = {}
    for one in group:
        domains.setdefault(one.domain, []).append(one)
    placed = []
    for nodes in domains.values():
        nodes.sort(key=lambda one: -one.seconds)
        placed += [((place + 0.5) / len(nodes), one) for place, one in enumerate(nodes)]
    return [one for _share, one in sorted(placed, key=lambda pair: (pair[0], -pair[1].seconds))]


def with_canary(candidates: Candidates) -> list[Candidate]:
    """The same with canaries where none is named: the first node of each release that no roll-out brought to any yet.

    One that failed before stays the canary, and one that a run was cut off on, or each run would take another.
    """
    if any(one.canary for one in candidates):
        return list(candidates)
    proven = {one.release for one in candidates if one.proven}
    first: dict[str, str] = {}
    for one in sorted(candidates, key=lambda one: (one.status == shape.DUE, not one.halfway)):
        if one.status in (shape.DUE, shape.FAILED_BEFORE) and one.release not in proven:
            first.setdefault(one.release, one.node)
    return [dc.replace(one, canary=first.get(one.release) == one.node) for one in candidates]


def course(candidates: Candidates, policy: Policy) -> Course:
    """What a run needs to know, and what its log begins with."""
    places = tuple(Place(one.node, one.seconds, one.domain, one.canary, one.halfway, one.noted)
                   for one in order(candidates))
    return Course(places, policy, _bad(candidates), _canary_lost(candidates))


def refusal(candidates: Candidates, policy: Policy, zone: int) -> str:
    """Why the roll-out does not begin, in one sentence with every node that refuses; empty if it may.

    Nodes that a run was cut off on are brought to an end though others failed.
    """
    room = windows.longest(policy.windows, zone)
    nodes: dict[str, list[str]] = {}
    for one in candidates:
        why = one.reason if one.status == shape.REFUSED else _too_long(one, room)
        if why:
            nodes.setdefault(why, []).append(one.node)
    said = [f"{grid.names(names)} {shape.REFUSED}: {why}" for why, names in nodes.items()]
    if not said and not any(one.halfway for one in candidates):
        stop = _canary_lost(candidates) or budget.exceeded(_bad(candidates), policy.failures)
        said = [stop] if stop else []
    return f"no node was touched: {'; '.join(said)}" if said else ""


def _too_long(one: Candidate, room: float) -> str:
    if one.status != shape.DUE or one.seconds <= room:
        return ""
    return f"it takes about {duration(one.seconds)}, and no window of time is longer than {duration(room)}"


def _bad(candidates: Candidates) -> tuple[str, ...]:
    return tuple(one.node for one in candidates if one.status in BEFORE)


def _canary_lost(candidates: Candidates) -> str:
    """Why no canary can prove anything."""
    lost = next((one for one in candidates if one.canary and one.status in BEFORE), None)
    return f"the canary {lost.node} {lost.status}: {lost.reason}" if lost else ""
