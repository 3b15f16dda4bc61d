# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pointers of both tables of relocations, as bytes."""

from __future__ import annotations

import struct
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.elf_relocations import Data, Relocations

RELATIVE, OTHER = 8, 6
PLACES = 0x1000  # what the data there holds is its own address and as much again
TABLE, PACKED = 0x100000, 0x200000


def memory(rows: t.Sequence[tuple[int, int, int]] = (), words: t.Sequence[int] = ()) -> Data:
    """Data of a file: the two tables, and at any other place twice its address."""
    tables = {TABLE: b"".join(struct.pack("<QQq", *row) for row in rows), PACKED: struct.pack(f"<{len(words)}Q", *words)}

    def data(address: int, size: int) -> bytes:
        found = tables.get(address, struct.pack("<Q", 2 * address & (1 << 64) - 1))[:size]
        if len(found) < size:
            raise DataError("ELF file", f"nothing is at address {address:#x}", "it may be cut off")
        return found
    return data


def packed(*words: int, entry: int = 8) -> dict[int, int]:
    return Relocations(RELATIVE, packed=PACKED, packed_size=8 * len(words), packed_entry=entry).pointers(memory((), words))


def at(*places: int) -> dict[int, int]:
    return {place: 2 * place for place in places}


def test_rows_of_the_kind_that_is_a_pointer_count() -> None:
    rows = [(PLACES, RELATIVE, 7), (PLACES + 8, OTHER, 9), (PLACES + 16, RELATIVE, 8)]
    assert Relocations(RELATIVE, TABLE, 3 * 24).pointers(memory(rows)) == {PLACES: 7, PLACES + 16: 8}
    assert Relocations(RELATIVE, TABLE, 3 * 24 - 1).pointers(memory(rows)) == {PLACES: 7}  # half a row is none
    assert Relocations(None, TABLE, 3 * 24).pointers(memory(rows)) == {}
    assert Relocations().pointers(memory()) == {}


@pytest.mark.parametrize(("words", "places"), [
    ((PLACES,), (PLACES,)),
    ((PLACES, PLACES + 64), (PLACES, PLACES + 64)),
    ((PLACES, 0b1), (PLACES,)),
    ((PLACES, 0b11), (PLACES, PLACES + 8)),  # the first bit is of the word that follows
    ((PLACES, 0b1011), (PLACES, PLACES + 8, PLACES + 24)),
    ((PLACES, 1 << 63 | 1), (PLACES, PLACES + 8 * 63)),
    ((PLACES, 0b1, 0b11), (PLACES, PLACES + 8 * 64)),  # a word of bits stands for 63 places, all of them or none
    ((PLACES, 0b11, PLACES + 0x800, 0b101), (PLACES, PLACES + 8, PLACES + 0x800, PLACES + 0x810)),
])
def test_packed_words_are_places_and_bits(words: tuple[int, ...], places: tuple[int, ...]) -> None:
    assert packed(*words) == at(*places)


def test_both_tables_count() -> None:
    both = Relocations(RELATIVE, TABLE, 24, PACKED, 8)
    assert both.pointers(memory([(8, RELATIVE, 5)], [PLACES])) == {8: 5, PLACES: 2 * PLACES}


def test_all_bits_are_all_places() -> None:
    assert list(packed(PLACES, (1 << 64) - 1)) == [PLACES + 8 * index for index in range(64)]


@pytest.mark.parametrize(("broken", "what"), [
    (lambda: packed(PLACES, entry=16), "its packed relocations have 16 bytes each"),
    (lambda: packed(0b11), "its packed relocations begin without a place"),
    (lambda: packed(PLACES, *[(1 << 64) - 1] * 1100), "it has 65536 relocations or more, and no library of ours has"),
    (lambda: Relocations(RELATIVE, TABLE, 1 << 62).pointers(memory()), f"it has {(1 << 62) // 24} relocations or more, and no library of ours has"),
    (lambda: Relocations(RELATIVE, packed=PACKED, packed_size=1 << 62).pointers(memory()),
     f"it has {(1 << 62) // 8} relocations or more, and no library of ours has"),
    (lambda: Relocations(RELATIVE, TABLE, 48).pointers(memory([(1, 8, 1)])), f"nothing is at address {TABLE:#x}"),
])
def test_what_is_broken_is_said(broken: t.Callable[[], object], what: str) -> None:
    with pytest.raises(DataError) as error:
        broken()
    assert error.value.what == what
