# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All of ROCm from the vendor, although the distribution has higher versions; the driver was left alone."""

from __future__ import annotations

import checks
import pytest


def test_rocm_is_the_releases(host):
    checks.rocm_version(host, checks.SECOND)
    checks.healthy_packages(host, checks.SECOND)


@pytest.mark.parametrize("name", ["rocm", "rocm-hip-runtime", "rocm-language-runtime", "rocm-smi-lib"])
def test_what_the_component_needs_is_of_the_same_release(host, name):
    assert ".70203-" in host.package(name).version


def test_paths_and_group(host):
    assert host.check_output("bash -lc 'command -v rocminfo'") == "/opt/rocm/bin/rocminfo"
    assert "/opt/rocm/lib/libamd_smi.so" in host.check_output("ldconfig -p")
    assert host.group("render").gid == 1200


def test_the_driver_was_left_alone(host):
    assert not host.package("amdgpu-dkms").is_installed
    assert host.check_output("apt-mark showhold") == ""
    assert not host.file("/etc/apt/sources.list.d/instinct-amdgpu.sources").exists
