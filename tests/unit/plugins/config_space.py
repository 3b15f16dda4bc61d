# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Configuration space of a PCI function, byte by byte, for tests."""

from __future__ import annotations

import struct

EXPRESS_AT, ACS_AT, REBAR_AT = 0x64, 0x2A0, 0x200


def config_space(port: int = 0x0, width: int = 16, speed: int = 5, atomics: int = 0x180, requested: bool = True,
                 acs: int | None = None, rebar: dict[int, int] | None = None, bars: tuple[int, ...] = (),
                 header: int = 0, version: int = 2) -> bytearray:
    """4096 bytes: a header with BARs, the Express capability behind a power management one, ACS, resizable BARs.

    ``width`` and ``speed`` are what the link has and runs at; ``rebar`` is BAR -> size as a power of two of a MiB.
    """
    space = bytearray(4096)
    struct.pack_into("<HHHH", space, 0, 0x1002, 0x74A1, 0x0406, 0x0010)
    space[0x0E], space[0x34] = header, 0x50
    struct.pack_into(f"<{len(bars)}I", space, 0x10, *bars)
    struct.pack_into("<BB", space, 0x50, 0x01, EXPRESS_AT)
    struct.pack_into("<BBH", space, EXPRESS_AT, 0x10, 0, port << 4 | version)
    struct.pack_into("<I", space, EXPRESS_AT + 12, width << 4 | speed)
    struct.pack_into("<H", space, EXPRESS_AT + 18, width << 4 | speed)
    struct.pack_into("<IH", space, EXPRESS_AT + 36, atomics, 0x40 if requested else 0)
    struct.pack_into("<I", space, 0x100, 0x0B | 1 << 16 | REBAR_AT << 20)  # vendor-specific, as AMD has it first
    struct.pack_into("<I", space, REBAR_AT, (0x15 if rebar else 0x01) | 1 << 16 | (0 if acs is None else ACS_AT << 20))
    for index, (number, size) in enumerate((rebar or {}).items()):
        struct.pack_into("<I", space, REBAR_AT + 8 + 8 * index, number | len(rebar or {}) << 5 | size << 8)
    if acs is not None:
        struct.pack_into("<IHH", space, ACS_AT, 0x0D | 1 << 16, 0x5F, acs)
    return space
