# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Instruction sets that libraries have code for."""

from __future__ import annotations

import contextlib
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.formats import device_code
from ansible_collections.instinct.fleet.tests.unit.support.device_code import COMPRESSED, bundle, hip, library
from ansible_collections.instinct.fleet.tests.unit.support.providers import provider

MI300 = frozenset({"gfx942"})


@pytest.mark.parametrize(("code", "targets", "silent"), [
    (hip("gfx942"), {"gfx942"}, False),
    (hip("gfx90a:sramecc+:xnack-", "gfx942"), {"gfx90a", "gfx942"}, False),
    (hip("gfx942") + hip("gfx90a") + hip("gfx950"), {"gfx942", "gfx90a", "gfx950"}, False),  # one for each part of it
    (hip("gfx9-4-generic"), {"gfx940", "gfx941", "gfx942", "gfx950"}, False),
    (hip("gfx12-generic", "gfx1100"), {"gfx12-generic", "gfx1100"}, False),
    (bundle("hip-amdgcn-amd-amdhsa-unknown-gfx906"), {"gfx906"}, False),
    (bundle("host-x86_64-unknown-linux--"), set(), True),
    (bundle("host-x86_64-unknown-linux--", "hip-spirv64-amd-amdhsa--amdgcnspirv"), set(), True),  # made into code at its start
    (COMPRESSED, set(), True),
    (hip("gfx942") + COMPRESSED, {"gfx942"}, False),
    (hip("gfx942")[:20], set(), True),
    (hip("gfx942")[:40], set(), True),
    (b"", None, False),
])
def test_a_library_tells_what_it_has_code_for(code: bytes, targets: set[str] | None, silent: bool) -> None:
    found = device_code.of(library(code))
    assert found == (None if targets is None else device_code.Code(frozenset(targets), silent))


def test_bundles_without_end_are_not_all_read() -> None:
    found = device_code.of(library(hip("gfx942") * 64 + hip("gfx90a")))
    assert found == device_code.Code(MI300, False)


def test_a_library_without_code_for_gpus_has_none() -> None:
    assert device_code.of(provider("ionic", 1, 4)) is None
    assert device_code.of(b"#!/bin/sh\n") is None


@pytest.mark.parametrize(("place", "value"), [(24, 1 << 63), (48, 1 << 63), (32, 1 << 63), (40, 1 << 63)])
def test_a_bundle_that_is_broken_costs_little(place: int, value: int) -> None:
    code = bytearray(hip("gfx942") + hip("gfx90a"))
    struct.pack_into("<Q", code, place, value)
    found = device_code.of(library(bytes(code)))
    assert found and (found.silent or found.targets <= {"gfx942", "gfx90a"})


@given(st.lists(st.tuples(st.integers(0, 4095), st.integers(0, (1 << 64) - 1)), max_size=4), st.integers(0, 5000))
@settings(max_examples=100, deadline=None)
def test_any_bundle_ends_in_an_answer(changes: list[tuple[int, int]], cut: int) -> None:
    data = bytearray(library(hip("gfx942", "gfx90a")))
    for place, value in changes:
        struct.pack_into("<Q", data, place, value)
    with contextlib.suppress(DataError):
        device_code.of(bytes(data[:len(data) - cut]))
