# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""In which order the nodes begin, and when that will be."""

from __future__ import annotations

import dataclasses as dc
import heapq
import typing as t

from ..formats.quantity import duration
from . import budget, shape, turn, windows
from .progress import fold
from .shape import Candidate, Course, Event, Place, Policy

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
    """The same with a canary where none is named: the first node of a target that no roll-out brought to a node yet.

    One that failed before stays the canary, and one that a run was cut off on, or each run would take another.
    """
    proven = {one.target for one in candidates if one.proven}
    new = [one for one in candidates
           if one.status in (shape.DUE, shape.FAILED_BEFORE) and one.target not in proven]
    if not new or any(one.canary for one in candidates):
        return list(candidates)
    first = min(new, key=lambda one: (one.status == shape.DUE, not one.halfway))
    return [dc.replace(one, canary=True) if one is first else one for one in candidates]


def course(candidates: Candidates, policy: Policy) -> Course:
    """What a run needs to know, and what its log begins with."""
    places = tuple(Place(one.node, one.seconds, one.domain, one.canary, one.halfway) for one in order(candidates))
    return Course(places, policy, _bad(candidates))


def refusal(candidates: Candidates, policy: Policy, zone: int) -> str:
    """Why the roll-out does not begin, in one sentence with every node that refuses; empty if it may.

    Nodes that a run was cut off on are brought to an end though others failed.
    """
    room = windows.longest(policy.windows, zone)
    said = []
    for one in candidates:
        if one.status == shape.REFUSED or (one.canary and one.status in BEFORE):
            role = "the canary " if one.canary else ""
            said.append(f"{role}{one.node} {one.status}: {one.reason}")
        elif one.status == shape.DUE and one.seconds > room:
            takes, room_words = duration(one.seconds), duration(room)
            said.append(f"{one.node} takes about {takes}, and no window of time is longer than {room_words}")
    if not said and not any(one.halfway for one in candidates):
        said = list(filter(None, [budget.exceeded(_bad(candidates), policy.failures)]))
    return f"no node was touched: {'; '.join(said)}" if said else ""


def _bad(candidates: Candidates) -> tuple[str, ...]:
    return tuple(one.node for one in candidates if one.status in BEFORE)


@dc.dataclass(frozen=True)
class Row:
    """When a node begins and ends, in seconds from now."""

    node: str
    begins: float
    ends: float


@dc.dataclass(frozen=True)
class Forecast:
    """How a run will go if no node fails.

    Attributes:
        rows: the nodes in the order in which they begin.
        left: nodes that are left for another run, with the reason.
        opens: seconds until a window of time opens; the forecast begins then.
        guessed: nodes of which nobody can tell how long they take; taken to be as the others on average.
    """

    rows: tuple[Row, ...] = ()
    left: t.Mapping[str, str] = dc.field(default_factory=dict)
    opens: float = 0.0
    guessed: tuple[str, ...] = ()

    @property
    def seconds(self) -> float:
        """How long it takes, from when the first may begin until the last ended."""
        return max((row.ends for row in self.rows), default=self.opens) - self.opens


def forecast(given: Course, now: float, zone: int, forks: int) -> Forecast:
    """Go through the course as the run will, with ``forks`` workers that take the nodes in their order.

    Args:
        given: the course.
        now: seconds since 1970.
        zone: minutes that the clock of the control machine is before UTC.
        forks: how many workers there are.
    """
    known = [place.seconds for place in given.places if place.seconds]
    usual = round(sum(known) / len(known)) if known else 0
    places = tuple(dc.replace(place, seconds=place.seconds or usual) for place in given.places)
    opens = windows.opens(given.policy.windows, now, zone)
    rows, left = _simulated(dc.replace(given, places=places), now + opens, zone, forks)
    return Forecast(tuple(dc.replace(row, begins=row.begins - now, ends=row.ends - now) for row in rows), left, opens,
                    tuple(place.node for place in given.places if not place.seconds))


def _simulated(given: Course, now: float, zone: int, forks: int) -> tuple[list[Row], dict[str, str]]:
    queue = list(reversed(given.places))
    asking: dict[str, Place] = {}
    events: list[Event] = []
    rows: list[Row] = []
    left: dict[str, str] = {}
    clock: list[tuple[float, str]] = []  # what happens next: a node ends, or a pause does
    under_way = 0
    while True:
        while queue and under_way + len(asking) < forks:
            place = queue.pop()
            asking[place.node] = place
        said = turn.turns(fold(given, events), asking, now, zone)
        for node, one in said.items():
            if one.word == turn.WAIT:
                continue
            place = asking.pop(node)
            if one.word == turn.SKIP:
                left[node] = one.reason
                events.append(Event(now, node, shape.SKIP, reason=one.reason))
            else:
                under_way += 1
                rows.append(Row(node, now, now + place.seconds))
                events.append(Event(now, node, shape.BEGIN))
                heapq.heappush(clock, (now + place.seconds, node))
        if any(one.word == turn.SKIP for one in said.values()):
            continue
        if not clock:
            return rows, left
        now, node = heapq.heappop(clock)
        if node:
            under_way -= 1
            events.append(Event(now, node, shape.END, shape.DONE))
            if given.policy.pause:
                heapq.heappush(clock, (now + given.policy.pause, ""))
