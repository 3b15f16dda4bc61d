# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The kernel's own driver is loaded, and nothing of AMD's packages is left."""

from __future__ import annotations


def test_packages_and_their_repository_are_gone(host):
    for name in ("amdgpu-dkms", "amdgpu-dkms-firmware"):
        assert not host.package(name).is_installed
    assert host.check_output("dkms status 2>/dev/null") == ""
    for path in ("/etc/apt/sources.list.d/instinct-amdgpu.sources", "/etc/apt/preferences.d/00-instinct-amdgpu"):
        assert not host.file(path).exists


def test_the_kernels_own_module_is_loaded(host):
    path = host.check_output("modinfo -n amdgpu")
    assert "/kernel/drivers/gpu/drm/amd/amdgpu/" in path
    assert host.file("/sys/module/amdgpu/initstate").content_string.strip() == "live"
    assert not host.file("/sys/module/amdgpu/version").exists
    assert host.check_output("ls -d /sys/bus/pci/drivers/amdgpu/0000:* | wc -l") == "4"


def test_the_kernel_stays_held(host):
    assert f"linux-image-{host.check_output('uname -r')}" in host.check_output("apt-mark showhold").split()
