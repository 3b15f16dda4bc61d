# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Digests of files that roles manage, and the release that the node recorded."""

from __future__ import annotations

import hashlib
import json
import typing as t

from .._core.act.journal import JOURNAL, entries
from .._core.look.shape import Files, JournalEntry, ManagedFile
from .._core.plan.managed import MANAGED_FILES, RELEASE_RECORD
from .apart import UnreadableError
from .machine import Machine, mode_text
from .notes import Notes

_LARGEST_TEXT = 256 * 1024  # bytes; the record of 64 reserved devices has a third of it
_JOURNAL_END = 32 * 1024  # bytes of the journal's end that are read
_ENTRIES = 10


def read(machine: Machine, paths: t.Sequence[str]) -> Files:
    """Read the files section for the paths given."""
    notes = Notes()
    return Files(
        files=tuple(notes.attempt(f"files.{path}", ManagedFile(path), _file, machine, path) for path in paths),
        recorded_release=notes.attempt("recorded_release", None, _recorded, machine),
        journal=notes.attempt("journal", (), _journal, machine), unknown=notes,
    )


def _file(machine: Machine, path: str) -> ManagedFile:
    status = machine.stat(path)
    link = machine.link(path)
    if status is None:
        return ManagedFile(path, link=link)
    data = machine.data(path)
    return ManagedFile(
        path=path, sha256=None if data is None else hashlib.sha256(data).hexdigest(),
        owner=machine.user(status.st_uid), group=machine.group(status.st_gid), mode=mode_text(status), link=link,
        text=_text(data) if path in MANAGED_FILES and data is not None else None,
    )


def _text(data: bytes) -> str | None:
    if len(data) > _LARGEST_TEXT:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _recorded(machine: Machine) -> str | None:
    text = machine.text(RELEASE_RECORD)
    if text is None:
        return None
    try:
        name = json.loads(text)["release"]
    except (ValueError, KeyError, TypeError):
        raise UnreadableError(f"{RELEASE_RECORD} does not name a release") from None
    return str(name)


def _journal(machine: Machine) -> tuple[JournalEntry, ...]:
    """The last entries; the end of the file begins in the middle of a line, which is none then."""
    return entries(machine.tail(JOURNAL, _JOURNAL_END) or "", _ENTRIES)
