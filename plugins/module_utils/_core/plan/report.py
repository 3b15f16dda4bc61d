# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""How every node ended, as a table for people and as plain data."""

from __future__ import annotations

import collections
import dataclasses as dc
import re
import textwrap
import typing as t

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_GAP = "  "
_NARROWEST = 12  # of a column whose text is wrapped
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


def plain(text: t.Any) -> str:
    """One line of text without control characters: what a host says must not steer the terminal."""
    return _CONTROL.sub(" ", str(text)).strip()


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


def _wrap(text: str, width: int, indent: str = "") -> list[str]:
    """Lines of at most ``width``; names and versions with hyphens stay whole where they fit."""
    wrapper = textwrap.TextWrapper(width, initial_indent=indent, subsequent_indent=indent and indent + "  ")
    wrapper.break_on_hyphens = False
    return wrapper.wrap(text) or [""]


def _widths(natural: t.Sequence[int], room: int) -> list[int] | None:
    """Widths of the columns: all as wide as their text, or the widest cut down evenly; None if they do not fit."""
    widths = list(natural)
    while sum(widths) > room:
        widest = max(range(len(widths)), key=lambda index: widths[index])
        if widths[widest] <= _NARROWEST:
            return None
        widths[widest] -= 1
    return widths


def _grid(cells: t.Sequence[tuple[str, ...]], widths: t.Sequence[int]) -> list[str]:
    lines = []
    for number, line in enumerate(cells):
        columns = [_wrap(text, widths[index]) for index, text in enumerate(line)]
        for part in range(max(map(len, columns))):
            texts = (column[part] if part < len(column) else "" for column in columns)
            lines.append(_GAP.join(text.ljust(widths[index]) for index, text in enumerate(texts)).rstrip())
        if number == 0:
            lines.append(_GAP.join("-" * size for size in widths))
    return lines


def _blocks(cells: t.Sequence[tuple[str, ...]], width: int) -> list[str]:
    """The same as blocks of lines, for narrow output."""
    lines = []
    for cell in cells[1:]:
        lines += _wrap(cell[0], width)
        for heading, text in zip(HEADINGS[1:], cell[1:]):
            lines += _wrap(f"{heading}: {text}", width, _GAP)
    return lines


def _grouped(rows: t.Sequence[Row], what: str, width: int, of: t.Callable[[Row], tuple[str, ...]]) -> list[str]:
    """The words that nodes have in common, once for all of them."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for item in rows:
        if of(item):
            groups.setdefault(of(item), []).append(item.node)
    lines = []
    for words, nodes in groups.items():
        lines += ["", *_wrap(f"{what} {', '.join(nodes)}:", width)]
        for text in words:
            lines += _wrap(text, width, _GAP)
    return lines


def table(rows: t.Sequence[Row], width: int) -> str:
    """The table as text without trailing blanks, at most ``width`` wide; as blocks where that is too narrow for it.

    Below it stand the changes and notes, once for all nodes that have the same, and how many nodes ended how.
    """
    width = max(width, 40)
    cells = [HEADINGS, *map(_cells, rows)]
    natural = [max(len(line[index]) for line in cells) for index in range(len(HEADINGS))]
    widths = _widths(natural, width - len(_GAP) * (len(HEADINGS) - 1))
    lines = _grid(cells, widths) if widths else _blocks(cells, width)
    lines += _grouped(rows, "changes on", width, lambda item: item.changed)
    lines += _grouped(rows, "notes on", width, lambda item: item.notes)
    return "\n".join([*lines, "", summary(rows)] if rows else [summary(rows)])
