# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Sections of ELF files of 64 bits: parts by name, which the loader does not need, and strip(1) leaves where code is.

source: elf(5); System V ABI, "Sections"
"""

from __future__ import annotations

import struct
import typing as t

from .elf import Source

_PLACES = struct.Struct("<40xQ10xHHH")  # of the header: where the table is, bytes of a row, rows, which has the names
_ROW = struct.Struct("<IIQQQQIIQQ")
_HEADER = 64
_MOST = 1024  # sections; compilers and linkers make some dozens
_NOTHING = 8  # kind of a section of which the file holds no byte
_NAME = 64  # bytes


class Section(t.NamedTuple):
    """Where a section is in the file."""

    offset: int
    size: int


def section(source: Source, name: str) -> Section | None:
    """The section of that name; None: there is none, or the file has no table that can be read."""
    raw = source[0:_HEADER]
    if len(raw) < _HEADER:
        return None
    table, width, count, names = _PLACES.unpack_from(raw)
    if width != _ROW.size or not names < count <= _MOST:
        return None
    data = source[table:table + count * width]
    rows = list(_ROW.iter_unpack(data)) if len(data) == count * width else []
    wanted = name.encode() + b"\0"
    for row in rows:
        start = rows[names][4] + row[0]
        if row[1] != _NOTHING and source[start:start + min(len(wanted), _NAME)] == wanted:
            return Section(row[4], row[5])
    return None
