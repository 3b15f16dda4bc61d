# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The log of a run as text: a line with the course, then a line for each event."""

from __future__ import annotations

import dataclasses as dc
import json

from ..errors import DataError
from ..strict import Reader
from . import reading, shape
from .shape import Course, Event, Place, Policy

VERSION, KIND = "v1", "upgrade_log"
_HINT = "remove it, and run again"
_POLICY = tuple(field.name for field in dc.fields(Policy))
_EVENTS = (shape.WAIT, shape.BEGIN, shape.STEP, shape.END, shape.SKIP)


def head(course: Course) -> str:
    """The first line."""
    data = {"version": VERSION, "kind": KIND, **dc.asdict(course), "policy": reading.written(course.policy)}
    return json.dumps(data, sort_keys=True) + "\n"


def line(event: Event) -> str:
    """The line of one event."""
    return json.dumps(dc.asdict(event), sort_keys=True) + "\n"


def read(text: str, where: str) -> tuple[Course, list[Event]]:
    """The course and what happened. A last line without its end is of a run that was killed, and is left out.

    Raises:
        DataError: it is no such log.
    """
    lines = text.split("\n")[:-1]
    if not lines:
        raise DataError(where, "is empty", _HINT)
    course = _course(Reader(_json(lines[0], where), f"{where}:"))
    return course, [_event(Reader(_json(one, where), f"{where}: line {n}:")) for n, one in enumerate(lines[1:], 2)]


def _json(text: str, where: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError(where, "has a line that is not JSON", _HINT) from error


def _course(reader: Reader) -> Course:
    reader.choice("version", (VERSION,))
    reader.choice("kind", (KIND,))
    found = Course(reader.records("places", _place), reader.record("policy", _policy), reader.texts("failed"),
                   reader.text("stopped", ""), reader.text("run", ""))
    reader.done()
    return found


def _place(reader: Reader) -> Place:
    return Place(reader.text("node"), reader.count("seconds") or 0, reader.text("domain", ""),
                 reader.flag("canary", False), reader.flag("halfway", False), reader.text("noted", ""))


def _policy(reader: Reader) -> Policy:
    return reading.policy({name: reader.anything(name) for name in _POLICY}, None)


def _event(reader: Reader) -> Event:
    at = reader.anything("at")
    if isinstance(at, bool) or not isinstance(at, (int, float)):
        raise DataError(f"{reader.path} at", "is no number", _HINT)
    found = Event(at, reader.text("node"), reader.choice("event", _EVENTS), reader.text("word", ""),
                  reader.text("reason", ""))
    reader.done()
    return found
