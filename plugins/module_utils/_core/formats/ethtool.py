# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What ``ethtool -i`` prints."""

from __future__ import annotations

import re


def parse_firmware(text: str) -> tuple[str | None, str | None]:
    """Return version and board of the firmware, None where the driver states none.

    mlx5 prints the board behind the version, "28.46.3048 (MT_0000000838)", and bnxt its package, "231.0.162.0/pkg
    231.1.162.1". source: linux:drivers/net/ethernet/mellanox/mlx5/core/en_ethtool.c,
    linux:drivers/net/ethernet/broadcom/bnxt/bnxt_ethtool.c
    """
    match = re.search(r"^firmware-version:[ \t]*(?!N/A)([^\s/]+)(?:[ \t]+\(([^\s)]+)\))?", text, re.MULTILINE)
    return (match[1], match[2]) if match else (None, None)
