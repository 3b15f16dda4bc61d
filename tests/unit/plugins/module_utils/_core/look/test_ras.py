# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Blocks by their bits."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.ras import BLOCKS, enabled


@pytest.mark.parametrize(("mask", "blocks"), [
    (0, ()), (1, ("umc",)), (0xEF, ("umc", "sdma", "gfx", "mmhub", "pcie_bif", "hdp", "xgmi_wafl")),
    (1 << 18, ("mpio",)), (1 << 63, ())])
def test_enabled(mask: int, blocks: tuple[str, ...]) -> None:
    assert enabled(mask) == blocks


def test_bits_are_those_of_the_driver() -> None:
    assert {name: BLOCKS.index(name) for name in ("umc", "gfx", "xgmi_wafl", "mca", "mpio")} == {
        "umc": 0, "gfx": 2, "xgmi_wafl": 7, "mca": 14, "mpio": 18}
