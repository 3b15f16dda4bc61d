# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The node's journal: one JSON line per thing done, only ever appended to."""

from __future__ import annotations

import datetime
import os

from .._core.act.journal import JOURNAL, Record, line
from .._core.errors import FleetError


def read() -> str:
    """The journal as text; empty if there is none."""
    try:
        with open(JOURNAL, encoding="utf-8", errors="replace") as stream:
            return stream.read()
    except (FileNotFoundError, NotADirectoryError):
        return ""


def append(record: Record) -> None:
    """Append one line, on the disk when this returns. A line torn by an earlier crash is closed first.

    Raises:
        FleetError: the journal cannot be written.
    """
    text = line(record, datetime.datetime.now(datetime.timezone.utc).isoformat())
    try:
        os.makedirs(os.path.dirname(JOURNAL), mode=0o755, exist_ok=True)
        torn = not (read() or "\n").endswith("\n")
        handle = os.open(JOURNAL, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
        try:
            os.write(handle, (("\n" if torn else "") + text).encode())
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        raise FleetError(JOURNAL, f"cannot be written: {error.strerror}", "run as root (become: true)") from error
