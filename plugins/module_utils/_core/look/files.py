# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The part of a look that is about files and what the node recorded. Read through shape.py, which has the whole."""

from __future__ import annotations

import dataclasses as dc

from .gpus import Unknown


@dc.dataclass(frozen=True)
class ManagedFile:
    """One file asked for. All fields but ``path`` are None when it does not exist.

    ``text`` is given for small text files that the roles themselves write, which hold no secrets; it is for diffs.
    """

    path: str
    sha256: str | None = None
    owner: str | None = None
    group: str | None = None
    mode: str | None = None
    link: str | None = None  # target, if it is a symbolic link
    text: str | None = None


@dc.dataclass(frozen=True)
class JournalEntry:
    """One line of /var/lib/instinct/journal.jsonl: what a run did to the node. What it did not say is None."""

    when: str
    who: str
    what: str
    before: str | None = None
    after: str | None = None
    result: str | None = None


@dc.dataclass(frozen=True)
class Files:
    """Digests of the files that roles manage, and the node's own record of what it should be."""

    files: tuple[ManagedFile, ...] = ()
    recorded_release: str | None = None  # from /var/lib/instinct/release.json
    journal: tuple[JournalEntry, ...] = ()  # the last entries, oldest first
    unknown: Unknown = dc.field(default_factory=dict)
