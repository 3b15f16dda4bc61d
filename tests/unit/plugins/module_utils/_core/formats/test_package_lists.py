# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists of packages in the forms that people take."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.package_lists import Listing, parse
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Package

DKMS = Package("amdgpu-dkms", "1:6.12.12.60401-2164967.24.04", "all", "installed")
BROKEN = Package("linux-modules-extra-6.8.0-60-generic", "6.8.0-60.63", "amd64", "half-configured")
REINSTALL = Package("rocm-core", "7.0.2.70002-56~24.04", "amd64", "installed")
STANZA = "Package: amdgpu-dkms\nStatus: hold ok installed\nArchitecture: all\nVersion: 1:6.12.12.60401-2164967.24.04\n"


@pytest.mark.parametrize(("text", "expected"), [
    ("||/ Name Version\nhi  amdgpu-dkms 1:6.12.12.60401-2164967.24.04 all driver\n"
     "iF  linux-modules-extra-6.8.0-60-generic:amd64 6.8.0-60.63 x\niiR rocm-core 7.0.2.70002-56~24.04 amd64 core\n"
     "rc  old 1.0 all gone\n",
     Listing("apt", (DKMS, BROKEN, REINSTALL), ("amdgpu-dkms",), (BROKEN, REINSTALL))),
    (STANZA, Listing("apt", (DKMS,), ("amdgpu-dkms",), ())),
    ("Listing...\namdgpu-dkms/noble,now 1:6.12.12.60401-2164967.24.04 all [installed]\nother/noble 1.0 all [upgradable from: 0.9]\n",
     Listing("apt", (DKMS,))),
    ("amdgpu-dkms-6.7.0.60100-1756574.el8.noarch  Tue 2 Jan 2026\ngpg-pubkey-1a2b3c4d-5e6f7a8b\nwords\n",
     Listing("rpm", (Package("amdgpu-dkms", "6.7.0.60100-1756574.el8", "noarch", "installed"),))),
    ("amdgpu-dkms:all\t1:6.12.12.60401-2164967.24.04\nrocm-core\t7.0.2.70002-56~24.04\tamd64\n", Listing("apt", (DKMS, REINSTALL))),
    ("no list\n", None),
    ("", None),
])
def test_parse(text: str, expected: Listing | None) -> None:
    assert parse(text) == expected
