# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ROCm of the newer stream alone: a few components, which bring no links of their own."""

from __future__ import annotations

import checks

NAMES = ("amdrocm-base7.14", "amdrocm-amdsmi7.14")


def test_packages_are_of_the_newer_stream_alone(host):
    assert all(host.package(name).version == "7.14.0-3" for name in NAMES)
    installed = host.check_output("dpkg-query -W -f '${Package} ${db:Status-Status}\\n'").splitlines()
    rocm = [line.split()[0] for line in installed if line.endswith(" installed") and "rocm" in line]
    assert [name for name in rocm if not name.startswith("amdrocm")] == []
    assert not any("core" in name for name in rocm), "the packages that make the links are not there"
    checks.healthy_packages(host, checks.SECOND)


def test_programs_find_it(host):
    assert host.file("/opt/rocm").is_directory and not host.file("/opt/rocm").is_symlink
    assert host.check_output("realpath /opt/rocm/bin /opt/rocm/lib").splitlines() == [
        "/opt/rocm/core-7.14/bin", "/opt/rocm/core-7.14/lib"]
    assert host.check_output("bash -lc 'command -v rocminfo'") == "/opt/rocm/bin/rocminfo"
    assert "/opt/rocm/lib/libamd_smi.so" in host.check_output("ldconfig -p")
    assert not host.file("/opt/rocm-7.2.3").exists


def test_the_binding_is_found_there(host):
    command = ("import sys; sys.path.insert(0, '/opt/rocm/share/amd_smi'); import amdsmi; print(amdsmi.__file__)")
    assert host.check_output(f'python3 -B -c "{command}"').startswith("/opt/rocm/share/amd_smi/amdsmi/")


def test_apt_takes_only_this_release_of_the_line(host):
    policy = host.check_output("LC_ALL=C apt-cache policy amdrocm-amdsmi7.14")
    assert "*** 7.14.0-3 1001" in policy
    sources = host.file("/etc/apt/sources.list.d/instinct-rocm.sources").content_string
    assert "repo.amd.com/rocm/packages-multi-arch/debian13" in sources and "rocm/apt" not in sources
