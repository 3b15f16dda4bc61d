# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""When each node will begin: the run in the mind, by the rules of ``turn``, at the cost of sorting the nodes."""

from __future__ import annotations

import collections
import dataclasses as dc
import heapq
import math
import typing as t

from . import budget, turn, windows
from .progress import Progress
from .shape import Course, Place

Key = tuple[bool, str]  # whether a place need not wait for canaries, and its domain


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


class _Line:
    """Who waits for a place. Those held for the same reason wait behind the first of them, who alone is asked."""

    def __init__(self, per_domain: int) -> None:
        self._per_domain = per_domain
        self._queues: dict[Key, collections.deque[int]] = {}
        self._heads: list[tuple[int, Key]] = []
        self._behind: list[Key] = []  # the canaries
        self._full: dict[str, list[Key]] = {}
        self._busy: collections.Counter[str] = collections.Counter()

    def add(self, index: int, place: Place) -> None:
        """One more waits, behind all that do."""
        key = (place.canary or place.halfway, place.domain if self._per_domain else "")
        queue = self._queues.setdefault(key, collections.deque())
        queue.append(index)
        if len(queue) == 1:
            heapq.heappush(self._heads, (index, key))

    def take(self, asking: t.Collection[int], canaries: int) -> int | None:
        """The first of those that still ask who may begin, while so many canaries are not done; None if nobody may."""
        while self._heads:
            index, key = heapq.heappop(self._heads)
            first, domain = key
            if index in asking and canaries and not first:
                self._behind.append(key)
            elif index in asking and domain and self._busy[domain] >= self._per_domain:
                self._full.setdefault(domain, []).append(key)
            else:
                self._queues[key].popleft()
                self._advance([key])
                if index in asking:
                    self._busy[domain] += 1
                    return index
        return None

    def freed(self, place: Place) -> None:
        """One that began has ended."""
        domain = place.domain if self._per_domain else ""
        self._busy[domain] -= 1
        self._advance(self._full.pop(domain, []))

    def opened(self) -> None:
        """All canaries are done."""
        self._advance(self._behind)
        self._behind = []

    def _advance(self, keys: t.Iterable[Key]) -> None:
        for key in keys:
            if self._queues[key]:
                heapq.heappush(self._heads, (self._queues[key][0], key))


class _Run:
    """A run in which no node fails: its clock, its workers and what they are at."""

    def __init__(self, given: Course, now: float, zone: int, forks: int) -> None:
        self.now, self._zone, self._forks = now, zone, forks
        self._places, self._policy = given.places, given.policy
        self._stopped = budget.stopped(Progress(given))
        self._canaries = sum(place.canary for place in given.places)  # that are not done
        self._due = 0  # how many nodes workers have taken
        self._asking: set[int] = set()
        self._line = _Line(given.policy.per_domain)
        self._longest: list[tuple[int, int]] = []  # of those that ask
        self._going: list[tuple[float, str, int]] = []
        self._pauses: collections.deque[float] = collections.deque()
        self._lost = (len(given.places), "")  # the first canary that does not begin, and why
        self.rows: list[Row] = []
        self.left: dict[str, str] = {}

    def go(self) -> None:
        """Until nothing happens any more."""
        while True:
            self._ask()
            if self._skipped():
                continue  # a worker that skipped a node takes the next
            self._begin()
            if not self._going and not self._pauses:
                return
            self._tick()

    def _ask(self) -> None:
        while self._due < len(self._places) and len(self._going) + len(self._asking) < self._forks:
            place = self._places[self._due]
            self._asking.add(self._due)
            self._line.add(self._due, place)
            heapq.heappush(self._longest, (-place.seconds, self._due))
            self._due += 1

    def _skipped(self) -> bool:
        """Leave those that cannot begin in this run; whether there was one."""
        left = windows.left(self._policy.windows, self.now, self._zone)
        why: dict[int, str] = {}
        if self._stopped:
            why.update((index, self._stopped) for index in self._asking if not self._places[index].halfway)
        while self._longest and (left <= 0 or -self._longest[0][0] > left):
            _seconds, index = heapq.heappop(self._longest)
            if index in self._asking:
                why.setdefault(index, turn.closed(self._places[index], left))
        self._lost = min([self._lost, *((index, turn.lost(self._places[index], why[index]))
                                        for index in why if self._places[index].canary)])
        if self._lost[1]:
            for index in self._asking:
                if not (self._places[index].canary or self._places[index].halfway):
                    why.setdefault(index, self._lost[1])
        self._asking -= set(why)
        self.left.update((self._places[index].node, why[index]) for index in sorted(why))
        return bool(why)

    def _begin(self) -> None:
        """Give all places that are free."""
        while self._pauses and self._pauses[0] <= self.now:
            self._pauses.popleft()
        while len(self._going) + len(self._pauses) < self._policy.max_unavailable:
            index = self._line.take(self._asking, self._canaries)
            if index is None:
                return
            self._asking.remove(index)
            place = self._places[index]
            self.rows.append(Row(place.node, self.now, self.now + place.seconds))
            heapq.heappush(self._going, (self.now + place.seconds, place.node, index))

    def _tick(self) -> None:
        """What happens next: a node ends, or the pause after one."""
        if self._pauses and self._pauses[0] < (self._going[0][0] if self._going else math.inf):
            self.now = self._pauses.popleft()
            return
        self.now, _node, index = heapq.heappop(self._going)
        place = self._places[index]
        self._line.freed(place)
        self._canaries -= place.canary
        if place.canary and not self._canaries:
            self._line.opened()
        if self._policy.pause:
            self._pauses.append(self.now + self._policy.pause)
