# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Numbers and times as people say them."""

from __future__ import annotations


def counted(number: int, word: str) -> str:
    """1 node; 8 nodes."""
    return f"{number} {word}{'' if number == 1 else 's'}"


def duration(seconds: float) -> str:
    """A time as people say it: 42 s, 3 min 07 s, 1 h 02 min."""
    count = int(seconds)
    if count < 60:
        return f"{count} s"
    if count < 3600:
        return f"{count // 60} min {count % 60:02d} s"
    return f"{count // 3600} h {count % 3600 // 60:02d} min"
