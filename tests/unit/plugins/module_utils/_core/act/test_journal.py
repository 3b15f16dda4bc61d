# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What stands in the journal, and what is worth a new line."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.act.journal import entries, is_news, line
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import JournalEntry


def test_line_leaves_out_what_is_not_said() -> None:
    text = line({"who": "ci", "what": "x", "from": None, "to": "b"}, "2026-01-01T00:00:00+00:00")
    assert text == '{"to": "b", "what": "x", "when": "2026-01-01T00:00:00+00:00", "who": "ci"}\n'


OLD = '{"when": "1", "who": "ci", "what": "x", "to": "a"}\n'
NEWS = {
    "empty journal": ("", True),
    "said before": (OLD, False),
    "said before, another thing since": (OLD + '{"when": "2", "who": "ci", "what": "y", "to": "b"}\n', False),
    "changed since": (OLD + '{"when": "2", "who": "ci", "what": "x", "to": "b"}\n', True),
    "torn line since": (OLD + '{"when": "2", "wh', False),
    "line that is no record": (OLD + "7\n", False),
}


@pytest.mark.parametrize(("journal", "news"), NEWS.values(), ids=NEWS)
def test_is_news(journal: str, news: bool) -> None:
    assert is_news({"who": "ci", "what": "x", "from": None, "to": "a"}, journal) is news


ENTRY = '{"when": "2026-01-01", "who": "ci", "what": "x", "from": "a", "to": "b", "result": "done"}\n'
READ = {
    "empty journal": ("", []),
    "all that can be said": (ENTRY, [JournalEntry("2026-01-01", "ci", "x", "a", "b", "done")]),
    "the least": (OLD, [JournalEntry("1", "ci", "x", None, "a")]),
    "the newest two": (ENTRY + OLD + OLD, [JournalEntry("1", "ci", "x", None, "a")] * 2),
    "torn": (OLD + '{"when": "2", "wh', [JournalEntry("1", "ci", "x", None, "a")]),
    "nobody did it": ('{"when": "1", "what": "x"}\n', []),
    "a number is no name": ('{"when": "1", "who": 7, "what": "x"}\n', []),
    "a number where text may be": ('{"when": "1", "who": "ci", "what": "x", "to": 7}\n', [JournalEntry("1", "ci", "x")]),
    "a list": ("[1]\n", []),
    "endless": ('{"when": "1", "who": "ci", "what": "' + 999 * "x" + '"}\n', [JournalEntry("1", "ci", 200 * "x")]),
}


@pytest.mark.parametrize(("journal", "found"), READ.values(), ids=READ)
def test_entries(journal: str, found: list[JournalEntry]) -> None:
    assert list(entries(journal, 2)) == found
