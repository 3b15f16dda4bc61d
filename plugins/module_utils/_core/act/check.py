# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""One question that is asked before anything is changed, and what came of it."""

from __future__ import annotations

import dataclasses as dc
import typing as t

OK, REFUSED, UNKNOWN = "ok", "refused", "unknown"


@dc.dataclass(frozen=True)
class Check:
    """One question and what came of it: OK, REFUSED, or UNKNOWN where nobody could tell."""

    name: str
    verdict: str
    words: str

    def to_dict(self) -> dict[str, str]:
        """Plain data."""
        return dc.asdict(self)


def refusal(checks: t.Iterable[Check]) -> str:
    """What speaks against touching the node, in one sentence; empty if nothing does."""
    return "; ".join(check.words for check in checks if check.verdict == REFUSED)
