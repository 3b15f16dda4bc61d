# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Locks as dnf's versionlock plugin writes and reads them."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.versionlock import (
    Locks,
    covers,
    line_for,
    locks,
    name,
    parse_conf,
    parse_list,
    rewritten,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Package

DKMS = Package("amdgpu-dkms", "1:6.14.14.30100200-2226257.el9", "noarch", "installed")
FIRST = Package("kernel-core", "5.14.0-570.12.1.el9_6", "x86_64", "installed")
SECOND = Package("kernel-core", "5.14.0-570.58.1.el9_6", "x86_64", "installed")
# As "dnf versionlock add" of dnf-plugins-core 4.3.1 left it.
LIST = """
# Added lock on Sun Nov 29 19:32:53 2026
amdgpu-dkms-1:6.14.14.30100200-2226257.el9.*
kernel-core-0:5.14.0-570.12.1.el9_6.*
!bash-0:5.2.26-4.el9.*
"""


def test_the_plugins_own_settings() -> None:
    assert parse_conf("[main]\nenabled = 1\nlocklist = /etc/dnf/plugins/versionlock.list\n") == "/etc/dnf/plugins/versionlock.list"
    assert parse_conf("[main]\nenabled = 0\nlocklist = /x\n") is None


@pytest.mark.parametrize(("text", "what"), [
    ("[main]\nenabled = 1\n", "names no locklist"), ("enabled = 1\n", "cannot be read"),
    ("[main]\nenabled = perhaps\n", "cannot be read"),
])
def test_settings_with_which_dnf_does_not_work_are_refused(text: str, what: str) -> None:
    with pytest.raises(DataError, match=what):
        parse_conf(text)


def test_a_list_has_locks_and_excludes() -> None:
    assert parse_list(LIST) == ("amdgpu-dkms-1:6.14.14.30100200-2226257.el9.*", "kernel-core-0:5.14.0-570.12.1.el9_6.*",
                                "!bash-0:5.2.26-4.el9.*")


@pytest.mark.parametrize(("line", "wanted"), [
    ("amdgpu-dkms-1:6.14.14.30100200-2226257.el9.*", "amdgpu-dkms"), ("kernel-core-0:5.14.0-570.12.1.el9_6.x86_64", "kernel-core"),
    ("kernel-core-5.14.0-570.12.1.el9_6", "kernel-core"), ("rocm-core-7.0.2.70002", "rocm-core"), ("rocm-core", "rocm-core"),
    ("rocm-core.x86_64", "rocm-core"), ("rocm*", "rocm*"), ("rocm-core-*-56.el9", "rocm-core"),
    ("amdgpu-dkms-firmware-30.10.2.0.30100200-2226257.el9.*", "amdgpu-dkms-firmware"),
])
def test_name_of_a_lock(line: str, wanted: str) -> None:
    assert name(line) == wanted


@pytest.mark.parametrize(("line", "wanted"), [
    ("amdgpu-dkms-1:6.14.14.30100200-2226257.el9.*", True), ("amdgpu-dkms-6.14.14.30100200-2226257.el9", True),
    ("amdgpu-dkms-6.14.14.30100200", True), ("amdgpu-dkms-6.14*", True), ("amdgpu-dkms", True), ("amdgpu-dkms.noarch", True),
    ("amdgpu-dkms-1:6.16.13.30300300-2327507.el9.*", False), ("amdgpu-dkms-0:6.14.14.30100200-2226257.el9.*", False),
    ("amdgpu", False), ("amdgpu-dkms.x86_64", False),
])
def test_covers(line: str, wanted: bool) -> None:
    assert covers(line, DKMS) is wanted


def test_line_for_is_what_the_plugin_writes() -> None:
    assert [line_for(p) for p in (DKMS, FIRST)] == list(parse_list(LIST)[:2])


# id, list, installed packages, locks
MEANING = [
    ("as the plugin wrote it", LIST, (DKMS, FIRST), Locks(("amdgpu-dkms", "kernel-core"))),
    ("a second kernel is not locked", LIST, (FIRST, SECOND), Locks(("kernel-core",), ("kernel-core",))),
    ("locked to a version that is not installed", "amdgpu-dkms-1:6.16.13.30300300-2327507.el9.*\n", (DKMS,),
     Locks(("amdgpu-dkms",), ("amdgpu-dkms",))),
    ("a lock of something else", "bash-0:5.1.8-9.el9.*\n", (DKMS,), Locks()),
    ("an exclude holds nothing", "!amdgpu-dkms-1:6.14.14.30100200-2226257.el9.*\n", (DKMS,), Locks()),
    ("a pattern", "amdgpu*\n", (DKMS,), Locks(("amdgpu-dkms",))),
]


@pytest.mark.parametrize(("text", "packages", "wanted"), [c[1:] for c in MEANING], ids=[c[0] for c in MEANING])
def test_locks(text: str, packages: tuple[Package, ...], wanted: Locks) -> None:
    assert locks(parse_list(text), packages) == wanted


def test_rewritten_replaces_the_locks_of_the_named_packages_alone() -> None:
    wanted = {"kernel-core": [FIRST, SECOND], "rocm-core": []}
    held = rewritten(LIST, wanted, held=True)
    assert held == LIST.replace("kernel-core-0:5.14.0-570.12.1.el9_6.*\n", "") + (
        "kernel-core-0:5.14.0-570.12.1.el9_6.*\nkernel-core-0:5.14.0-570.58.1.el9_6.*\n")
    assert rewritten(held, wanted, held=True) == held
    assert rewritten(held, wanted, held=False) == LIST.replace("kernel-core-0:5.14.0-570.12.1.el9_6.*\n", "")
