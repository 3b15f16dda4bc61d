# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers with and without units."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.quantity import (
    quantity,
    size,
    speed,
    whole,
    word,
)


@pytest.mark.parametrize(("value", "expected"), [
    (750, (750.0, "")), ("750 W", (750.0, "w")), ("16GT/s", (16.0, "gt/s")), ({"value": 750, "unit": "W"}, (750.0, "w")),
    ({"value": "12 mV"}, (12.0, "mv")), ("-1", (-1.0, "")), ("N/A", None), ({"value": "N/A", "unit": "W"}, None),
    (None, None), (True, None), (float("inf"), None), ([1], None), ("1" * 30, None),
])
def test_quantity(value: t.Any, expected: tuple[float, str] | None) -> None:
    assert quantity(value) == expected


@pytest.mark.parametrize(("value", "expected"), [("91.6 W", 92), ("0 %", 0), ("-1", None), ("N/A", None)])
def test_whole(value: str, expected: int | None) -> None:
    assert whole(value) == expected


@pytest.mark.parametrize(("value", "unit", "expected"), [
    ("196592 MB", "b", 206141652992), (196592, "MB", 206141652992), ("0.3 GB", "b", 322122547), ("256G", "b", 2**38),
    ("10 W", "b", None), ("N/A", "MB", None),
])
def test_size_is_in_bytes(value: t.Any, unit: str, expected: int | None) -> None:
    assert size(value, unit) == expected


@pytest.mark.parametrize(("value", "expected"), [
    ("32 GT/s", 32000), ("2.5GT/s", 2500), (32, 32000), (16000, 16000), ("8000 MT/s", 8000), ("0", None), ("unknown", None),
])
def test_speed_is_in_megatransfers(value: t.Any, expected: int | None) -> None:
    assert speed(value) == expected


@pytest.mark.parametrize(("value", "expected"), [(" CPX ", "CPX"), ("N/A", None), ("na", None), ("", None), (3, None)])
def test_word(value: t.Any, expected: str | None) -> None:
    assert word(value) == expected
