# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A simulated node is a machine with its own kernel, real packages and a driver that DKMS really built."""

from __future__ import annotations

import re

KERNEL = {"bookworm": r"6\.1\.0-\d+-amd64", "trixie": r"6\.12\.\d+\+deb13-amd64"}
UBUNTU = {"bookworm": "22.04", "trixie": "24.04"}


def suite(host) -> str:
    """The node's distribution."""
    return host.check_output("sed -n 's/^VERSION_CODENAME=//p' /etc/os-release")


def test_systemd_is_running(host):
    """All units are up."""
    assert host.check_output("systemctl is-system-running") == "running"


def test_kernel_is_the_nodes_own(host):
    """uname, /proc and the modules agree on a kernel of the node's distribution."""
    kernel = host.check_output("uname -r")
    assert re.fullmatch(KERNEL[suite(host)], kernel)
    assert host.file("/proc/sys/kernel/osrelease").content_string.strip() == kernel
    assert f"vmlinuz-{kernel}" in host.file("/proc/cmdline").content_string
    assert host.check_output("python3 -c 'import os; print(os.uname().release)'") == kernel
    assert host.file(f"/lib/modules/{kernel}/build/Makefile").exists


def test_repository_is_signed(host):
    """apt accepts the repository because its key matches, and not because it trusts it blindly."""
    assert host.run("apt-get update -o APT::Update::Error-Mode=any").rc == 0
    listed = host.check_output("cat /etc/apt/sources.list.d/*")
    assert "trusted" not in listed.lower()
    host.check_output("mv /etc/apt/keyrings/rocm.gpg /etc/apt/keyrings/rocm.away")
    refused = host.run("apt-get update -o APT::Update::Error-Mode=any")
    host.check_output("mv /etc/apt/keyrings/rocm.away /etc/apt/keyrings/rocm.gpg")
    assert refused.rc == 100


def test_driver_is_built_for_the_kernel(host):
    """DKMS built and signed the stand-in; modinfo finds it before the kernel's own."""
    ubuntu, kernel = UBUNTU[suite(host)], host.check_output("uname -r")
    assert host.package("amdgpu-dkms").version == f"1:6.14.14.30100200-2226257.{ubuntu}"
    assert host.package("amdgpu-dkms-firmware").version == f"30.10.2.0.30100200-2226257.{ubuntu}"
    status = host.check_output("dkms status 2>/dev/null")
    assert status.endswith("(Original modules exist)") == (suite(host) == "trixie")
    assert f"amdgpu/6.14.14-2226257.{ubuntu}, {kernel}, x86_64: installed" in status
    assert "/updates/dkms/amdgpu.ko" in host.check_output("modinfo -n amdgpu")
    assert host.check_output("modinfo -F version amdgpu") == "6.14.14"
    assert host.check_output("modinfo -F signer amdgpu") == "DKMS module signing key"
    assert "pci:v00001002d000074A1sv*" in host.check_output("modinfo -F alias amdgpu")


def test_driver_is_loaded(host):
    """modprobe loaded what is on disk, and every GPU has its render node."""
    assert host.file("/sys/module/amdgpu/version").content_string.strip() == "6.14.14"
    on_disk = host.check_output("modinfo -F srcversion amdgpu")
    assert host.file("/sys/module/amdgpu/srcversion").content_string.strip() == on_disk
    assert host.check_output("ls -d /sys/bus/pci/drivers/amdgpu/0000:* | wc -l") == "8"
    assert host.check_output("stat -c %F /dev/kfd") == "character special file"


def test_kernels_own_driver_is_real(host):
    """Behind the built module lies Debian's own, which has no version. DKMS 3.2 (Debian 13) moves it out of the way."""
    kernel = host.check_output("uname -r")
    places = r"\( -path '*/kernel/drivers/*' -o -path '*/original_module/*' \)"
    path = host.check_output(rf"find /lib/modules /var/lib/dkms {places} \( -name amdgpu.ko -o -name amdgpu.ko.xz \)")
    assert host.check_output(f"modinfo -F version {path}") == ""
    assert host.check_output(f"modinfo -F vermagic {path}").startswith(kernel)


def test_pin_of_the_vendor_wins_over_a_higher_version(host):
    """The distribution offers higher versions of rocminfo and rocm-core."""
    policy = host.check_output("LC_ALL=C apt-cache policy rocminfo rocm-core")
    assert "5.7.1-3" in policy
    assert "9.9.0-1" in policy
    ubuntu = UBUNTU[suite(host)]
    assert re.findall(r"Installed: (\S+)", policy) == [f"1.0.0.70002-56~{ubuntu}", f"7.0.2.70002-56~{ubuntu}"]
    assert host.file("/opt/rocm").exists
    assert host.check_output("cat /opt/rocm/.info/version") == "7.0.2-56"
    assert "simulated" in host.check_output("/opt/rocm/bin/rocminfo")


def test_unattended_upgrades_are_on_and_quiet(host):
    """The product restricts them, so they are there; the timers would change a node behind a test's back."""
    assert host.package("unattended-upgrades").is_installed
    setting = "APT::Periodic::Unattended-Upgrade"
    assert host.check_output(f"apt-config dump {setting}") == f'{setting} "1";'
    assert host.run("systemctl is-enabled apt-daily-upgrade.timer").stdout.strip() == "masked"
