# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Small texts of /proc and /sys about the machine."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.formats import host_files as files

LIMITS = ("Limit                     Soft Limit           Hard Limit           Units     \n"
          "Max locked memory         8388608              16777216             bytes     \n"
          "Max open files            unlimited            1048576              files     \n")
CONFIG = "# CONFIG_PCI_P2PDMA is not set\nCONFIG_DRM_AMDGPU=m\nCONFIG_HSA_AMD=y\nCONFIG_HSA_AMD_P2P_OLD=y\nCONFIG_LSM=\"lockdown,yama\"\n"


@pytest.mark.parametrize(("text", "word"), [
    ("always [madvise] never\n", "madvise"), ("[none] integrity confidentiality", "none"), ("always", None), ("", None)])
def test_chosen(text: str, word: str | None) -> None:
    assert files.chosen(text) == word


@pytest.mark.parametrize(("text", "number"), [("0-3,8\n", 5), ("0\n", 1), ("0-383", 384), ("\n", None), ("0-3,x", None), ("a", None)])
def test_count(text: str, number: int | None) -> None:
    assert files.count(text) == number


@pytest.mark.parametrize(("name", "size"), [("MemTotal", 2113536000), ("MemFree", 1024), ("Mem", None)])
def test_kibibytes(name: str, size: int | None) -> None:
    assert files.kibibytes("MemTotal:       2064000 kB\nMemFree:   1 kB\nHugePages_Total: 7\n", name) == size


@pytest.mark.parametrize(("text", "vendor"), [
    ("processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\n", "AuthenticAMD"), ("processor\t: 0\nCPU implementer\t: 0x41\n", None)])
def test_cpu_vendor(text: str, vendor: str | None) -> None:
    assert files.cpu_vendor(text) == vendor


@pytest.mark.parametrize(("name", "limit"), [("Max locked memory", 8388608), ("Max open files", -1), ("Max msgqueue size", None)])
def test_soft_limit(name: str, limit: int | None) -> None:
    assert files.soft_limit(LIMITS, name) == limit


def test_kernel_options() -> None:
    names = ("CONFIG_PCI_P2PDMA", "CONFIG_DRM_AMDGPU", "CONFIG_HSA_AMD", "CONFIG_HSA_AMD_P2P", "CONFIG_LSM")
    assert files.kernel_options(CONFIG, names) == {
        "CONFIG_PCI_P2PDMA": "n", "CONFIG_DRM_AMDGPU": "m", "CONFIG_HSA_AMD": "y", "CONFIG_LSM": '"lockdown,yama"'}


@pytest.mark.parametrize(("text", "number"), [
    ("4: ACTIVE\n", 4), ("400 Gb/sec (4X NDR)", 400), ("2.5 Gb/sec (1X SDR)", 2), ("-1\n", -1), ("0\n", 0), ("", None), ("N/A (no PMA)", None)])
def test_number(text: str, number: int | None) -> None:
    assert files.number(text) == number


@pytest.mark.parametrize(("text", "name"), [
    ("4: ACTIVE\n", "ACTIVE"), ("5: LinkUp", "LinkUp"), ("7: <unknown>", "<unknown>"), ("ACTIVE", None), ("4:", None), ("", None)])
def test_named(text: str, name: str | None) -> None:
    assert files.named(text) == name
