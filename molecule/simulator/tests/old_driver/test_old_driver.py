# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds hold; and a driver that the kernel has outgrown fails to build, as it does in the field."""

from __future__ import annotations


def read(host, name: str) -> str:
    """What the attempts left in root's home."""
    return host.file(f"/root/{name}").content_string.strip()


def test_held_driver_is_not_touched(host):
    """apt refuses with its own words."""
    assert read(host, "held.rc") == "100"
    assert "Held packages were changed" in read(host, "held.log")


def test_old_driver_builds_only_on_the_old_kernel(host):
    """6.4.2 is good on Linux 6.1; on 6.12 the compiler refuses it and the kernel's own module is what is left."""
    status, kernel = host.check_output("dkms status 2>/dev/null"), host.check_output("uname -r")
    if kernel.startswith("6.1."):
        assert read(host, "old.rc") == "0"
        assert f"amdgpu/6.12.12-2187269.22.04, {kernel}, x86_64: installed" in status
        assert host.check_output("modinfo -F version amdgpu") == "6.12.12"
    else:
        assert read(host, "old.rc") == "100"
        assert "installed" not in status
        assert "class_create" in host.check_output("cat /var/lib/dkms/amdgpu/*/build/make.log")
        assert "/kernel/drivers/gpu/drm/amd/amdgpu/amdgpu.ko" in host.check_output("modinfo -n amdgpu")
        assert host.check_output("dpkg-query -W -f '${db:Status-Status}' amdgpu-dkms") == "half-configured"
