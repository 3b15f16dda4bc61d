# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the dynamic loader is told by ELF files, whole ones and broken ones."""

from __future__ import annotations

import contextlib
import dataclasses as dc
import struct
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.formats import elf
from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.elf_relocations import Relocations
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma import abi
from ansible_collections.instinct.fleet.tests.unit.support.providers import libibverbs, provider

RPATH, RUNPATH, NEEDED = 15, 29, 1


def program(*entries: tuple[int, int], machine: int = 62, names: bytes = b"\0", size: int = 56, interpreter: bytes = b"") -> bytes:
    """A small file: header, segments, what the dynamic section says, names."""
    rows = 2 + bool(interpreter)
    start = 64 + rows * 56
    table = b"".join(struct.pack("<qQ", tag, value) for tag, value in entries)
    place = start + len(table)
    said = table + names + interpreter
    whole = start + len(said)
    header = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01\x01" + bytes(9), 3, machine, 1, 0, 64, 0, 0, 64, size, rows, 0, 0, 0)
    segments = [struct.pack("<IIQQQQQQ", 1, 4, 0, 0, 0, whole, whole, 4096),
                struct.pack("<IIQQQQQQ", 2, 4, start, start, start, len(table), len(table), 8)]
    if interpreter:
        at = place + len(names)
        segments.append(struct.pack("<IIQQQQQQ", 3, 4, at, at, at, len(interpreter), len(interpreter), 1))
    return header + b"".join(segments) + said


def named(*entries: tuple[int, int], names: bytes) -> bytes:
    """A file whose table of names is where its dynamic section says."""
    count = len(entries) + 2
    place = 64 + 2 * 56 + 16 * count
    return program((5, place), *entries, (0, 0), names=names)


def parsed(data: bytes) -> elf.Elf:
    found = elf.parse(data)
    assert found
    return found


def test_a_provider_tells_what_it_needs() -> None:
    found = parsed(provider("ionic", 1, 4))
    assert (found.machine, found.interpreter, found.needed) == ("x86_64", None, ("libibverbs.so.1",))
    assert found.versions == {"libibverbs.so.1": ("IBVERBS_PRIVATE_34",)}
    assert found.offered == () and found.search == ()
    assert {found.text(target) for target in found.relatives().values()} >= {"ionic", "other"}


def test_a_provider_with_packed_relocations_tells_the_same() -> None:
    """As distributions link that pass -z pack-relative-relocs."""
    found = parsed(provider("ionic", 1, 4, 34, "-Wl,-z,pack-relative-relocs"))
    assert dc.replace(found.relocations, packed_size=0).pointers(found.data) == {}  # the other table has none of them
    assert {found.text(target) for target in found.relatives().values()} >= {"ionic", "other"}
    said = abi.provider(found, "/libionic-rdmav34.so")
    assert (said.abi_min, said.abi_max, said.private) == (1, 4, 34)


def test_a_library_tells_what_it_offers() -> None:
    found = parsed(libibverbs())
    assert (found.needed, found.versions) == ((), {})
    assert found.offered == ("libibverbs.so.1", "IBVERBS_1.1", "IBVERBS_PRIVATE_34")


def test_an_address_outside_of_what_is_loaded_has_nothing() -> None:
    found = parsed(provider("ionic", 1, 4))
    assert found.text(1 << 40) is None
    with pytest.raises(DataError):
        found.data(1 << 40, 8)
    short = elf.Elf("x86_64", None, (), (), {}, (), Relocations(), (elf.Segment(0, 0, 8),), b"1234")
    with pytest.raises(DataError):
        short.data(0, 8)


def test_what_is_closed_keeps_its_words_and_nothing_of_the_file() -> None:
    found = parsed(provider("ionic", 1, 4))
    closed = found.closed()
    assert (closed.needed, closed.versions, closed.offered) == (found.needed, found.versions, found.offered)
    with pytest.raises(DataError):
        closed.relatives()


def test_a_program_names_its_loader() -> None:
    with open(sys.executable, "rb") as file:
        found = parsed(file.read())
    assert found.interpreter and found.interpreter.rpartition("/")[2].startswith("ld-linux")
    assert found.needed
    assert parsed(program(interpreter=b"/lib/ld.so\0")).interpreter == "/lib/ld.so"


