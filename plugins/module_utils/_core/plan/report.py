# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""How every node ended, as a table for people and as plain data."""

from __future__ import annotations

import collections
import dataclasses as dc
import typing as t

from . import grid
from .grid import plain

HEADINGS = ("node", "GPUs", "release wanted", "release found", "changed", "verdict")


@dc.dataclass(frozen=True)
class Row:
    """How one node ended."""

    node: str
    gpus: str = ""
    wanted: str = ""
    found: str = ""
    changed: tuple[str, ...] = ()
    verdict: str = "no report"
    reboot_required: bool = False
    notes: tuple[str, ...] = ()
    complete: bool = True  # whether ``changed`` is all: a node that failed on the way may have changed more

    def to_dict(self) -> dict[str, t.Any]:
        """Plain data."""
        return {**dc.asdict(self), "changed": list(self.changed), "notes": list(self.notes)}


def _words(value: t.Any) -> tuple[str, ...]:
    items = value if isinstance(value, (list, tuple)) else [value] if value else []
    return tuple(filter(None, map(plain, items)))


def row(node: str, report: t.Mapping[str, t.Any] | None, ending: tuple[str, str] | None, in_play: bool) -> Row:
    """The row of one node.

    Args:
        node: its name in the inventory.
        report: what it reported about itself, if it came to that.
        ending: how it left the play (``failed`` or ``unreachable``) and why, where that is known.
        in_play: whether it is still in the play; a node that recovered from a failure is.
    """
    given = report or {}
    changed = _words(given.get("changed" if in_play else "proved"))
    verdict = plain(given.get("verdict", "")) or "no report"
    if not in_play:
        verdict = ": ".join(filter(None, map(plain, ending))) if ending else "failed or unreachable"
    return Row(
        node=plain(node),
        gpus=plain(given.get("gpus", "")),
        wanted=plain(given.get("wanted", "")),
        found=plain(given.get("found", "")),
        changed=changed,
        verdict=verdict,
        reboot_required=bool(given.get("reboot_required")),
        notes=_words(given.get("notes")),
        complete=in_play or len(changed) == len(_words(given.get("planned"))),
    )


def counts(rows: t.Sequence[Row]) -> dict[str, int]:
    """How many nodes ended how, by the verdict's words before its colon, in order of appearance."""
    return dict(collections.Counter(r.verdict.partition(":")[0] for r in rows))


def summary(rows: t.Sequence[Row]) -> str:
    """One line: how many nodes, and how they ended."""
    ended = ", ".join(f"{number} {verdict}" for verdict, number in counts(rows).items())
    return f"{len(rows)} node{'' if len(rows) == 1 else 's'}: {ended}" if rows else "no nodes"


def _cells(item: Row) -> tuple[str, ...]:
    many = len(item.changed)
    changed = f"{many} change{'' if many == 1 else 's'}" if many else "nothing" if item.complete else "not known"
    changed += " or more" if many and not item.complete else ""
    return item.node, item.gpus or "-", item.wanted or "-", item.found or "-", changed, item.verdict


def table(rows: t.Sequence[Row], width: int) -> str:
    """The table as text without trailing blanks, at most ``width`` wide; as blocks where that is too narrow for it.

    Below it stand the changes and notes, once for all nodes that have the same, and how many nodes ended how.
    """
    if not rows:
        return summary(rows)
    lines = grid.table(HEADINGS, [_cells(item) for item in rows], width)
    lines += grid.grouped("changes on", ((item.node, item.changed) for item in rows), width)
    lines += grid.grouped("notes on", ((item.node, item.notes) for item in rows), width)
    return "\n".join([*lines, "", summary(rows)])
