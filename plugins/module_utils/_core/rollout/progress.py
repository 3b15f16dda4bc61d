# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""How far a roll-out is, by the log of its run."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from . import shape
from .shape import Course, Event, Place

Events = t.Iterable[Event]


@dc.dataclass(frozen=True)
class Progress:
    """How far it is.

    Attributes:
        course: what was decided before.
        waiting: nodes that asked for a place and have none yet, and since when.
        began: nodes that began, and when.
        steps: nodes that are under way: the step, and since when.
        last: nodes that took a step, and the last one.
        ended: nodes that ended, with the event.
        skipped: nodes that do not begin in this run, with the reason.
    """

    course: Course
    waiting: t.Mapping[str, float] = dc.field(default_factory=dict)
    began: t.Mapping[str, float] = dc.field(default_factory=dict)
    steps: t.Mapping[str, tuple[str, float]] = dc.field(default_factory=dict)
    last: t.Mapping[str, str] = dc.field(default_factory=dict)
    ended: t.Mapping[str, Event] = dc.field(default_factory=dict)
    skipped: t.Mapping[str, str] = dc.field(default_factory=dict)

    @property
    def done(self) -> tuple[str, ...]:
        """Nodes that ended well."""
        return tuple(node for node, end in self.ended.items() if end.word == shape.DONE)

    @property
    def failed(self) -> tuple[str, ...]:
        """Nodes that count against the budget: those of before, and of this run."""
        return (*self.course.failed, *(node for node, end in self.ended.items() if end.word != shape.DONE))

    @property
    def left(self) -> tuple[Place, ...]:
        """Nodes that did not begin."""
        return tuple(place for place in self.course.places if place.node not in self.began)


def fold(course: Course, events: Events) -> Progress:
    """The log as a whole. Nodes that the course does not know are left out; the first of what happens once counts."""
    known = {place.node for place in course.places}
    waiting: dict[str, float] = {}
    began: dict[str, float] = {}
    steps: dict[str, tuple[str, float]] = {}
    last: dict[str, str] = {}
    ended: dict[str, Event] = {}
    skipped: dict[str, str] = {}
    for one in events:
        if one.node not in known or one.node in ended:
            continue
        if one.event == shape.BEGIN and one.node not in began:
            began[one.node] = one.at
            steps[one.node] = ("", one.at)
            waiting.pop(one.node, None)
            skipped.pop(one.node, None)
        elif one.event == shape.STEP and one.node in began:
            steps[one.node] = (one.word, one.at)
            last[one.node] = one.word
        elif one.event == shape.END and one.node in began:
            ended[one.node] = one
            del steps[one.node]
        elif one.event == shape.WAIT and one.node not in began:
            waiting.setdefault(one.node, one.at)
        elif one.event == shape.SKIP and one.node not in began:
            skipped[one.node] = one.reason
            waiting.pop(one.node, None)
    return Progress(course, waiting, began, steps, last, ended, skipped)
