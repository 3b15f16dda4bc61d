# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The note of an upgrade, on the node's disk."""

from __future__ import annotations

import contextlib
import datetime
import typing as t

from .._core.act.fileset import Change, changes, parse
from .._core.errors import DataError
from .._core.plan import managed, record
from .._core.rollout import note as notes
from .._core.rollout.shape import Note
from . import journal
from .files import replace_all, see
from .lock import node_lock

NOTE = notes.PATH
RECORD = managed.RELEASE_RECORD


def held(check: bool, timeout: float) -> contextlib.AbstractContextManager[None]:
    """The lock of this node, unless nothing is written anyway."""
    return contextlib.nullcontext() if check else node_lock(timeout)


def now() -> str:
    """The time, UTC in ISO 8601, in whole seconds."""
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")


def later(than: str) -> str:
    """Now, or a second after that time where the clock was set back since: what comes later must also say so."""
    when = now()
    with contextlib.suppress(ValueError):
        if than >= when:
            when = (datetime.datetime.fromisoformat(than) + datetime.timedelta(seconds=1)).isoformat(timespec="seconds")
    return when


def seconds(note: Note | None, when: str) -> int | None:
    """How long ago the upgrade began; None where the note does not tell."""
    try:
        began, now_ = (datetime.datetime.fromisoformat(text) for text in (note.began if note else "", when))
        return max(0, round((now_ - began).total_seconds()))
    except (ValueError, TypeError):
        return None


def read() -> Note | None:
    """The note; None if there is none.

    Raises:
        FleetError: it is damaged, or cannot be read.
    """
    seen = see(NOTE)
    if seen.kind == "absent":
        return None
    if seen.kind != "file":
        raise DataError(NOTE, "is not a file", "remove it, and the upgrade of the node begins anew")
    return notes.read(seen.content.decode("utf-8", "replace"))


def recorded() -> str:
    """Release that the node's record names; empty where there is none that can be read."""
    with contextlib.suppress(DataError):
        return record.parse(see(RECORD).content.decode("utf-8", "replace"), RECORD).release
    return ""


def change(note: Note) -> Change:
    """The change that makes this the note of the node."""
    wanted = parse([{"path": NOTE, "state": "present", "content": notes.text(note), "owner": "root", "group": "root",
                     "mode": "0644", "directory_mode": "0755"}])
    return changes(wanted, {NOTE: see(NOTE)})[0]


def write(todo: Change, told: t.Mapping[str, t.Any] | None) -> None:
    """Write it, and a line of the journal if there is anything to tell.

    Raises:
        FleetError: it cannot be written; the note is as it was then.
    """
    replace_all([todo])
    if told:
        journal.append(told)
