# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Lines of the node's journal, and whether a new one would say anything."""

from __future__ import annotations

import json
import typing as t

from ..look.shape import JournalEntry

JOURNAL = "/var/lib/instinct/journal.jsonl"
Record = t.Mapping[str, t.Any]
LONGEST = 200  # characters of one value that a look repeats


def line(record: Record, when: str) -> str:
    """One line of the journal: JSON with sorted keys and a newline. ``when`` is UTC in ISO 8601."""
    return json.dumps({"when": when, **_said(record)}, sort_keys=True) + "\n"


def is_news(record: Record, journal: str) -> bool:
    """False if the newest entry of the same ``what`` says the same, whenever that was. Torn lines do not count."""
    new = _said(record)
    for text in reversed(journal.splitlines()):
        try:
            entry = json.loads(text)
        except ValueError:
            continue
        if isinstance(entry, dict) and entry.get("what") == new["what"]:
            return {k: v for k, v in entry.items() if k != "when"} != new
    return True


def entries(journal: str, most: int) -> tuple[JournalEntry, ...]:
    """The last ``most`` entries, oldest first. Lines that are none, torn ones above all, are left out."""
    found = [entry for entry in map(_entry, journal.splitlines()[-10 * most:]) if entry]
    return tuple(found[-most:])


def _entry(text: str) -> JournalEntry | None:
    try:
        raw = json.loads(text)
    except ValueError:
        return None
    if not isinstance(raw, dict) or not all(isinstance(raw.get(key), str) for key in ("when", "who", "what")):
        return None
    values = {key: raw[key][:LONGEST] for key in ("when", "who", "what", "from", "to", "result")
              if isinstance(raw.get(key), str)}
    return JournalEntry(values["when"], values["who"], values["what"], values.get("from"), values.get("to"),
                        values.get("result"))


def _said(record: Record) -> dict[str, t.Any]:
    return {k: v for k, v in record.items() if v is not None}
