# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Locks as zypper writes them, and as people may."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.zypplocks import Lock, held, parse

# As "zypper addlock" of zypper 1.14.42 left it.
LOCKS = """
type: package
match_type: glob
case_sensitive: on
solvable_name: amdgpu-dkms


type: package
match_type: glob
case_sensitive: on
solvable_name: rocm*

"""


def test_parse_what_zypper_writes() -> None:
    assert parse(LOCKS) == (Lock("amdgpu-dkms", "glob", True), Lock("rocm*", "glob", True))
    assert parse("") == ()


def test_parse_defaults_and_other_kinds() -> None:
    text = "# by hand\nsolvable_name: amdgpu\nsolvable_name: rocm\n\ntype: patch\nsolvable_name: SUSE-1\n"
    assert parse(text) == (Lock("amdgpu", "substring", False), Lock("rocm", "substring", False))


def test_parse_refuses_another_form() -> None:
    with pytest.raises(DataError, match="line not understood: 'amdgpu'"):
        parse("amdgpu\n")


@pytest.mark.parametrize(("lock", "wanted"), [
    (Lock("amdgpu-dkms", "glob", True), ("amdgpu-dkms",)), (Lock("amdgpu*", "glob", True), ("amdgpu-dkms", "amdgpu-dkms-firmware")),
    (Lock("AMDGPU-DKMS", "exact", False), ("amdgpu-dkms",)), (Lock("AMDGPU-DKMS", "exact", True), ()),
    (Lock("dkms", "substring", True), ("amdgpu-dkms", "amdgpu-dkms-firmware")), (Lock("dkms$", "regex", True), ("amdgpu-dkms",)),
])
def test_held(lock: Lock, wanted: tuple[str, ...]) -> None:
    assert held([lock], ["rocm-core", "amdgpu-dkms-firmware", "amdgpu-dkms"]) == wanted


def test_held_refuses_what_is_no_regular_expression() -> None:
    with pytest.raises(DataError, match="is not a regular expression"):
        held([Lock("(", "regex", True)], ["a"])
