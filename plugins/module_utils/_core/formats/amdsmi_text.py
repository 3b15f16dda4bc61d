# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What amd-smi prints for people: indented blocks and tables, as the same records that its JSON holds.

Keys are lower case, as in the JSON. source: ROCm/amdsmi:CHANGELOG.md and the user guide of the tool, 6.1 to 7.1
"""

from __future__ import annotations

import re
import typing as t

from .tool_json import Record

_GPU = re.compile(r"^\s*GPU(?:: ?(?P<new>\d+)|[ _]?(?P<old>\d+):?)\s*$")
_LINE = re.compile(r"^(?P<indent> *)(?P<key>[A-Z][A-Za-z0-9 _%()/.-]*?):+(?: +(?P<value>\S.*?))?\s*$")
_COLUMN = re.compile(r"\S+(?: \S+)*")
_BDF = re.compile(r"^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$", re.IGNORECASE)


def blocks(text: str) -> list[Record]:
    """Return one record per block that begins with ``GPU: 0`` (the tool for hosts of virtual machines: ``GPU 0:``).

    A key that comes again in the same block gets a number: process_info, process_info#2.
    """
    found: list[Record] = []
    stack: list[tuple[int, Record]] = []
    for line in text.splitlines():
        head = _GPU.match(line)
        if head:
            found.append({"gpu": int(head["new"] or head["old"])})
            stack = [(-1, found[-1])]
            continue
        match = _LINE.match(line)
        if match is None or not stack:
            continue
        indent = len(match["indent"])
        while indent <= stack[-1][0]:
            stack.pop()
        parent = stack[-1][1]
        key = _free(parent, match["key"].lower().replace(" ", "_"))
        if match["value"]:
            parent[key] = match["value"]
        else:
            parent[key] = {}
            stack.append((indent, parent[key]))
    return found


def _free(record: Record, key: str) -> str:
    number = 2
    name = key
    while name in record:
        name, number = f"{key}#{number}", number + 1
    return name


def tables(text: str) -> dict[str, list[str]]:
    """Return title -> lines of each ``SOME TITLE:`` table; what stands before the first title is under ""."""
    found: dict[str, list[str]] = {"": []}
    title = ""
    for line in text.splitlines():
        if re.match(r"^[A-Z][A-Z_ ]+:\s*$", line):
            title = line.strip().rstrip(":").replace("_", " ")
            found[title] = []
        elif line.strip():
            found[title].append(line)
    return found


def aligned(lines: t.Sequence[str]) -> list[Record]:
    """Return the rows of a table by the place of the header's words: a cell may be empty."""
    if not lines:
        return []
    head = [(match.start(), match[0].lower()) for match in re.finditer(r"\S+", lines[0])]
    ends = [start for start, _name in head[1:]] + [None]
    return [{name: line[start:end].strip() for (start, name), end in zip(head, ends)} for line in lines[1:]]


def columns(lines: t.Sequence[str]) -> list[Record]:
    """Return the rows of a table whose cells stand two blanks apart; rows with another number of cells are left out."""
    for place, line in enumerate(lines):
        names = line.lower().split()
        if names[:1] in (["gpu"], ["xcp"]):
            cells = [_COLUMN.findall(row) for row in lines[place + 1:]]
            return [dict(zip(names, row)) for row in cells if len(row) == len(names)]
    return []


def matrix(lines: t.Sequence[str]) -> dict[str, dict[str, str]]:
    """Return PCI address -> PCI address -> word of a table between GPUs."""
    across = [word.lower() for word in lines[0].split()] if lines else []
    if not across or not all(_BDF.match(word) for word in across):
        return {}
    rows = [line.split() for line in lines[1:]]
    return {row[0].lower(): dict(zip(across, row[1:])) for row in rows if _BDF.match(row[0])}


def link_status(lines: t.Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return PCI address -> U, D or X of each link, from the table of ``amd-smi xgmi --link-status``."""
    found: dict[str, tuple[str, ...]] = {}
    for words in (line.split() for line in lines):
        places = [place for place, word in enumerate(words) if _BDF.match(word)]
        if len(places) == 1 and words[0].upper().startswith("GPU"):
            found[words[places[0]].lower()] = tuple(word for word in words if word in ("U", "D", "X"))
    return found


def places(lines: t.Iterable[str]) -> dict[int, str]:
    """Return number of a GPU -> PCI address, from rows that begin with ``GPU0  0000:0c:00.0``."""
    rows = (re.match(r"^\s*GPU ?(\d+)\s+(\S+)", line) for line in lines)
    return {int(row[1]): row[2].lower() for row in rows if row and _BDF.match(row[2])}
