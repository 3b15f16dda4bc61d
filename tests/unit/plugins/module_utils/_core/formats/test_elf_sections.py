# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sections of ELF files by their names."""

from __future__ import annotations

import struct

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.elf_sections import Section, section
from ansible_collections.instinct.fleet.tests.unit.support.device_code import library
from ansible_collections.instinct.fleet.tests.unit.support.providers import provider

WHOLE = library(b"code")


def test_a_section_is_found_by_its_name() -> None:
    found = section(WHOLE, ".hip_fatbin")
    assert found and WHOLE[found.offset:found.offset + found.size] == b"code"
    assert section(WHOLE, ".hip_fat") is None and section(WHOLE, "ip_fatbin") != found


def test_a_file_of_a_compiler_has_the_usual_ones() -> None:
    whole = provider("ionic", 1, 4)
    found = section(whole, ".dynamic")
    assert found and section(whole, ".hip_fatbin") is None
    assert section(whole[:200], ".dynamic") is None and section(whole[:60], ".dynamic") is None


@pytest.mark.parametrize(("place", "form", "value"), [
    (40, "Q", 1 << 63), (58, "H", 40), (60, "H", 0xFFFF), (60, "H", 0), (62, "H", 0xFFFF), (40, "Q", len(WHOLE) - 5)])
def test_a_table_that_is_broken_is_none(place: int, form: str, value: int) -> None:
    data = bytearray(WHOLE)
    struct.pack_into(f"<{form}", data, place, value)
    assert section(bytes(data), ".hip_fatbin") is None


def test_a_section_without_bytes_in_the_file_is_none() -> None:
    data = library(b"code", kind=8)
    assert section(data, ".hip_fatbin") is None
    assert isinstance(section(WHOLE, ".names"), Section)
