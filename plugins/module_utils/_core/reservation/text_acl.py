# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Access control lists as the kernel keeps them, for no program that writes them need be installed.

source: Linux include/uapi/linux/posix_acl_xattr.h, include/uapi/linux/posix_acl.h, fs/posix_acl.c (order and mask)
"""

from __future__ import annotations

import struct
import typing as t

ATTRIBUTE = "system.posix_acl_access"
_VERSION, _NOBODY = 2, 0xFFFFFFFF
_OWNER, _OWNERS_GROUP, _GROUP, _MASK, _OTHER = 0x01, 0x04, 0x08, 0x10, 0x20
_READ_WRITE, _NONE = 6, 0


def encoded(gids: t.Iterable[int]) -> bytes:
    """The list by which owner, group and these groups may read and write, and nobody else."""
    entries = [(_OWNER, _READ_WRITE, _NOBODY), (_OWNERS_GROUP, _READ_WRITE, _NOBODY),
               *((_GROUP, _READ_WRITE, gid) for gid in sorted(gids)), (_MASK, _READ_WRITE, _NOBODY),
               (_OTHER, _NONE, _NOBODY)]
    return struct.pack("<I", _VERSION) + b"".join(struct.pack("<HHI", *entry) for entry in entries)


def granted(raw: bytes) -> tuple[int, ...] | None:
    """The groups of such a list; None for any other list."""
    size = struct.calcsize("<HHI")
    entries = [struct.unpack_from("<HHI", raw, place) for place in range(4, len(raw) - size + 1, size)]
    gids = tuple(gid for tag, _permissions, gid in entries if tag == _GROUP)
    return gids if raw == encoded(gids) else None
