# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""How every node of a roll-out ended, and how the roll-out did."""

from __future__ import annotations

import collections
import dataclasses as dc
import typing as t

from ..plan import grid, tally
from ..plan.wording import duration
from . import budget, shape
from .progress import Progress
from .shape import Candidate

CUT_OFF = "cut off"  # it began, and nobody tells how it ended
GOOD = (shape.DONE, shape.WANTED)
HEADINGS = ("node", "release", "took", "verdict")


@dc.dataclass(frozen=True)
class Result:
    """One node.

    Attributes:
        node: its name in the inventory.
        status: DONE, one of BAD, what the pre-flight found (DUE if it did not begin), or CUT_OFF.
        reason: why it is not at its release.
        release: that is wanted.
        step: that was begun last in this run.
        seconds: how long it took; None if it did not begin or nobody tells.
        notes: what a person should know.
    """

    node: str
    status: str
    reason: str = ""
    release: str = ""
    step: str = ""
    seconds: int | None = None
    notes: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """In few words, with the reason after a colon."""
        return f"{self.status}: {self.reason}" if self.reason else self.status

    def to_dict(self) -> dict[str, t.Any]:
        """Plain data: the form that fleet_upgrade_report documents."""
        return {**dc.asdict(self), "notes": list(self.notes), "reason": self.reason or None, "step": self.step or None,
                "release": self.release or None, "verdict": self.verdict}


def results(
    candidates: t.Sequence[Candidate], progress: Progress, whys: t.Mapping[str, str],
) -> list[Result]:
    """All nodes.

    Args:
        candidates: as the pre-flight found them.
        progress: by the log of this run.
        whys: why nodes failed, as far as that is known from elsewhere.
    """
    return [_result(one, progress, whys.get(one.node, "")) for one in candidates]


def _result(one: Candidate, progress: Progress, why: str) -> Result:
    if one.node not in progress.began:
        left = progress.skipped.get(one.node) or why if one.status == shape.DUE else one.reason
        return Result(one.node, one.status, grid.plain(left), one.release, notes=one.notes)
    # Other notes of before are no longer true.
    notes = ("somebody else took it out of work, and it stays so",) if one.standing == "foreign" else ()
    step = progress.last.get(one.node, "")
    end = progress.ended.get(one.node)
    if not end:
        reason = grid.plain(why) or f"at the step {step or 'begin'}"
        return Result(one.node, CUT_OFF, reason, one.release, step, None, notes)
    if end.word == shape.DONE and end.reason:
        notes = (*notes, grid.plain(end.reason))
    reason = "" if end.word == shape.DONE else grid.plain(end.reason or why)
    return Result(one.node, end.word, reason, one.release, step, round(end.at - progress.began[one.node]), notes)


def stopped(progress: Progress, found: t.Sequence[Result]) -> str:
    """Why nodes did not begin that were due, and how many; empty if there is none."""
    left = [one for one in found if one.status == shape.DUE]
    if not left:
        return ""
    why = budget.stopped(progress) or left[0].reason
    return f"{tally.many(len(left))} left for another run" + (f": {why}" if why else "")


def complete(found: t.Sequence[Result]) -> bool:
    """Whether every node is at its release and was given back."""
    return all(one.status in GOOD for one in found)


def counts(found: t.Sequence[Result]) -> dict[str, int]:
    """How many nodes ended how."""
    return dict(collections.Counter(one.status for one in found))


def summary(found: t.Sequence[Result]) -> str:
    """One line: how many nodes, and how they ended."""
    return tally.line(len(found), counts(found))


def table(found: t.Sequence[Result], width: int) -> str:
    """The table as text, at most ``width`` wide; below it notes, once for all nodes that have the same."""
    if not found:
        return summary(found)
    rows = [(one.node, one.release or "-", "-" if one.seconds is None else duration(one.seconds), one.verdict)
            for one in found]
    lines = grid.table(HEADINGS, rows, width)
    lines += grid.grouped("notes on", ((one.node, one.notes) for one in found), width)
    return "\n".join([*lines, "", summary(found)])
