# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Three releases beside each other, of both streams; programs find the one that is active."""

from __future__ import annotations

import checks
import pytest

PACKAGES = {
    "amd-smi-lib7.2.3": ".70203-", "rocm7.2.3": ".70203-", "amd-smi-lib7.0.2": ".70002-", "rocm7.0.2": ".70002-",
    "amdrocm7.14-gfx950": "7.14.0-3", "amdrocm-core7.14-gfx950": "7.14.0-3",
}


@pytest.mark.parametrize("name", PACKAGES)
def test_each_release_has_packages_with_its_number(host, name):
    assert PACKAGES[name] in host.package(name).version


def test_packages_for_other_gpus_and_without_a_number_are_not_there(host):
    assert not any(host.package(name).is_installed for name in ("amdrocm7.14-gfx942", "rocm-core", "rocminfo", "rocm"))
    checks.healthy_packages(host, checks.SECOND)


@pytest.mark.parametrize("prefix", ["/opt/rocm-7.2.3", "/opt/rocm-7.0.2", "/opt/rocm/core-7.14"])
def test_each_release_works_by_its_own_path(host, prefix):
    assert host.file(f"{prefix}/lib/libamd_smi.so").exists
    assert "(simulated)" in host.run(f"{prefix}/bin/rocminfo").stdout


def test_programs_find_the_active_one(host):
    assert not host.file("/opt/rocm").is_symlink
    assert host.check_output("realpath /opt/rocm/bin /opt/rocm/lib").splitlines() == [
        "/opt/rocm-7.2.3/bin", "/opt/rocm-7.2.3/lib"]
    assert not host.file("/opt/rocm/llvm").exists, "a part that the active release lacks leads to no other one"
    assert host.run("bash -lc rocminfo").stdout.startswith("rocminfo 7.2.3 ")


def test_all_repositories_can_be_read(host):
    assert host.run("apt-get update -o APT::Update::Error-Mode=any").rc == 0
    sources = host.file("/etc/apt/sources.list.d/instinct-rocm.sources").content_string
    assert sources.count("Types: deb") == 3
