# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who a process is to the kernel."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.credentials import Credentials, parse

STATUS = "Name:\tpython3\nUid:\t1000\t1001\t1000\t1000\nGid:\t1000\t1002\t1000\t1000\nGroups:\t44 105 1002 \nCapEff:\t{}\n"
ROOT, NONE, WHOLE = "000001ffffffffff", "0000000000000000", "         0          0 4294967295\n"


@pytest.mark.parametrize(("capabilities", "uid_map", "overrides", "locks"), [
    (ROOT, WHOLE, True, True), (NONE, WHOLE, False, False), ("00000000a80425f9", WHOLE, False, False),
    ("00000000a80425fb", WHOLE, True, False),  # root of a container, as Docker starts it
    ("0000000000004000", WHOLE, False, True),  # --cap-add IPC_LOCK
    (ROOT, "         0     100000      65536\n", False, False), (ROOT, "", False, False)])
def test_who_it_is(capabilities: str, uid_map: str, overrides: bool, locks: bool) -> None:
    assert parse(STATUS.format(capabilities), uid_map) == Credentials(1001, (1002, 44, 105), overrides, locks)


@pytest.mark.parametrize("status", [
    "", STATUS.format("x"), STATUS.format(ROOT).replace("Uid:\t1000", "Uid:"), STATUS.format(ROOT).replace("Gid", "Git")])
def test_what_does_not_tell_is_nobody(status: str) -> None:
    assert parse(status, WHOLE) is None


def test_no_groups_are_none() -> None:
    found = parse(STATUS.format(NONE).replace("Groups:\t44 105 1002 ", "Groups:\t"), WHOLE)
    assert found and found.groups == (1002,)
