# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The note that a node carries through its upgrade: /var/lib/instinct/upgrade.json."""

from __future__ import annotations

import dataclasses as dc
import json
import typing as t

from ..act.snapshot import is_of
from ..errors import DataError
from ..plan import grid, managed
from ..strict import Reader, from_json
from . import shape
from .shape import Note

PATH = managed.UPGRADE_NOTE
VERSION, KIND = "v1", "upgrade"
_WHOLE = (shape.DONE, shape.ROLLED_BACK)  # the node is at one release
_HINT = "remove it, and the upgrade of the node begins anew"


def read(text: str, where: str = PATH) -> Note:
    """The note from its text.

    Raises:
        DataError: it is none, or a later version of the collection wrote it.
    """
    reader = from_json(text, where, _HINT)
    _known(reader, "version", (VERSION,))
    reader.choice("kind", (KIND,))
    known = reader.anything("seconds") is not None
    note = Note(
        reader.text("target"), reader.text("release"), reader.text("snapshot", ""),
        _known(reader, "step", (*shape.STEPS, *shape.BACK)), _known(reader, "state", shape.STATES),
        reader.text("reason", ""), reader.count("attempt") or 1, reader.text("began", ""), reader.text("updated", ""),
        reader.count("seconds") if known else None, reader.text("run", ""))
    try:
        reader.done()
    except DataError as error:
        raise _later(error.where, "is a key") from error
    return note


def _known(reader: Reader, key: str, words: t.Sequence[str]) -> str:
    word = reader.text(key)
    if word not in words:
        raise _later(f"{reader.path} {key}", f"is {grid.plain(repr(word))}")
    return word


def _later(where: str, what: str) -> DataError:
    return DataError(where, f"{what}, which this version of the collection does not know",
                     "go on with the later one that wrote the note")


def text(note: Note) -> str:
    """The note as the file has it."""
    return json.dumps({"version": VERSION, "kind": KIND, **dc.asdict(note)}, indent=2, sort_keys=True) + "\n"


def kept(before: Note | None, recorded: str = "") -> str:
    """Id of the snapshot that stays when an upgrade begins; empty where one is made of what the node is then.

    It stays where the node was left in the middle: one that is made now would keep what is half done. It does not where
    the node has ``recorded`` a release that is neither the one of the snapshot nor the one that the upgrade was to:
    somebody brought it there since, whole.
    """
    if before is None or before.state in _WHOLE:
        return ""
    elsewhere = recorded not in ("", before.release) and not is_of(before.snapshot, recorded)
    return "" if elsewhere else before.snapshot


def begun(before: Note | None, target: str, release: str, step: str, when: str, recorded: str = "") -> Note:
    """The upgrade of the node begins, or goes on where an earlier run was cut off. ``when`` is UTC in ISO 8601;
    ``recorded``: release that the node's record names.
    """
    if before is None:
        return Note(target, release, "", step, shape.GOING, began=when, updated=when)
    same = before.target == target
    new = Note(target, release, kept(before, recorded), step, shape.GOING,
               attempt=before.attempt + 1 if same else 1, began=when, updated=when, seconds=before.seconds)
    goes_on = same and before.state == shape.GOING
    return dc.replace(new, attempt=before.attempt, began=before.began) if goes_on else new


def stepped(before: Note, step: str, when: str, reason: str = "", snapshot: str = "") -> Note:
    """A step begins. ``reason``: why the way back is taken; ``snapshot``: id of the one that was made."""
    return dc.replace(before, step=step, updated=when, reason=reason or before.reason,
                      snapshot=snapshot or before.snapshot)


def ended(before: Note, state: str, when: str, reason: str = "", seconds: int | None = None) -> Note:
    """It ended: DONE, or one of BAD with the reason."""
    why = "" if state == shape.DONE else reason or before.reason
    took = before.seconds if seconds is None else seconds
    return dc.replace(before, state=state, reason=why, updated=when, seconds=took)
