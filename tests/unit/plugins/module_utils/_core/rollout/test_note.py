# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The note that a node carries: what it says after each event, and that a broken one is refused."""

from __future__ import annotations

import dataclasses as dc
import json
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout import note, shape
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.shape import Note

FULL = Note("r2, kernel 6.1", "r2", "s1", "gate", shape.FAILED, "gate: fail", 2, "t0", "t1", 900, "run-7")


def test_text_is_read_again() -> None:
    assert note.read(note.text(FULL)) == FULL
    assert note.read(note.text(dc.replace(FULL, seconds=None, reason="", snapshot=""))).seconds is None
    assert note.text(FULL).endswith("}\n")
    keys = list(json.loads(note.text(FULL)))
    assert keys == sorted(keys)


def raw(**changed: t.Any) -> str:
    data = {"version": "v1", "kind": "upgrade", **dc.asdict(FULL), **changed}
    return json.dumps({key: value for key, value in data.items() if value is not ...})


LATER = "which this version of the collection does not know; go on with the later one that wrote the note"
BROKEN: dict[str, tuple[str, str]] = {
    "empty": ("", "is not JSON; remove it, and the upgrade of the node begins anew"),
    "torn": (note.text(FULL)[:40], "is not JSON; remove it, and the upgrade of the node begins anew"),
    "nested without end": ("[" * 200_000, "is not JSON; remove it, and the upgrade of the node begins anew"),
    "a list": ("[]", "is a list, not a mapping; write it as a mapping"),
    "a later version": (raw(version="v2"), f"version: is 'v2', {LATER}"),
    "a later version of which nothing else is known": ('{"version": "v12"}', f"version: is 'v12', {LATER}"),
    "a version that steers the terminal": (raw(version="v2\x1b[2J"), f"version: is 'v2\\x1b[2J', {LATER}"),
    "another kind": (raw(kind="health"), "kind: is 'health'; choose one of upgrade"),
    "without target": (raw(target=...), "target: is missing; add it"),
    "another state": (raw(state="paused"), f"state: is 'paused', {LATER}"),
    "another step": (raw(step="x"), f"step: is 'x', {LATER}"),
    "a negative time": (raw(seconds=-1), "seconds: is -1, and cannot be less than 0; write it in that form"),
    "more than that": (raw(extra=1), f"extra: is a key, {LATER}"),
}


@pytest.mark.parametrize(("text", "sentence"), BROKEN.values(), ids=BROKEN)
def test_what_is_no_note_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(DataError) as caught:
        note.read(text)
    assert caught.value.sentence == f"/var/lib/instinct/upgrade.json: {sentence}"


def test_what_is_left_out_is_empty() -> None:
    found = note.read(raw(**dict.fromkeys(("snapshot", "reason", "began", "updated"), ...)))
    assert found == dc.replace(FULL, snapshot="", reason="", began="", updated="")


def test_an_attempt_that_is_not_counted_is_the_first() -> None:
    assert note.read(raw(attempt=...)).attempt == 1
    assert note.read(raw(attempt=3)).attempt == 3
    assert note.read(raw(run=...)).run == ""


# before -> (snapshot, attempt, began, seconds) of the note that begins the upgrade to "new"
BEGUN: dict[str, tuple[Note | None, tuple[str, int, str, int | None]]] = {
    "nothing was before": (None, ("", 1, "now", None)),
    "another upgrade was done": (Note("old", "r1", "s1", "undrain", shape.DONE, seconds=60), ("", 1, "now", 60)),
    "another was cut off": (Note("old", "r1", "s1", "apply", shape.GOING, attempt=4), ("s1", 1, "now", None)),
    "another went back": (Note("old", "r1", "s1", "regate", shape.ROLLED_BACK), ("", 1, "now", None)),
    "this one was cut off": (Note("new", "r2", "s1", "apply", shape.GOING, attempt=2, began="t0"), ("s1", 2, "t0", None)),
    "this one failed": (Note("new", "r2", "s1", "gate", shape.FAILED, "x", 1, "t0"), ("s1", 2, "now", None)),
    "this one stranded": (Note("new", "r2", "s1", "restore", shape.STRANDED, "x", 2, "t0"), ("s1", 3, "now", None)),
    "this one went back": (Note("new", "r2", "s1", "regate", shape.ROLLED_BACK, "x", 1, "t0"), ("", 2, "now", None)),
    "this one was done": (Note("new", "r2", "s1", "undrain", shape.DONE, "", 1, "t0", "t1", 70), ("", 2, "now", 70)),
}


@pytest.mark.parametrize(("before", "said"), BEGUN.values(), ids=BEGUN)
def test_an_upgrade_begins(before: Note | None, said: tuple[str, int, str, int | None]) -> None:
    new = note.begun(before, "new", "r2", "snapshot", "now")
    assert (new.snapshot, new.attempt, new.began, new.seconds) == said
    assert (new.target, new.release, new.step, new.state, new.reason, new.updated) == ("new", "r2", "snapshot", shape.GOING, "", "now")


def test_steps_and_ends() -> None:
    begun = note.begun(None, "new", "r2", "snapshot", "t0")
    first = note.stepped(begun, "drain", "t1", snapshot="s1")
    assert first == dc.replace(begun, step="drain", updated="t1", snapshot="s1")
    back = note.stepped(first, "restore", "t2", "gate: fail")
    assert back == dc.replace(first, step="restore", updated="t2", reason="gate: fail")
    assert note.stepped(back, "regate", "t3") == dc.replace(back, step="regate", updated="t3")
    assert note.ended(back, shape.ROLLED_BACK, "t4") == dc.replace(back, state=shape.ROLLED_BACK, updated="t4")
    assert note.ended(back, shape.STRANDED, "t4", "no boot") == dc.replace(back, state=shape.STRANDED, updated="t4", reason="no boot")
    assert note.ended(back, shape.DONE, "t4", "x", 9) == dc.replace(back, state=shape.DONE, updated="t4", reason="", seconds=9)
    assert note.ended(FULL, shape.DONE, "t4").seconds == 900
