# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a node must show when it is at a release, read from the node by testinfra and not from the role's own word."""

from __future__ import annotations

import json
import re

FIRST = {
    "name": "rocm-7.0.2", "driver": "30.10.2", "module": "6.14.14", "build": "2226257", "code": "30100200",
    "rocm": "7.0.2", "rocm_code": "70002",
}
SECOND = {
    "name": "rocm-7.2.3", "driver": "30.30.3", "module": "6.16.13", "build": "2327507", "code": "30300300",
    "rocm": "7.2.3", "rocm_code": "70203",
}
# AMD builds for Ubuntu; Debian uses those packages (ROCm/amdgpu-docs:docs/install/.../package-manager-debian.rst).
UBUNTU = {"12": "22.04", "13": "24.04"}


def _ubuntu(host) -> str:
    return UBUNTU[host.file("/etc/os-release").content_string.split('VERSION_ID="')[1].split('"')[0]]


def sources(host, release: dict[str, str]) -> None:
    """The vendor's packages come from our two source files alone, signed by the one key."""
    offering = host.check_output("grep -rlE 'radeon|/srv/repo/(amdgpu|rocm)' /etc/apt/sources.list.d | sort").split()
    names = ["instinct-amdgpu.sources", "instinct-rocm.sources"]
    assert offering == [f"/etc/apt/sources.list.d/{name}" for name in names]
    assert host.run("apt-get update -o APT::Update::Error-Mode=any").rc == 0


def driver_version(host, release: dict[str, str]) -> None:
    """Driver and firmware are at their exact version."""
    tail = f"{release['code']}-{release['build']}.{_ubuntu(host)}"
    assert host.package("amdgpu-dkms").version == f"1:{release['module']}.{tail}"
    assert host.package("amdgpu-dkms-firmware").version == f"{release['driver']}.0.{tail}"


def rocm_version(host, release: dict[str, str]) -> None:
    """ROCm is at the release's line, whatever the distribution offers."""
    ubuntu = _ubuntu(host)
    for name in ("rocm-core", "rocminfo", "amd-smi-lib"):
        assert re.search(rf"\.{release['rocm_code']}-\d+~{re.escape(ubuntu)}$", host.package(name).version), name
    assert host.file("/opt/rocm").linked_to == f"/opt/rocm-{release['rocm']}"


def pins(host, release: dict[str, str]) -> None:
    """apt itself says that the pinned version is the candidate, at a priority that may downgrade."""
    policy = host.check_output("LC_ALL=C apt-cache policy amdgpu-dkms rocminfo")
    driver, rocminfo = policy.split("rocminfo:")
    assert f"Candidate: 1:{release['module']}.{release['code']}-{release['build']}" in driver
    assert re.search(rf"Candidate: \S+\.{release['rocm_code']}-", rocminfo)
    assert re.search(r"\*\*\* \S+ 1001", driver) and re.search(r"\*\*\* \S+ 1001", rocminfo)


def holds(host, release: dict[str, str]) -> None:
    """Driver and kernel are held together, and nothing else is."""
    kernel = host.check_output("uname -r")
    held = set(host.check_output("apt-mark showhold").split())
    must = {"amdgpu-dkms", "amdgpu-dkms-firmware", f"linux-image-{kernel}", f"linux-headers-{kernel}"}
    assert must <= held
    assert all(name.startswith(("amdgpu-dkms", "linux-")) for name in held)


def dkms(host, release: dict[str, str]) -> None:
    """DKMS has this driver and no other, installed for the running kernel."""
    lines = [line for line in host.check_output("dkms status 2>/dev/null").splitlines() if line.startswith("amdgpu")]
    version = f"{release['module']}-{release['build']}.{_ubuntu(host)}"
    assert {line.split(",")[0] for line in lines} == {f"amdgpu/{version}"}
    kernel = host.check_output("uname -r")
    assert any(f", {kernel}, x86_64: installed" in line for line in lines)


def loaded(host, release: dict[str, str]) -> None:
    """The loaded module is the one on disk, it is the pinned one, and every GPU is bound to it."""
    assert host.check_output("modinfo -n amdgpu").endswith(("/updates/dkms/amdgpu.ko", "/updates/dkms/amdgpu.ko.xz"))
    assert host.check_output("modinfo -F version amdgpu") == release["module"]
    assert host.file("/sys/module/amdgpu/initstate").content_string.strip() == "live"
    srcversion = host.file("/sys/module/amdgpu/srcversion").content_string.strip()
    assert srcversion == host.check_output("modinfo -F srcversion amdgpu")
    gpus = host.check_output("grep -l 0x1002 /sys/bus/pci/devices/*/vendor | wc -l")
    assert host.check_output("ls -d /sys/bus/pci/drivers/amdgpu/0000:* | wc -l") == gpus != "0"


def devices(host, release: dict[str, str]) -> None:
    """kfd and render nodes belong to the group render with the fleet's gid, and the world may not touch them."""
    for path in ["/dev/kfd", *host.check_output("ls -d /dev/dri/renderD*").split()]:
        node = host.file(path)
        assert (node.user, node.group, node.gid, node.mode) == ("root", "render", 1200, 0o660), path


def boots(host, release: dict[str, str]) -> None:
    """GRUB starts what is saved, which is the kernel that runs, and nothing else is chosen for one boot."""
    saved = dict(line.split("=", 1) for line in host.check_output("grub-editenv list").splitlines())
    assert saved["saved_entry"].endswith(f"with Linux {host.check_output('uname -r')}")
    assert saved.get("next_entry", "") == ""  # as GRUB leaves it once it is used up
    assert 'set default="${saved_entry}"' in host.file("/boot/grub/grub.cfg").content_string


def recorded(host, release: dict[str, str]) -> None:
    """The node says what it is."""
    assert json.loads(host.file("/var/lib/instinct/release.json").content_string)["release"] == release["name"]
    assert json.loads(host.file("/etc/ansible/facts.d/instinct.fact").content_string) == {
        "release": release["name"], "driver": release["driver"], "rocm": release["rocm"]}


def healthy_packages(host, release: dict[str, str]) -> None:
    """The package manager has nothing half done."""
    assert host.run("dpkg --audit").stdout == ""
    assert host.run("apt-get check").rc == 0


def unattended(host, release: dict[str, str]) -> None:
    """unattended-upgrades, asked itself, leaves kernel, driver and ROCm alone."""
    listed = host.check_output("apt-config dump Unattended-Upgrade::Package-Blacklist")
    assert all(f'"^{name}' in listed for name in ("linux-", "amdgpu", "rocm"))


PACKAGES = (sources, driver_version, rocm_version, pins, holds, unattended, healthy_packages)
ALL = (*PACKAGES, dkms, loaded, devices, boots, recorded)
