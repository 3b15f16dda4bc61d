# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which event may follow on which note, and what the journal hears of it."""

from __future__ import annotations

import dataclasses as dc
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.following import Event, after, told, words
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.shape import Note

THEN, NOW = "2026-11-30T10:00:00+00:00", "2026-11-30T10:20:30+00:00"
BEGIN = Event("begin", "t1", "rocm-7.2.3", "snapshot")
GOING = Note("t1", "rocm-7.2.3", "", "apply", "going", began=THEN, updated=THEN)
BACK = dc.replace(GOING, step="restore", reason="no GPU answers")
DONE = dc.replace(GOING, step="undrain", state="done", seconds=60)
OLD = "20261130T064500Z-rocm-7.0.2"

FOLLOWS: list[tuple[str, Note | None, Event, dict[str, t.Any]]] = [
    ("it begins", None, BEGIN, {"state": "going", "step": "snapshot", "attempt": 1, "began": NOW}),
    ("the snapshot is known at once", None, dc.replace(BEGIN, snapshot="s1"), {"snapshot": "s1"}),
    ("what was cut off goes on", GOING, BEGIN, {"step": "snapshot", "attempt": 1, "began": THEN}),
    ("what failed is counted", dc.replace(GOING, state="failed", reason="x"), BEGIN, {"attempt": 2, "reason": ""}),
    ("what failed keeps what it was", dc.replace(GOING, state="failed", snapshot=OLD), BEGIN, {"snapshot": OLD}),
    ("a step", GOING, Event("step", step="gate"), {"step": "gate", "state": "going", "updated": NOW}),
    ("a step with its snapshot", GOING, Event("step", step="trial", snapshot="s1"), {"snapshot": "s1"}),
    ("the way back", GOING, Event("step", step="restore", reason="y"), {"step": "restore", "reason": "y"}),
    ("the way back from what is done", DONE, Event("step", step="restore"), {"step": "restore", "state": "going"}),
    ("done, with its time", GOING, Event("end", state="done"), {"state": "done", "seconds": 1230, "reason": ""}),
    ("failed", GOING, Event("end", state="failed", reason="z"), {"state": "failed", "reason": "z"}),
    ("rolled back, for the reason of before", BACK, Event("end", state="rolled back"),
     {"state": "rolled back", "reason": "no GPU answers"}),
    ("stranded before the way back was noted", GOING, Event("end", state="stranded", reason="z"), {"state": "stranded"}),
    ("stranded", BACK, Event("end", state="stranded", reason="z"), {"state": "stranded", "reason": "z"}),
]


@pytest.mark.parametrize(("_name", "before", "event", "wanted"), FOLLOWS, ids=[row[0] for row in FOLLOWS])
def test_what_follows(_name: str, before: Note | None, event: Event, wanted: dict[str, t.Any]) -> None:
    found = dc.asdict(after(before, event, NOW, 1230))
    assert {key: found[key] for key in wanted} == wanted


@pytest.mark.parametrize(("recorded", "stays"), [("", OLD), ("rocm-7.0.2", OLD), ("rocm-7.2.3", OLD), ("rocm-7.1.1", "")])
@pytest.mark.parametrize("state", ["going", "failed", "stranded"])
def test_a_node_that_came_to_a_third_release_since_goes_back_to_that(state: str, recorded: str, stays: str) -> None:
    before = dc.replace(GOING, state=state, reason="x", snapshot=OLD)
    assert after(before, dc.replace(BEGIN, target="t2", release="rocm-7.3.0"), NOW, None, recorded).snapshot == stays


@pytest.mark.parametrize(("before", "event"), [
    (GOING, Event("step", step="apply")), (BACK, Event("step", step="restore")), (DONE, Event("end", state="done")),
    (dc.replace(BACK, state="stranded"), Event("end", state="stranded", reason="no GPU answers")),
])
def test_what_the_note_says_already_changes_nothing(before: Note, event: Event) -> None:
    assert after(before, event, NOW) is before


REFUSED = [
    ("a step of what was never begun", None, Event("step", step="drain"), "no upgrade was begun"),
    ("an end of what was never begun", None, Event("end", state="done"), "no upgrade was begun"),
    ("a way back of what was never begun", None, Event("step", step="restore"), "no upgrade was begun"),
    ("to begin with the way back", None, dc.replace(BEGIN, step="restore"), "is none that an upgrade begins with"),
    ("a step of what is done", DONE, Event("step", step="gate"), "is done, so it cannot go on"),
    ("another end of what is done", DONE, Event("end", state="failed", reason="x"), "is done, so it cannot go on"),
    ("done on the way back", BACK, Event("end", state="done"), "is no end of the step restore"),
    ("rolled back on the way forth", GOING, Event("end", state="rolled back", reason="x"), "is no end of the step apply"),
    ("failed without a reason", GOING, Event("end", state="failed"), "comes without a reason"),
]


