# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""May a node begin now, must it wait, or is it left for another run."""

from __future__ import annotations

import collections
import dataclasses as dc
import typing as t

from ..plan import grid, tally
from ..plan.wording import duration
from . import budget, windows
from .progress import Events, Progress, fold
from .shape import Course, Place

GO, WAIT, SKIP = "go", "wait", "skip"
GRACE = 15  # seconds for which a node lets those before it go first, though nobody heard of them


@dc.dataclass(frozen=True)
class Turn:
    """The answer: GO, WAIT or SKIP, and why it does not go."""

    word: str
    reason: str = ""


def turn(course: Course, events: Events, node: str, now: float, zone: int) -> Turn:
    """The turn of one node. Of those that wait, the first in the order goes first.

    Workers take the nodes in the order, so those before this one are about to ask if they did not yet.

    Args:
        course: what was decided before.
        events: the log of this run; who is told to wait is in it with the event "wait".
        node: who asks.
        now: seconds since 1970.
        zone: minutes that the clock of the control machine is before UTC.
    """
    progress = fold(course, events)
    if node in progress.began:
        return Turn(SKIP, "it began already in this run")
    asking = {*progress.waiting, node}
    if 0 <= now - progress.waiting.get(node, now) < GRACE:
        asking |= _before(course, node) - set(progress.skipped)
    return turns(progress, asking, now, zone).get(node) or Turn(SKIP, "it is not due")


def _before(course: Course, node: str) -> set[str]:
    """Nodes that stand before this one in the order."""
    names = [place.node for place in course.places]
    return set(names[:names.index(node)]) if node in names else set()


def turns(progress: Progress, asking: t.Collection[str], now: float, zone: int) -> dict[str, Turn]:
    """The turns of all that ask, and have not begun."""
    room = _Room(progress, now)
    stopped = budget.stopped(progress)
    left = windows.left(progress.course.policy.windows, now, zone)
    canaries = [place for place in progress.course.places if place.canary and place.node not in progress.ended]
    gone = next(filter(None, (_canary_lost(progress, place, left) for place in canaries)), "")
    ahead = _ahead([place.node for place in canaries])
    found = {}
    for place in progress.course.places:
        if place.node not in asking or place.node in progress.began:
            continue
        first = place.halfway or place.canary
        skip = ("" if place.halfway else stopped) or closed(place, left) or ("" if first else gone)
        wait = "" if skip else ("" if first else ahead) or room.take(place)
        found[place.node] = Turn(SKIP, skip) if skip else Turn(WAIT, wait) if wait else Turn(GO)
    return found


def _ahead(canaries: t.Sequence[str]) -> str:
    """What the others wait for."""
    return f"waits for the canar{'y' if len(canaries) == 1 else 'ies'} {grid.names(canaries)}" if canaries else ""


def closed(place: Place, left: float) -> str:
    """Why the time is not enough."""
    if left <= 0:
        return "no window of time is open"
    if place.seconds > left:
        return f"it takes about {duration(place.seconds)}, and the window of time closes in {duration(left)}"
    return ""


def _canary_lost(progress: Progress, place: Place, left: float) -> str:
    """Why a canary that did not begin will not begin in this run."""
    if place.node in progress.began:
        return ""
    why = progress.skipped.get(place.node) or closed(place, left)
    return lost(place, why) if why else ""


def lost(place: Place, why: str) -> str:
    """Why the others do not begin."""
    return f"the canary {place.node} does not begin: {why}"


class _Room:
    """The places of the window that are free."""

    def __init__(self, progress: Progress, now: float) -> None:
        self._policy = progress.course.policy
        domains = {place.node: place.domain for place in progress.course.places}
        self._active = list(progress.steps)
        self._pausing = [node for node, end in progress.ended.items() if 0 <= now - end.at < self._policy.pause]
        self._domains = collections.Counter(domains[node] for node in progress.steps)

    def take(self, place: Place) -> str:
        """Take one for this node; or why there is none."""
        policy = self._policy
        if len(self._active) + len(self._pausing) >= policy.max_unavailable:
            pausing = f", {len(self._pausing)} of them empty for the pause" if self._pausing else ""
            return f"{tally.many(policy.max_unavailable)} may be under way at a time{pausing}"
        if place.domain and policy.per_domain and self._domains[place.domain] >= policy.per_domain:
            return f"{tally.many(policy.per_domain)} of {place.domain} may be under way at a time"
        self._active.append(place.node)
        self._domains[place.domain] += 1
        return ""
