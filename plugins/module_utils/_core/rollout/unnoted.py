# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""An upgrade that failed, and of which the node could take no note: its disk was full, or another process had its lock.

Such a node says that it was cut off, and would be tried again unasked. How it failed is known from elsewhere: from the
log of its run, where that is still there, and from the reason that its scheduler was given.
"""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..act import drain
from . import shape
from .shape import Event, Note

PURPOSE = "upgrade"  # of the drains of a roll-out
_NOTED = (shape.FAILED, shape.ROLLED_BACK, shape.STRANDED)  # what would have been noted
# Steps at which the reason of a drain of ours is that of this attempt: the drain before them gave it another.
_BEHIND = ("apply", "gate", "undrain", *shape.BACK)


def heard(kept: Note | None, logged: Event | None, holder: str, reason: str) -> tuple[Note | None, str]:
    """The note as it should read, and from where that is known; empty if it is what the node says.

    Args:
        kept: the note.
        logged: how the run that the note names ended with the node, by its log; None if nobody knows.
        holder: who has the node out of work.
        reason: why, as the scheduler has it.
    """
    if kept is None or kept.state != shape.GOING:
        return kept, ""
    if logged and logged.word in _NOTED:
        return dc.replace(kept, state=logged.word, reason=logged.reason), f"the log of its run {kept.run}"
    told = _told(reason) if holder == drain.OURS and kept.step in _BEHIND else None
    return (dc.replace(kept, state=told[0], reason=told[1]), "its scheduler") if told else (kept, "")


def _told(reason: str) -> tuple[str, str] | None:
    """State and reason of a drain that tells how an upgrade ended: instinct.fleet: upgrade: failed: no room."""
    words: t.Iterable[tuple[str, str]] = ((state, f"{drain.mark(PURPOSE, state)}: ") for state in _NOTED)
    return next(((state, reason[len(begin):]) for state, begin in words if reason.startswith(begin)), None)
