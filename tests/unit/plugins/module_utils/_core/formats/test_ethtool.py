# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The firmware line of ethtool -i, as drivers print it."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.ethtool import parse_firmware

# id, line, version, board
CASES = [
    ("mlx5 with its board", "firmware-version: 28.46.3048 (MT_0000000838)", "28.46.3048", "MT_0000000838"),
    ("bnxt with its package", "firmware-version: 231.0.162.0/pkg 231.1.162.1", "231.0.162.0", None),
    ("ionic", "firmware-version: 1.117.5-a-45", "1.117.5-a-45", None),
    ("ice prints more words", "firmware-version: 4.40 0x8001c7d4 1.3534.0", "4.40", None),
    ("a driver that states none", "firmware-version: ", None, None),
    ("not available", "firmware-version: N/A", None, None),
    ("no such line", "bus-info: 0000:c1:00.0", None, None),
]


@pytest.mark.parametrize(("line", "version", "board"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_version_and_board_of_the_firmware(line: str, version: str | None, board: str | None) -> None:
    text = f"driver: x\nversion: 6.8.0\n{line}\nexpansion-rom-version: 14.1\n"
    assert parse_firmware(text) == (version, board)
