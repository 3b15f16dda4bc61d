# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""In which order the nodes begin, and when that will be."""

from __future__ import annotations

import dataclasses as dc
import heapq
import typing as t

from ..plan import grid
from ..plan.wording import duration
from . import budget, shape, turn, windows
from .progress import Progress
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


@dc.dataclass(frozen=True)
class Row:
    """When a node begins and ends, in seconds from now."""

    node: str
    begins: float
    ends: float


@dc.dataclass(frozen=True)
class Forecast:
    """How a run will go if no node fails. Where nobody can tell of any node how long it takes, the order alone is true.

    Attributes:
        rows: the nodes in the order in which they begin.
        left: nodes that are left for another run, with the reason.
        opens: seconds until a window of time opens; the forecast begins then.
        guessed: nodes of which nobody can tell how long they take; taken to be as the others on average.
    """

    rows: tuple[Row, ...]
    left: t.Mapping[str, str]
    opens: float
    guessed: tuple[str, ...]

    @property
    def seconds(self) -> float | None:
        """How long it takes, from when the first may begin until the last ended; None if nobody can tell."""
        if self.rows and len(self.guessed) == len(self.rows) + len(self.left):
            return None
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
    run = _Run(dc.replace(given, places=places), now + opens, zone, forks)
    run.go()
    rows = tuple(dc.replace(row, begins=row.begins - now, ends=row.ends - now) for row in run.rows)
    return Forecast(rows, run.left, opens, tuple(place.node for place in given.places if not place.seconds))


class _Run:
    """A run in the mind: its clock, its workers and what they are at."""

    def __init__(self, given: Course, now: float, zone: int, forks: int) -> None:
        self.now, self._zone, self._forks = now, zone, forks
        self._course = given
        self._index = {place.node: number for number, place in enumerate(given.places)}
        self._queue = list(reversed(given.places))
        self._asking: dict[str, Place] = {}
        self._going: dict[str, Place] = {}
        self._pausing: dict[str, Event] = {}
        self._lost: dict[str, Place] = {}  # canaries that do not begin
        self._clock: list[tuple[float, bool, str]] = []  # what happens next: a node ends, or the pause after it
        self.rows: list[Row] = []
        self.left: dict[str, str] = {}

    def go(self) -> None:
        """Until nothing happens any more."""
        while True:
            while self._queue and len(self._going) + len(self._asking) < self._forks:
                place = self._queue.pop()
                self._asking[place.node] = place
            if self._answered():
                continue  # a worker that skipped a node takes the next
            if not self._clock:
                return
            self._tick()

    def _answered(self) -> bool:
        """Give all that ask their turn; whether one was skipped."""
        said = turn.turns(self._progress(), self._asking, self.now, self._zone)
        for node, one in said.items():
            if one.word == turn.GO:
                place = self._going[node] = self._asking.pop(node)
                self.rows.append(Row(node, self.now, self.now + place.seconds))
                heapq.heappush(self._clock, (self.now + place.seconds, False, node))
            elif one.word == turn.SKIP:
                place = self._asking.pop(node)
                self.left[node] = one.reason
                if place.canary:
                    self._lost[node] = place
        return any(one.word == turn.SKIP for one in said.values())

    def _progress(self) -> Progress:
        """How far it is, with those nodes alone that matter to others: a fleet may have thousands."""
        places = sorted([*self._lost.values(), *self._asking.values(), *self._going.values()],
                        key=lambda place: self._index[place.node])
        ended = [dc.replace(self._course.places[self._index[node]], canary=False) for node in self._pausing]
        began = dict.fromkeys([*self._going, *self._pausing], 0.0)
        return Progress(
            dc.replace(self._course, places=(*places, *ended)), began=began,
            steps=dict.fromkeys(self._going, ("", 0.0)), ended=self._pausing,
            skipped={node: self.left[node] for node in self._lost})

    def _tick(self) -> None:
        self.now, paused, node = heapq.heappop(self._clock)
        if paused:
            del self._pausing[node]
            return
        del self._going[node]
        if self._course.policy.pause:
            self._pausing[node] = Event(self.now, node, shape.END, shape.DONE)
            heapq.heappush(self._clock, (self.now + self._course.policy.pause, True, node))
