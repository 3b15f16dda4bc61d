# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Tables for people: cells that wrap, blocks where that is too narrow, and words that several nodes have in common."""

from __future__ import annotations

import re
import textwrap
import typing as t

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_GAP = "  "
_NARROWEST = 12  # of a column whose text is wrapped
LEAST = 40  # columns that any output has
_NAMED = 12  # nodes that are named before the rest is counted


def plain(text: t.Any) -> str:
    """One line of text without control characters: what a host says must not steer the terminal."""
    return _CONTROL.sub(" ", str(text)).strip()


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
        for heading, text in zip(cells[0][1:], cell[1:]):
            lines += _wrap(f"{heading}: {text}", width, _GAP)
    return lines


def table(headings: tuple[str, ...], rows: t.Sequence[tuple[str, ...]], width: int) -> list[str]:
    """The lines of a table, at most ``width`` wide; of blocks where that is too narrow for it."""
    width = max(width, LEAST)
    cells = [headings, *rows]
    natural = [max(len(line[index]) for line in cells) for index in range(len(headings))]
    widths = _widths(natural, width - len(_GAP) * (len(headings) - 1))
    return _grid(cells, widths) if widths else _blocks(cells, width)


def grouped(what: str, words_of: t.Iterable[tuple[str, tuple[str, ...]]], width: int) -> list[str]:
    """The words that nodes have in common, once for all of them: pairs of a node and its words."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for node, words in words_of:
        if words:
            groups.setdefault(words, []).append(node)
    return [line for words, nodes in groups.items() for line in headed(f"{what} {names(nodes)}:", words, width)]


def names(nodes: t.Sequence[str]) -> str:
    """The first of many nodes by name, and how many more there are."""
    named = nodes if len(nodes) <= _NAMED else [*nodes[:_NAMED - 1], f"and {len(nodes) - _NAMED + 1} more"]
    return ", ".join(named)


def headed(heading: str, texts: t.Iterable[str], width: int) -> list[str]:
    """An empty line, a heading, and texts below it, each a line that wraps."""
    width = max(width, LEAST)
    return ["", *_wrap(heading, width), *(line for text in texts for line in _wrap(text, width, _GAP))]
