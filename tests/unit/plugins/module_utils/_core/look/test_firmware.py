# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Families of NICs are found by what sysfs prints; what was not read is None."""

from __future__ import annotations

import dataclasses as dc
import re

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look import firmware


@pytest.mark.parametrize("vendor", [vendor for vendor, _driver in firmware.FAMILIES])
def test_a_vendor_is_written_as_sysfs_prints_it(vendor: str) -> None:
    assert re.fullmatch(r"0x[0-9a-f]{4}", vendor)


def test_a_board_that_was_not_read_says_nothing() -> None:
    assert set(dc.asdict(firmware.Firmware().baseboard).values()) == {None}
