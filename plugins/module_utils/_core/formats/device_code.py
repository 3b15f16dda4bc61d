# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Code for GPUs within a library: bundles, each of which names the instruction sets that it has code for.

A bundle that is compressed names them in its compressed part alone, and is not told.

source: https://clang.llvm.org/docs/ClangOffloadBundler.html, "Bundled Binary File Layout", "Compression and
    Decompression"; https://llvm.org/docs/AMDGPUUsage.html, "Generic processors"
"""

from __future__ import annotations

import re
import struct
import typing as t

from . import elf_sections
from .elf import Source

SECTION = ".hip_fatbin"
_MAGIC = b"__CLANG_OFFLOAD_BUNDLE__"
_COUNT = struct.Struct("<Q")
_ENTRY = struct.Struct("<QQQ")  # place of the code, its size, bytes of its name
_PAGE = 4096  # a library has a bundle for each of its parts, each from a page on
_BUNDLES, _ENTRIES, _NAME = 64, 256, 256  # the most that is read
_TARGET = re.compile(
    rb"-amdgcn-amd-amdhsa-[a-z0-9.]*-(gfx[0-9a-f]{3,4}|gfx[0-9]+(?:-[0-9]+)?-generic)(?::[a-z0-9:+-]*)?$")
# Code of one of these runs on each of its processors.
_GENERIC = {
    "gfx9-generic": ("gfx900", "gfx902", "gfx904", "gfx906", "gfx909", "gfx90c"),
    "gfx9-4-generic": ("gfx940", "gfx941", "gfx942", "gfx950"),
}


class Code(t.NamedTuple):
    """What a library tells of its code: instruction sets, and whether there is code of which it tells none."""

    targets: frozenset[str]
    silent: bool


def of(source: Source) -> Code | None:
    """What an ELF file has code for; None: it has none for GPUs, or not in this form."""
    found = elf_sections.section(source, SECTION)
    if found is None or not found.size:
        return None
    targets: set[str] = set()
    at, end, silent = found.offset, found.offset + found.size, False
    for _turn in range(_BUNDLES):
        bundle = _bundle(source, at, end)
        if bundle is None:
            silent = silent or at == found.offset
            break
        names, size = bundle
        targets |= set(names)
        at += -(-max(size, 1) // _PAGE) * _PAGE
        if at >= end:
            break
    return Code(frozenset(targets), silent or not targets)


def expanded(target: str) -> tuple[str, ...]:
    """The processors that code for a target runs on."""
    return _GENERIC.get(target, (target,))


def _bundle(source: Source, at: int, end: int) -> tuple[list[str], int] | None:
    """Instruction sets of the bundle at a place, and its size; None: there is none that can be read."""
    start = at + len(_MAGIC) + _COUNT.size
    head = source[at:min(start, end)]
    if len(head) < start - at or not head.startswith(_MAGIC):
        return None
    count, = _COUNT.unpack_from(head, len(_MAGIC))
    names: list[str] = []
    size = start - at
    for _turn in range(min(count, _ENTRIES)):
        row = source[start:min(start + _ENTRY.size, end)]
        if len(row) < _ENTRY.size:
            return None
        place, length, width = _ENTRY.unpack(row)
        if width > _NAME:
            return None
        start += _ENTRY.size
        match = _TARGET.search(source[start:start + width])
        names += expanded(match[1].decode()) if match else ()
        start += width
        size = max(size, place + length, start - at)
    return names, size
