# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How every node ended, by the log and by what is known from elsewhere."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout import outcome, schedule
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.outcome import Result
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.progress import Progress, fold
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.shape import Candidate, Event, Policy

DUE = Candidate("a", "due", "", "r2", notes=("it is out of work: z",))
NOTE = ("it is out of work: z",)
FOREIGN = ("somebody else took it out of work, and it stays so",)
BEGUN = [Event(10, "a", "begin"), Event(20, "a", "step", "drain")]


def end(word: str, reason: str = "") -> list[Event]:
    return [*BEGUN, Event(130.4, "a", "end", word, reason)]


def progress(*candidates: Candidate, events: list[Event], policy: Policy | None = None) -> Progress:
    return fold(schedule.course(candidates, policy or Policy()), events)


# of before, the log, why by what is known from elsewhere -> how it ended
RESULTS: dict[str, tuple[Candidate, list[Event], str, Result]] = {
    "done": (DUE, end("done"), "an error that was rescued", Result("a", "done", "", "r2", "drain", 120)),
    "done, of which it took no note": (
        DUE, end("done", "no note:\x1b no room"), "", Result("a", "done", "", "r2", "drain", 120, ("no note:  no room",))),
    "rolled back": (DUE, end("rolled back", "gate:\x1b fail"), "other", Result("a", "rolled back", "gate:  fail", "r2", "drain", 120)),
    "failed for a reason that is known elsewhere": (DUE, end("failed"), "apt\n", Result("a", "failed", "apt", "r2", "drain", 120)),
    "others have it": (dc.replace(DUE, standing="foreign"), end("done"), "", Result("a", "done", "", "r2", "drain", 120, FOREIGN)),
    "ended without a step": (DUE, [BEGUN[0], Event(10, "a", "end", "unreachable")], "x", Result("a", "unreachable", "x", "r2", "", 0)),
    "cut off": (DUE, BEGUN, "", Result("a", "cut off", "at the step drain", "r2", "drain")),
    "cut off, and it is known why": (DUE, BEGUN, "no route", Result("a", "cut off", "no route", "r2", "drain")),
    "cut off at once": (DUE, BEGUN[:1], "", Result("a", "cut off", "at the step begin", "r2")),
    "left": (DUE, [Event(1, "a", "skip", reason="no window of time is open")], "x", Result("a", "due", "no window of time is open", "r2", notes=NOTE)),
    "left, and nobody says why": (DUE, [Event(1, "a", "wait", reason="full")], "", Result("a", "due", "", "r2", notes=NOTE)),
    "left, for it failed before its turn": (DUE, [], "no such variable", Result("a", "due", "no such variable", "r2", notes=NOTE)),
    "as wanted": (Candidate("a", "as wanted", release="r2"), [], "x", Result("a", "as wanted", "", "r2")),
    "refused": (Candidate("a", "refused", "no plan"), [], "x", Result("a", "refused", "no plan")),
}


@pytest.mark.parametrize(("candidate", "events", "why", "result"), RESULTS.values(), ids=RESULTS)
def test_result(candidate: Candidate, events: list[Event], why: str, result: Result) -> None:
    assert outcome.results([candidate], progress(candidate, events=events), {"a": why}) == [result]


def test_a_node_as_data() -> None:
    assert Result("a", "rolled back", "gate: fail", "r2", "gate", 120, FOREIGN).to_dict() == {
        "node": "a", "status": "rolled back", "verdict": "rolled back: gate: fail", "reason": "gate: fail", "release": "r2", "step": "gate",
        "seconds": 120, "notes": list(FOREIGN)}
    assert Result("a", "due").to_dict() == {
        "node": "a", "status": "due", "verdict": "due", "reason": None, "release": None, "step": None, "seconds": None, "notes": []}


NAMES = [dc.replace(DUE, node=node) for node in "abc"]
# the log -> why nodes did not begin
LEFT: dict[str, tuple[list[Event], str]] = {
    "the budget": (end("failed"), "2 nodes left for another run: 1 node failed or could not be reached (a); 0 may"),
    "another reason": ([Event(1, "a", "skip", reason="no window of time is open")], "3 nodes left for another run: no window of time is open"),
    "nobody says why": (end("done"), "2 nodes left for another run"),
    "none is left": ([*end("failed"), Event(1, "b", "begin"), Event(1, "c", "begin")], ""),
}


@pytest.mark.parametrize(("events", "why"), LEFT.values(), ids=LEFT)
def test_what_is_left(events: list[Event], why: str) -> None:
    found = progress(*NAMES, events=events)
    assert outcome.stopped(found, outcome.results(NAMES, found, {})) == why


@pytest.mark.parametrize(("status", "complete"), [
    ("done", True), ("as wanted", True), ("due", False), ("failed", False), ("rolled back", False), ("stranded", False), ("unreachable", False),
    ("cut off", False), ("refused", False), ("failed before", False)])
def test_complete(status: str, complete: bool) -> None:
    assert outcome.complete([Result("a", "done"), Result("b", status)]) is complete


def test_table() -> None:
    found = [
        Result("a", "done", release="r2", seconds=1234, notes=FOREIGN), Result("b", "rolled back", "gate: fail", "r2", "gate", 60),
        Result("c", "refused", "no plan")]
    assert outcome.table(found, 100).splitlines() == [
        "node  release  took         verdict",
        "----  -------  -----------  -----------------------",
        "a     r2       20 min 34 s  done",
        "b     r2       1 min 00 s   rolled back: gate: fail",
        "c     -        -            refused: no plan",
        "", "notes on a:", "  somebody else took it out of work, and it stays so",
        "", "3 nodes: 1 done, 1 rolled back, 1 refused"]
    assert outcome.counts(found) == {"done": 1, "rolled back": 1, "refused": 1}
    assert outcome.table([], 80) == outcome.summary([]) == "no nodes"
