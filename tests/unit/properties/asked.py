# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When each node of a roll-out begins, by asking the turns of all that wait whenever something happens: slow, and plain."""

from __future__ import annotations

import dataclasses as dc
import heapq

from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout import shape, turn, windows
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.progress import Progress
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.shape import Course, Event, Place


def asked(given: Course, now: float, zone: int, forks: int) -> tuple[list[tuple[str, float, float]], dict[str, str]]:
    """Who begins and ends when, in seconds from now, and who is left for what reason. Nobody fails."""
    known = [place.seconds for place in given.places if place.seconds]
    usual = round(sum(known) / len(known)) if known else 0
    places = tuple(dc.replace(place, seconds=place.seconds or usual) for place in given.places)
    run = _Asked(dc.replace(given, places=places), now + windows.opens(given.policy.windows, now, zone), zone, forks)
    run.go()
    return [(node, begins - now, ends - now) for node, begins, ends in run.rows], run.left


class _Asked:
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
        self.rows: list[tuple[str, float, float]] = []
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
                self.rows.append((node, self.now, self.now + place.seconds))
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
