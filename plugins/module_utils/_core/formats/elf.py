# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""ELF files of 64 bits, as the dynamic loader sees them: by their segments, so that stripped files are read, too.

source: elf(5); System V ABI, "Dynamic Section"; Linux Standard Base, "Symbol Versioning"
"""

from __future__ import annotations

import dataclasses as dc
import struct
import typing as t

from ..errors import DataError
from .elf_relocations import Relocations

MAGIC = b"\x7fELF"
MACHINES = {62: "x86_64", 183: "aarch64"}
_RELATIVE = {62: 8, 183: 1027}  # R_X86_64_RELATIVE, R_AARCH64_RELATIVE
_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SEGMENT = struct.Struct("<IIQQQQQQ")
_ENTRY = struct.Struct("<qQ")
_LOAD, _DYNAMIC, _INTERPRETER = 1, 2, 3
_NEEDED, _STRINGS, _RELA, _RELA_SIZE, _RPATH, _RUNPATH = 1, 5, 7, 8, 15, 29
_RELR_SIZE, _RELR, _RELR_ENTRY = 35, 36, 37
_VERDEF, _VERDEF_COUNT, _VERNEED, _VERNEED_COUNT = 0x6FFFFFFC, 0x6FFFFFFD, 0x6FFFFFFE, 0x6FFFFFFF
# What a broken or hostile file may cost: files of compilers and linkers have a tenth of it.
_SEGMENTS = 128
_MOST = 1024  # rows of a table that says itself how long it is
_LINKED = 4096  # rows of all tables that are chains
_TEXT = 1024  # bytes that a name may have


class Source(t.Protocol):
    """The bytes of a file, of which a few are wanted: ``bytes``, or a reader of parts of a large file."""

    def __getitem__(self, part: slice) -> bytes:
        """Those between two places, of which the first is not below 0; fewer at the end of the file."""


class Segment(t.NamedTuple):
    """A part of the file that is loaded, at an address."""

    offset: int
    address: int
    size: int


@dc.dataclass(frozen=True)
class Elf:
    """What the loader is told by one file.

    Attributes:
        machine: x86_64, aarch64, or the number.
        interpreter: the loader itself, of a program; None: the file names none.
        needed: names of libraries, in their order.
        search: directories of RUNPATH, or of RPATH where there is none; $ORIGIN as it is written.
        versions: name of a needed library to the versions of symbols that it must have.
        offered: versions of symbols that the file defines.
        relocations: tables of the pointers in its data.
        segments, source: where addresses are in the file.
    """

    machine: str
    interpreter: str | None
    needed: tuple[str, ...]
    search: tuple[str, ...]
    versions: t.Mapping[str, tuple[str, ...]]
    offered: tuple[str, ...]
    relocations: Relocations = dc.field(repr=False)
    segments: tuple[Segment, ...] = dc.field(repr=False)
    source: Source = dc.field(repr=False, compare=False)

    def closed(self) -> Elf:
        """The same without the file: what it points to cannot be read any more."""
        return dc.replace(self, segments=(), source=b"")

    def data(self, address: int, size: int) -> bytes:
        """What is at an address once the file is loaded.

        Raises:
            DataError: the file has nothing there.
        """
        for segment in self.segments:
            if segment.address <= address and address + size <= segment.address + segment.size:
                start = segment.offset + address - segment.address
                found = self.source[start:start + size]
                if len(found) == size:
                    return found
        raise DataError("ELF file", f"nothing is at address {address:#x}", "it may be cut off")

    def relatives(self) -> dict[int, int]:
        """Address of a pointer in the file's data to the address that it holds.

        Raises:
            DataError: the file is cut off, or has more of them than any library.
        """
        return self.relocations.pointers(self.data)

    def text(self, address: int) -> str | None:
        """The text at an address; None if there is none that is plain."""
        for segment in self.segments:
            if segment.address <= address < segment.address + segment.size:
                start = segment.offset + address - segment.address
                found = self.source[start:start + min(_TEXT, segment.address + segment.size - address)]
                word, end, _rest = found.partition(b"\0")
                return word.decode("ascii") if end and word.isascii() else None
        return None


def parse(source: Source) -> Elf | None:
    """What a file tells the loader; None if it is no ELF file of 64 bits with the low byte first.

    Raises:
        DataError: it is one, and is cut off or contradicts itself.
    """
    raw = source[0:_HEADER.size]
    if raw[:6] != MAGIC + b"\x02\x01" or len(raw) < _HEADER.size:
        return None
    _ident, _type, machine, _version, _entry, table, _sections, _flags, _own, size, count, *_rest = _HEADER.unpack(raw)
    if size != _SEGMENT.size:
        raise DataError("ELF file", f"its segments are described in {size} bytes each", "it is broken")
    if count > _SEGMENTS:
        raise DataError("ELF file", f"it has {count} segments", "it is broken")
    rows = [_unpack(_SEGMENT, source[start:start + size]) for start in range(table, table + count * size, size)]
    segments = tuple(Segment(row[2], row[3], row[5]) for row in rows if row[0] == _LOAD)
    bare = Elf(MACHINES.get(machine, str(machine)), None, (), (), {}, (), Relocations(), segments, source)
    for row in rows:
        if row[0] == _INTERPRETER:
            bare = dc.replace(bare, interpreter=bare.text(row[3]))
    entries = [_entries(source[row[2]:row[2] + min(row[5], _MOST * _ENTRY.size)]) for row in rows if row[0] == _DYNAMIC]
    return _Dynamic(bare, entries[0]).told(_RELATIVE.get(machine)) if entries else bare


def _unpack(form: struct.Struct, data: bytes) -> tuple[t.Any, ...]:
    if len(data) != form.size:
        raise DataError("ELF file", "it ends in the middle of a table", "it is cut off")
    return form.unpack(data)


def _entries(data: bytes) -> list[tuple[int, int]]:
    """Tags with their values, before the one that ends the table."""
    found = []
    for start in range(0, len(data), _ENTRY.size):
        tag, value = _unpack(_ENTRY, data[start:start + _ENTRY.size])
        if not tag:
            break
        found.append((tag, value))
    return found


class _Dynamic:
    """Reads what the dynamic section points to."""

    def __init__(self, elf: Elf, entries: list[tuple[int, int]]) -> None:
        self._elf = elf
        self._entries = entries
        self._first = dict(reversed(entries))
        self._rows = 0

    def told(self, relative: int | None) -> Elf:
        """All of it. ``relative``: kind of relocations that are plain pointers."""
        search = self._first.get(_RUNPATH, self._first.get(_RPATH))
        needed = tuple(self._name(value) for tag, value in self._entries if tag == _NEEDED)
        paths = () if search is None else tuple(part for part in self._name(search).split(":") if part)
        return dc.replace(
            self._elf, needed=needed, search=paths,
            versions=dict(self._wanted()), offered=tuple(self._offered()),
            relocations=Relocations(relative, *(self._first.get(tag, 0) for tag in (
                _RELA, _RELA_SIZE, _RELR, _RELR_SIZE, _RELR_ENTRY))))

    def _name(self, place: int) -> str:
        found = self._elf.text(self._first.get(_STRINGS, 0) + place)
        if found is None:
            raise DataError("ELF file", f"it has no name at {place} of its table of names", "it is broken")
        return found

    def _wanted(self) -> t.Iterator[tuple[str, tuple[str, ...]]]:
        form, inner = struct.Struct("<HHIII"), struct.Struct("<IHHII")
        for at, row in self._chain(form, _VERNEED, _VERNEED_COUNT):
            _version, count, file, first, _next = row
            yield self._name(file), tuple(
                self._name(part[3]) for _at, part in self._linked(inner, at + first, count))

    def _offered(self) -> t.Iterator[str]:
        form, inner = struct.Struct("<HHHHIII"), struct.Struct("<II")
        for at, row in self._chain(form, _VERDEF, _VERDEF_COUNT):
            names = list(self._linked(inner, at + row[5], 1))
            yield self._name(names[0][1][0])

    def _chain(self, form: struct.Struct, tag: int, count: int) -> t.Iterator[tuple[int, tuple[t.Any, ...]]]:
        return self._linked(form, self._first.get(tag, 0), self._first.get(count, 0))

    def _linked(self, form: struct.Struct, at: int, count: int) -> t.Iterator[tuple[int, tuple[t.Any, ...]]]:
        """Records of which each ends with how far away the next is."""
        for _turn in range(min(count, _MOST)):
            row = _unpack(form, self._elf.data(at, form.size))
            self._rows += 1
            if self._rows > _LINKED:
                raise DataError("ELF file", f"its versions of symbols are more than {_LINKED}", "it is broken")
            yield at, row
            if not row[-1]:
                return
            at += row[-1]
