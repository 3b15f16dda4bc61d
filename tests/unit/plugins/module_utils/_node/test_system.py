# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The operating system and the kind of machine."""

from __future__ import annotations

import os
import platform

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Os
from ansible_collections.instinct.fleet.plugins.module_utils._node import system
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree

UBUNTU = (
    'PRETTY_NAME="Ubuntu 24.04.3 LTS"\nVERSION_ID="24.04"\nVERSION="24.04.3 LTS (Noble Numbat)"\n'
    "VERSION_CODENAME=noble\nID=ubuntu\nID_LIKE=debian\n"
)


def test_read_ubuntu(tree: Tree) -> None:
    tree.fill({"/etc/os-release": UBUNTU, "/etc/debian_version": "trixie/sid\n"})
    assert system.read(tree.machine(uid=1000)) == Os(
        id="ubuntu", id_like=("debian",), version_id="24.04", point_version="24.04.3", codename="noble",
        pretty_name="Ubuntu 24.04.3 LTS", architecture=os.uname().machine, virtualization="none",
        python=platform.python_version(), root=False)


def test_read_from_usr_lib_when_etc_has_none(tree: Tree) -> None:
    tree.write("/usr/lib/os-release", "ID=debian\n")
    assert system.read(tree.machine()).id == "debian"


def test_read_nothing_is_unknown(tree: Tree) -> None:
    assert system.read(tree.machine()).unknown == {"id": "no /etc/os-release"}


DMI = "/sys/class/dmi/id"
# id, files, kind
KINDS = [
    ("bare metal", {f"{DMI}/sys_vendor": "Supermicro\n", f"{DMI}/product_name": "AS-8125GS-TNMR2\n"}, "none"),
    ("podman", {"/run/.containerenv": ""}, "container"),
    ("docker", {"/.dockerenv": ""}, "container"),
    ("nspawn", {"/run/systemd/container": "systemd-nspawn"}, "container"),
    ("QEMU", {f"{DMI}/sys_vendor": "QEMU\n"}, "kvm"),
    ("EC2", {f"{DMI}/sys_vendor": "Amazon EC2\n"}, "kvm"),
    ("VMware", {f"{DMI}/product_name": "VMware20,1\n"}, "vmware"),
    ("Azure", {f"{DMI}/sys_vendor": "Microsoft Corporation\n", f"{DMI}/product_name": "Virtual Machine\n"}, "microsoft"),
    ("a Surface is no virtual machine", {f"{DMI}/sys_vendor": "Microsoft Corporation\n"}, "none"),
    ("a hypervisor without a name", {"/proc/cpuinfo": "flags\t\t: fpu hypervisor lm\n"}, "other"),
]


@pytest.mark.parametrize(("files", "kind"), [c[1:] for c in KINDS], ids=[c[0] for c in KINDS])
def test_virtualization(tree: Tree, files: dict[str, str], kind: str) -> None:
    assert system.read(tree.fill(files).machine()).virtualization == kind
