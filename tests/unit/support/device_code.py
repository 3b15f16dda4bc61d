# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Libraries with code for GPUs in them, as small as they can be: an ELF header, sections, bundles."""

from __future__ import annotations

import struct

_NAMES = b"\0.hip_fatbin\0.names\0"
COMPRESSED = b"CCOB" + bytes(28)


def bundle(*targets: str, page: int = 4096) -> bytes:
    """A bundle with a byte of code for each target, such as host-x86_64-unknown-linux-- and hipv4-amdgcn-amd-amdhsa--gfx942."""
    rows, place = [], 1024
    for target in targets:
        rows.append(struct.pack("<QQQ", place, 1, len(target)) + target.encode())
        place += 1
    head = b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", len(targets)) + b"".join(rows)
    return head + bytes(page - len(head))


def hip(*targets: str) -> bytes:
    """What hipcc makes for instruction sets."""
    return bundle("host-x86_64-unknown-linux-gnu-", *(f"hipv4-amdgcn-amd-amdhsa--{target}" for target in targets))


def library(code: bytes, kind: int = 1, machine: int = 62) -> bytes:
    """An ELF file with that in its section .hip_fatbin, and nothing for the loader."""
    names = 64 + len(code)
    table = names + len(_NAMES)
    header = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01\x01" + bytes(9), 3, machine, 1, 0, 64, table, 0, 64, 56, 0, 64, 3, 2)
    rows = [(0,) * 10, (1, kind, 2, 0, 64, len(code), 0, 0, 4096, 0), (13, 3, 0, 0, names, len(_NAMES), 0, 0, 1, 0)]
    return header + code + _NAMES + b"".join(struct.pack("<IIQQQQIIQQ", *row) for row in rows)
