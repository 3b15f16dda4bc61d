# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fingerprints as people write them."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.fingerprint import normal

FINGERPRINT = "CA8BB4727A47B4D09B4EE8969386B48A1A693C5C"


@pytest.mark.parametrize(
    "text", [FINGERPRINT, FINGERPRINT.lower(), "CA8B B472 7A47 B4D0 9B4E  E896 9386 B48A 1A69 3C5C\n"]
)
def test_normal(text: str) -> None:
    assert normal(text) == FINGERPRINT


@pytest.mark.parametrize("text", ["", "9386B48A1A693C5C", FINGERPRINT + "0", "0x" + FINGERPRINT, "G" * 40])
def test_normal_refuses_what_pins_no_key(text: str) -> None:
    with pytest.raises(DataError, match="is not a whole fingerprint; give all 40 digits"):
        normal(text)


def test_normal_takes_a_version_6_fingerprint() -> None:
    assert normal("ab" * 32) == "AB" * 32
