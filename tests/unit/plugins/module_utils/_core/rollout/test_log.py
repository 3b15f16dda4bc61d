# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The log of a run as text."""

from __future__ import annotations

import json
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout import log
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.shape import (
    Course,
    Event,
    Place,
    Policy,
    Window,
)

COURSE = Course(
    (Place("a", 60, "r1", canary=True), Place("b", halfway=True, noted="t1")), Policy(2, 1, 1, 30, (Window((0, 6), 0, 60), Window((1,), 60, 0, -90))),
    ("x", "y"), "the canary x failed before", "run-7")
EVENTS = [Event(1.25, "a", "wait", reason="full"), Event(2, "a", "begin"), Event(3, "a", "step", "drain"), Event(4, "a", "end", "failed", "no\nboot")]


def text(course: Course = COURSE, events: t.Sequence[Event] = tuple(EVENTS)) -> str:
    return log.head(course) + "".join(map(log.line, events))


def test_text_is_read_again() -> None:
    assert log.read(text(), "f") == (COURSE, EVENTS)
    assert log.read(text(Course(), ()), "f") == (Course(), [])


def test_a_line_is_a_line() -> None:
    assert text().count("\n") == 5


def test_what_is_left_out_is_empty() -> None:
    few = {"version": "v1", "kind": "upgrade_log", "places": [{"node": "a"}], "policy": json.loads(log.head(Course()))["policy"], "failed": []}
    given = json.dumps(few) + "\n" + json.dumps({"at": 1, "node": "a", "event": "begin"}) + "\n"
    assert log.read(given, "f") == (Course((Place("a"),)), [Event(1, "a", "begin")])


def test_its_lines_have_their_keys_in_order() -> None:
    for line in text().splitlines():
        keys = list(json.loads(line))
        assert keys == sorted(keys)


def test_a_torn_last_line_is_left_out() -> None:
    for cut in range(1, len(log.line(EVENTS[-1]))):
        assert log.read(text()[:-cut], "f") == (COURSE, EVENTS[:-1])


def head(**changed: t.Any) -> str:
    data = {**json.loads(log.head(COURSE)), **changed}
    return json.dumps({key: value for key, value in data.items() if value is not ...}) + "\n"


def event(**changed: t.Any) -> str:
    return log.head(COURSE) + json.dumps({**json.loads(log.line(EVENTS[1])), **changed}) + "\n"


BROKEN: dict[str, tuple[str, str]] = {
    "empty": ("", "f: is empty; remove it, and run again"),
    "without a whole line": (log.head(COURSE)[:-1], "f: is empty; remove it, and run again"),
    "no JSON": ("x\n", "f: has a line that is not JSON; remove it, and run again"),
    "nested without end": ("[" * 200_000 + "\n", "f: has a line that is not JSON; remove it, and run again"),
    "a later version": (head(version="v2"), "f: version: is 'v2'; choose one of v1"),
    "another kind": (head(kind="upgrade"), "f: kind: is 'upgrade'; choose one of upgrade_log"),
    "without places": (head(places=...), "f: places: is missing; add it"),
    "more than that": (head(more=1), "f: more: is not a known key; remove it"),
    "another policy": (head(policy={**json.loads(head())["policy"], "pause": "1m"}), "fleet_upgrade_pause: is '1m'; write a number from 0"),
    "a policy with more": (head(policy={**json.loads(head())["policy"], "x": 1}), "f: policy.x: is not a known key; remove it"),
    "a time that is none": (event(at="now"), "f: line 2: at: is no number; remove it, and run again"),
    "a time that is yes": (event(at=True), "f: line 2: at: is no number; remove it, and run again"),
    "another event": (event(event="thinks"), "f: line 2: event: is 'thinks'; choose one of wait, begin, step, end, skip"),
    "an event with more": (event(more=1), "f: line 2: more: is not a known key; remove it"),
    "an event that is a list": (log.head(COURSE) + "[]\n", "f: line 2: is a list, not a mapping; write it as a mapping"),
}


@pytest.mark.parametrize(("given", "sentence"), BROKEN.values(), ids=BROKEN)
def test_what_is_no_log_is_refused(given: str, sentence: str) -> None:
    with pytest.raises(DataError) as caught:
        log.read(given, "f")
    assert caught.value.sentence == sentence
