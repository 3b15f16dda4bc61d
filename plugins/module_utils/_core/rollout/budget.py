# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What stops a roll-out: a canary that failed, or more failures than are allowed."""

from __future__ import annotations

import typing as t

from ..plan import grid, tally
from . import shape
from .progress import Progress


def exceeded(failed: t.Sequence[str], allowed: int) -> str:
    """Why no further node begins; empty if one may."""
    if len(failed) <= allowed:
        return ""
    return f"{tally.many(len(failed))} failed or could not be reached ({grid.names(failed)}); {allowed} may"


def stopped(progress: Progress) -> str:
    """The same of a run, in which a canary that fails stops all whatever the budget."""
    if progress.course.stopped:
        return progress.course.stopped
    for place in progress.course.places:
        end = progress.ended.get(place.node) if place.canary else None
        if end and end.word != shape.DONE:
            return f"the canary {place.node} {end.word}" + (f": {end.reason}" if end.reason else "")
    return exceeded(progress.failed, progress.course.policy.failures)
