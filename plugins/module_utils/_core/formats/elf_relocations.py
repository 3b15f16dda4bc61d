# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Pointers in the data of an ELF file, which the loader makes right: where each is, and what it points to.

Two tables have them. DT_RELA says place and target of each. DT_RELR, of libraries that are linked with
``-z pack-relative-relocs``, says places alone, and the target stands at the place: an even word is a place, and an odd
one has a bit for each of the 63 words that follow the last one told of.

source: System V ABI, "Relocation"; gABI proposal "SHT_RELR", https://groups.google.com/g/generic-abi/c/bX460iggiKg;
    linux:arch/arm64/kernel/pi/relocate.c
"""

from __future__ import annotations

import dataclasses as dc
import struct
import typing as t

from ..errors import DataError

_ROW = struct.Struct("<QQq")
_WORD = struct.Struct("<Q")
_BITS = 63  # of a word that are places
_MOST = 1 << 16  # pointers that a library of ours may have; those of rdma-core have some thousands

Data = t.Callable[[int, int], bytes]


@dc.dataclass(frozen=True)
class Relocations:
    """Where the tables are.

    Attributes:
        kind: number of relocations of DT_RELA that are plain pointers; None: of this machine it is not known.
        table, size: address and bytes of DT_RELA.
        packed, packed_size, packed_entry: of DT_RELR, and the bytes of each entry; 0: not said.
    """

    kind: int | None = None
    table: int = 0
    size: int = 0
    packed: int = 0
    packed_size: int = 0
    packed_entry: int = 0

    def pointers(self, data: Data) -> dict[int, int]:
        """Address of a pointer to the address that it holds. ``data``: what is at an address, of so many bytes.

        Raises:
            DataError: a table is cut off, contradicts itself, or is larger than that of any library.
        """
        if self.packed_entry not in (0, _WORD.size):
            raise DataError("ELF file", f"its packed relocations have {self.packed_entry} bytes each", "it is broken")
        rows = _ROW.iter_unpack(_table(data, self.table, self.size, _ROW))
        found = {place: target for place, kind, target in rows if kind == self.kind}
        words = (word for word, in _WORD.iter_unpack(_table(data, self.packed, self.packed_size, _WORD)))
        for place in _places(words):
            if len(found) >= _MOST:
                raise _many(len(found))
            found[place], = _WORD.unpack(data(place, _WORD.size))
        return found


def _table(data: Data, address: int, size: int, row: struct.Struct) -> bytes:
    if size > _MOST * row.size:
        raise _many(size // row.size)
    return data(address, size - size % row.size) if size >= row.size else b""


def _many(count: int) -> DataError:
    return DataError("ELF file", f"it has {count} relocations or more, and no library of ours has", "it is broken")


def _places(words: t.Iterable[int]) -> t.Iterator[int]:
    following = None
    for word in words:
        if not word & 1:
            yield word
            following = word + _WORD.size
        elif following is None:
            raise DataError("ELF file", "its packed relocations begin without a place", "it is broken")
        else:
            yield from (following + bit * _WORD.size for bit in range(_BITS) if word >> bit + 1 & 1)
            following += _BITS * _WORD.size
