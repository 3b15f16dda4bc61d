# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys of amd-smi."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.bundle.amdsmi_keys import (
    dig,
    first,
    normal_target,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.quantity import whole


@pytest.mark.parametrize(("record", "path", "expected"), [
    ({"a": {"b": 1}}, "a.b", 1), ({"a": {"b": 1}}, "a.c", None), ({"a": 1}, "a.b", None), ("text", "a", None),
])
def test_dig(record: t.Any, path: str, expected: t.Any) -> None:
    assert dig(record, path) == expected


def test_first_place_with_a_value_counts() -> None:
    assert first({"a": "N/A", "b": "3 W", "c": 4}, ("a", "b", "c"), whole) == 3


@pytest.mark.parametrize(("printed", "target"), [
    ("gfx9008", "gfx908"), ("gfx9010", "gfx90a"), ("gfx942", "gfx942"), ("gfx950", "gfx950"), ("gfx1030", "gfx1030"),
])
def test_targets_as_older_tools_print_them(printed: str, target: str) -> None:
    assert normal_target(printed) == target