@pytest.mark.parametrize(("entries", "search"), [
    (((RPATH, 1),), ("/a", "$ORIGIN/b")), (((RPATH, 14), (RUNPATH, 1)), ("/a", "$ORIGIN/b")), ((), ())])
def test_search_is_of_runpath_and_else_of_rpath(entries: tuple[tuple[int, int], ...], search: tuple[str, ...]) -> None:
    assert parsed(named(*entries, names=b"\0/a:$ORIGIN/b:\0/old\0")).search == search


def test_a_file_without_a_dynamic_section_needs_nothing() -> None:
    data = bytearray(program(machine=183))
    struct.pack_into("<I", data, 64 + 56, 4)  # the second segment is a note
    found = parsed(bytes(data))
    assert (found.machine, found.needed, found.relatives()) == ("aarch64", (), {})


@pytest.mark.parametrize("data", [
    b"", b"#!/bin/sh\n" + bytes(100), b"\x7fELF\x01\x01" + bytes(100), b"\x7fELF\x02\x02" + bytes(100), b"\x7fELF\x02\x01"])
def test_other_files_are_none(data: bytes) -> None:
    assert elf.parse(data) is None


@pytest.mark.parametrize(("data", "what"), [
    (program(size=32), "its segments are described in 32 bytes each"),
    (program()[:100], "it ends in the middle of a table"),
    (program()[:56] + b"\xff\xff" + program()[58:], "it has 65535 segments"),
    (named((NEEDED, 1), names=b"\0\xff\xff\0"), "it has no name at 1 of its table of names"),
    (named((NEEDED, 900), names=b"\0"), "it has no name at 900 of its table of names"),
    (program((0x6FFFFFFE, 0xFFFF), (0x6FFFFFFF, 1), (0, 0)), "nothing is at address 0xffff"),
])
def test_what_is_broken_is_said(data: bytes, what: str) -> None:
    with pytest.raises(DataError) as error:
        elf.parse(data)
    assert error.value.what == what


def test_a_dynamic_section_may_fill_its_segment() -> None:
    assert parsed(program((24, 0))).needed == ()


def test_versions_that_lead_in_circles_end() -> None:
    """Each of many records names as many as there can be, and all name the same."""
    place = 64 + 2 * 56 + 16 * 4
    inner = struct.pack("<IHHII", 0, 0, 0, 0, 16) * 1030
    table = b"".join(struct.pack("<HHIII", 1, 0xFFFF, 0, 16 * (64 - turn), 16) for turn in range(64))
    names = place + len(table) + len(inner)
    data = program((5, names), (0x6FFFFFFE, place), (0x6FFFFFFF, 0xFFFF), (0, 0), names=table + inner + b"\0")
    with pytest.raises(DataError) as error:
        elf.parse(data)
    assert error.value.what == "its versions of symbols are more than 4096"


def test_relocations_beyond_the_end_are_refused() -> None:
    with pytest.raises(DataError):
        parsed(program((7, 1 << 40), (8, 24), (0, 0))).relatives()


def test_versions_end_where_the_chain_says_so() -> None:
    data = bytearray(provider("ionic", 1, 4))
    found = parsed(bytes(data))
    assert len(found.versions) == 1
    # A count that is larger than the chain is long does not lead beyond it.
    place = bytes(data).index(struct.pack("<qQ", 0x6FFFFFFF, 1))
    struct.pack_into("<Q", data, place + 8, 9)
    assert parsed(bytes(data)).versions == found.versions


@given(st.data())
@settings(max_examples=50)
def test_a_file_that_is_cut_or_changed_ends_in_a_sentence_or_an_answer(data: st.DataObject) -> None:
    whole = bytearray(provider("ionic", 1, 4))
    for _turn in range(data.draw(st.integers(0, 4))):
        whole[data.draw(st.integers(0, 2047))] = data.draw(st.integers(0, 255))
    with contextlib.suppress(DataError):
        found = elf.parse(bytes(whole[:data.draw(st.integers(0, len(whole)))]))
        if found:
            found.relatives()
