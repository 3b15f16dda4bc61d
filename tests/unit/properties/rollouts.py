# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A fleet that is upgraded by the decisions of the core, in a time of its own: with nodes that fail, and runs that are killed.

What the nodes remember is all that outlives a run. Rules are checked here by other means than the core has.
"""

from __future__ import annotations

import collections
import dataclasses as dc
import random
import typing as t

from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout import (
    candidate,
    log,
    note,
    reading,
    schedule,
    turn,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.shape import (
    BEGIN,
    DONE,
    END,
    GOING,
    ROLLED_BACK,
    SKIP,
    UNREACHABLE,
    WAIT,
    Event,
    Note,
    Place,
)

TARGET = "r2, kernel 6.1, driver in_tree, ROCm 7.2.3"
RELEASE = {"name": "r2", "kernel": {"wanted": "6.1"}, "driver": {"source": "in_tree", "packages": {}}, "rocm": {"version": "7.2.3"}}


@dc.dataclass
class Node:
    """One node: how long it takes and how it ends, and what has become of it."""

    name: str
    takes: int
    fate: str = DONE
    domain: str = ""
    told: int = 0
    note: Note | None = None
    upgraded: bool = False
    ours: bool = False
    gone: bool = False
    ended: int = 0  # how often it was upgraded to the end

    def seen(self) -> dict[str, t.Any]:
        """What the pre-flight finds of it."""
        if self.gone:
            return {"unreachable": True, "msg": "no route"}
        plan = {"todo": not self.upgraded, "actions": [], "release": RELEASE, "report": {}, "plans": {}}
        return {"plan": plan, "note": note.text(self.note) if self.note else "", "seconds": self.told,
                "standing": {"standing": "ours" if self.ours else "open", "reason": "x"}}

    @property
    def bad(self) -> bool:
        """Whether it counts against the budget."""
        return self.gone or (self.note is not None and self.note.state not in (GOING, DONE))

    def begin(self) -> None:
        """Its upgrade begins."""
        self.note, self.ours = note.begun(self.note, TARGET, "r2", "snapshot", "now"), True

    def end(self) -> None:
        """Its upgrade ends as it must."""
        assert self.note is not None
        if self.fate == UNREACHABLE:
            self.gone = True
            return
        self.note = note.ended(self.note, self.fate, "now", "why")
        self.ours, self.upgraded = self.fate != DONE, self.fate != ROLLED_BACK
        self.ended += self.fate == DONE


class Killed(Exception):
    """The run is gone; what the nodes remember is not."""


class Run:
    """One run of the playbook over all nodes.

    Attributes:
        begun: nodes that began, and when.
        skipped: nodes that were skipped, with the reason.
        refusal: why none was touched.
        now: the time.
    """

    def __init__(
        self, nodes: t.Sequence[Node], wishes: dict[str, t.Any], forks: int, chance: random.Random, *, now: float = 0.0,
        retry: bool = False, kill: int = -1,
    ) -> None:
        self.now, self._chance, self._kill, self._forks = now, chance, kill, forks
        self.nodes = {node.name: node for node in nodes}
        self.policy = reading.policy(wishes, len(nodes))
        found = schedule.with_canary([
            candidate.candidate(node.name, node.seen(), domain=node.domain, retry=retry) for node in nodes])
        if retry:
            for node in nodes:
                node.note = node.note and dc.replace(node.note, state=GOING) if node.bad else node.note
        self.refusal = schedule.refusal(found, self.policy, 0)
        self.course = schedule.course(found, self.policy)
        self.halfway = {place.node for place in self.course.places if place.halfway}
        self.canaries = {place.node for place in self.course.places if place.canary}
        self.begun: dict[str, float] = {}
        self.skipped: dict[str, str] = {}
        self._events: list[Event] = []
        self._active: dict[str, float] = {}
        self._pauses: list[float] = []
        if not self.refusal:
            self._go([*reversed(self.course.places)])

    def _tick(self) -> None:
        """Something lasting happened; the run may be killed after it."""
        self._kill -= 1
        if self._kill == 0:
            raise Killed

    def _say(self, node: str, event: str, word: str = "", reason: str = "") -> None:
        self._events.append(Event(self.now, node, event, word, reason))
        self._tick()

    def _go(self, queue: list[Place]) -> None:
        asking: list[str] = []
        told: set[str] = set()
        while True:
            while queue and len(self._active) + len(asking) < self._forks:
                asking.append(queue.pop().node)
            if self._polled(asking, told):
                continue
            self._is_at_work(asking)
            times = sorted([*self._active.values(), *(end for end in self._pauses if end > self.now)])
            if not times:
                assert not asking, "nobody is under way, and these wait for ever"
                text = log.head(self.course) + "".join(map(log.line, self._events))
                assert log.read(text, "log") == (self.course, self._events)
                return
            self.now = times[0]
            for name in [name for name, end in self._active.items() if end == self.now]:
                self._end(name)

    def _polled(self, asking: list[str], told: set[str]) -> bool:
        """All that wait ask, in any order; whether one got an answer."""
        moved = False
        for name in self._chance.sample(asking, len(asking)):
            answer = turn.turn(self.course, self._events, name, self.now, 0)
            if answer.word == turn.WAIT:
                if name not in told:
                    self._say(name, WAIT, reason=answer.reason)
                told.add(name)
                continue
            asking.remove(name)
            moved = True
            if answer.word == turn.SKIP:
                self.skipped[name] = answer.reason
                self._say(name, SKIP, reason=answer.reason)
            else:
                self._begin(name)
        return moved

    def _begin(self, name: str) -> None:
        node = self.nodes[name]
        assert name not in self.begun, "it begins twice"
        if name not in self.halfway:
            assert sum(one.bad for one in self.nodes.values()) <= self.policy.failures, "the budget is exceeded"
            assert not any(self.nodes[one].bad for one in self.canaries), "a canary failed"
            waits = self.canaries - {name} if name not in self.canaries else set()
            assert all(self.nodes[one].note and self.nodes[one].note.state == DONE for one in waits), "a canary is not done"
        self.begun[name] = self.now
        self._active[name] = self.now + node.takes
        busy = sum(end > self.now for end in self._pauses)
        assert len(self._active) + busy <= self.policy.max_unavailable, "too many at a time"
        racks = collections.Counter(self.nodes[one].domain for one in self._active if self.nodes[one].domain)
        assert not self.policy.per_domain or max(racks.values(), default=0) <= self.policy.per_domain, "too many of a rack"
        self._say(name, BEGIN)
        node.begin()
        self._tick()

    def _end(self, name: str) -> None:
        del self._active[name]
        node = self.nodes[name]
        node.end()
        self._tick()
        self._pauses.append(self.now + self.policy.pause)
        self._say(name, END, node.fate)

    def _is_at_work(self, asking: t.Sequence[str]) -> None:
        """Nobody waits who could begin."""
        busy = len(self._active) + sum(end > self.now for end in self._pauses)
        racks = collections.Counter(self.nodes[one].domain for one in self._active)
        ahead = any(not self.nodes[one].note or self.nodes[one].note.state != DONE for one in self.canaries)
        for name in asking if busy < self.policy.max_unavailable else ():
            held = ahead and name not in self.canaries | self.halfway
            rack = self.nodes[name].domain
            assert held or (self.policy.per_domain and rack and racks[rack] >= self.policy.per_domain), f"{name} waits for nothing"


def fleet(chance: random.Random, many: int, racks: int, fates: t.Sequence[str]) -> list[Node]:
    """Nodes whose times vary threefold, of which somebody told about a third more or less."""
    nodes = []
    for number in range(many):
        takes = chance.randint(600, 1800)
        nodes.append(Node(
            f"n{number:03d}", takes, fates[number % len(fates)], f"r{number % racks}" if racks else "",
            chance.choice((0, round(takes * chance.uniform(0.7, 1.4))))))
    return nodes


def batches(times: t.Sequence[int], size: int) -> int:
    """How long it takes where a batch begins when the one before has ended."""
    return sum(max(times[begin:begin + size]) for begin in range(0, len(times), size))


def ideal(times: t.Sequence[int], size: int) -> float:
    """What no packing can beat."""
    return max(sum(times) / size, *times)