@pytest.mark.parametrize(("_name", "before", "event", "said"), REFUSED, ids=[row[0] for row in REFUSED])
def test_what_cannot_follow_is_refused(_name: str, before: Note | None, event: Event, said: str) -> None:
    with pytest.raises(FleetError, match=said):
        after(before, event, NOW)


MINE = {"run": "mine", "noted": THEN}  # this run found the note as it was then
THEIRS = dc.replace(GOING, run="theirs", updated=THEN)
NEWER = dc.replace(THEIRS, updated="2026-11-30T10:05:00+00:00")


@pytest.mark.parametrize("event", [BEGIN, Event("step", step="restore", reason="x")], ids=["begins", "goes back"])
@pytest.mark.parametrize("before", [THEIRS, dc.replace(THEIRS, state="failed", reason="y"), dc.replace(THEIRS, run="")])
def test_a_note_that_nobody_wrote_since_is_taken_over(before: Note, event: Event) -> None:
    taken = after(before, dc.replace(event, **MINE), NOW)
    assert (taken.run, taken.state, taken.updated) == ("mine", "going", NOW)
    assert after(taken, Event("step", step="regate", **MINE), NOW).run == "mine", "it goes on, though written since"


ANY = [BEGIN, Event("step", step="apply"), Event("step", step="restore"), Event("end", state="done"), Event("end", state="failed", reason="x")]


@pytest.mark.parametrize("event", ANY, ids=lambda event: event.event + event.step + event.state)
def test_a_node_that_another_run_took_is_left_to_it(event: Event) -> None:
    with pytest.raises(FleetError) as caught:
        after(NEWER, dc.replace(event, **MINE), NOW)
    assert caught.value.sentence == (
        "another run: has taken this node since this one looked at it: theirs, at the step apply since 2026-11-30T10:05:00+00:00; "
        "wait until it ended, then run again")


def test_what_another_run_brought_to_an_end_is_not_begun_again_unasked() -> None:
    for ended, said in ((dc.replace(NEWER, state="failed", reason="x"), "failed"), (dc.replace(NEWER, state="done"), "done")):
        with pytest.raises(FleetError, match=f"theirs, {said} since 2026-11-30T10:05:00[+]00:00; run again$"):
            after(ended, dc.replace(BEGIN, **MINE), NOW)
    with pytest.raises(FleetError, match="one without a name, at the step"):
        after(dc.replace(NEWER, run=""), Event("step", step="apply", run="mine"), NOW)


def test_who_has_no_name_is_asked_nothing() -> None:
    assert after(NEWER, BEGIN, NOW).run == ""
    assert after(NEWER, Event("step", step="gate"), NOW).run == "theirs"


TOLD = [
    (None, BEGIN, {"from": None, "result": "begun"}),
    (GOING, Event("step", step="drain"), None),
    (GOING, Event("step", step="restore", reason="y"), {"result": "on the way back: restore: y"}),
    (GOING, Event("end", state="done"), {"from": "rocm-7.2.3", "result": "done"}),
    (BACK, Event("end", state="rolled back"), {"result": "rolled back: no GPU answers"}),
]


@pytest.mark.parametrize(("before", "event", "wanted"), TOLD)
def test_the_journal_hears_how_it_begins_and_ends(before: Note | None, event: Event, wanted: dict[str, t.Any] | None) -> None:
    found = told(before, after(before, event, NOW), event, "ci")
    if wanted is None:
        assert found is None
    else:
        assert found == {"who": "ci", "what": "upgrade", "from": "rocm-7.2.3", "to": "rocm-7.2.3"} | wanted


@pytest.mark.parametrize(("before", "event", "wanted"), [
    (None, BEGIN, "note the upgrade to rocm-7.2.3: snapshot"),
    (GOING, Event("step", step="gate"), "note a step of the upgrade to rocm-7.2.3: gate"),
    (GOING, Event("end", state="done"), "note the upgrade to rocm-7.2.3 as done"),
    (BACK, Event("end", state="stranded"), "note the upgrade to rocm-7.2.3 as stranded: no GPU answers"),
])
def test_words(before: Note | None, event: Event, wanted: str) -> None:
    assert words(after(before, event, NOW), event) == wanted
