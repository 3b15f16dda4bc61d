# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What a name that does not exist may have meant."""

from __future__ import annotations

import difflib
import typing as t


def nearest(name: str, there: t.Iterable[str], cutoff: float = 0.6) -> str:
    """The name that is most like it; empty: none is. ``cutoff``: how alike, of 1."""
    return next(iter(difflib.get_close_matches(name, list(there), 1, cutoff)), "")


def hint(name: str, there: t.Iterable[str], otherwise: str = "") -> str:
    """What to do about a name that is none of those there are. ``otherwise``: where none is like it, for a list."""
    known = sorted(there)
    near = nearest(name, known)
    return f"did you mean {near}?" if near else otherwise or f"choose one of {', '.join(known)}"
