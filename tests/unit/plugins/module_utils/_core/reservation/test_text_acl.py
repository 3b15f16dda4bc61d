# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Access control lists as the kernel keeps them."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.text_acl import encoded, granted

# What getfattr -n system.posix_acl_access -e hex shows after setfacl --set u::rw,g::rw,g:1001:rw,g:2000:rw,m::rw,o::-
LIST = bytes.fromhex("0200000001000600ffffffff04000600ffffffff08000600e903000008000600d0070000"
                     "10000600ffffffff20000000ffffffff")


def test_groups_may_read_and_write_and_nobody_else() -> None:
    assert encoded([2000, 1001]) == LIST and granted(LIST) == (1001, 2000)


@pytest.mark.parametrize("raw", [
    b"", LIST[:-3], LIST.replace(b"\x08\x00\x06", b"\x08\x00\x04"), LIST.replace(b"\x08\x00\x06", b"\x02\x00\x06"),
    LIST[:-8] + bytes.fromhex("20000600ffffffff"), b"\x03" + LIST[1:],
])
def test_any_other_list_is_none_of_ours(raw: bytes) -> None:
    assert granted(raw) is None
