# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Lines of the node's journal, and whether a new one would say anything."""

from __future__ import annotations

import json
import typing as t

Record = t.Mapping[str, t.Any]


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


def _said(record: Record) -> dict[str, t.Any]:
    return {k: v for k, v in record.items() if v is not None}
