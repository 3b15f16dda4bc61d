# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a node with rpm must show when it is at a release: read from the node, not from the role's own word."""

from __future__ import annotations

import collections
import json
import re

FIRST = {"name": "rocm-7.0.2", "driver": "30.10.2", "module": "6.14.14", "build": "2226257", "rocm": "7.0.2",
         "rocm_code": "70002", "firmware": "30.10.2.0.3010200"}
SECOND = {"name": "rocm-7.2.3", "driver": "30.30.3", "module": "6.16.13", "build": "2327507", "rocm": "7.2.3",
          "rocm_code": "70203", "firmware": "30.30.3.0.30300300"}
# Manager -> end of package versions, folder of repositories, packages of a kernel that are held
KINDS = {
    "dnf": (".el9", "/etc/yum.repos.d",
            {"kernel", "kernel-core", "kernel-modules", "kernel-modules-core", "kernel-devel", "kernel-devel-matched"}),
    "zypper": ("", "/etc/zypp/repos.d", {"kernel-default", "kernel-default-devel", "kernel-devel"}),
}


def _manager(host) -> str:
    return "dnf" if host.file("/usr/bin/dnf").exists else "zypper"


def _version(host, name: str) -> str:
    return host.check_output(f"rpm -q --qf '%|EPOCH?{{%{{EPOCH}}:}}|%{{VERSION}}-%{{RELEASE}}' {name}")


def sources(host, release: dict[str, str]) -> None:
    """The vendor's packages come from our two files alone, which name the release and the one key."""
    folder = KINDS[_manager(host)][1]
    offering = host.check_output(f"grep -lE '/srv/repo/(amdgpu|rocm)' {folder}/*").split()
    assert offering == [f"{folder}/instinct-amdgpu.repo", f"{folder}/instinct-rocm.repo"]
    assert f"/amdgpu/{release['driver']}/" in host.file(offering[0]).content_string
    assert f"/{release['rocm']}/main" in host.file(offering[1]).content_string
    key = "file:///etc/pki/rpm-gpg/RPM-GPG-KEY-instinct-radeon"
    assert f"gpgcheck=1\ngpgkey={key}\n" in host.file(offering[0]).content_string


def driver_version(host, release: dict[str, str]) -> None:
    """Driver and firmware are at their exact version."""
    tail = release["build"] + KINDS[_manager(host)][0]
    assert _version(host, "amdgpu-dkms") == f"1:{release['module']}-{tail}"
    assert _version(host, "amdgpu-dkms-firmware") == f"{release['firmware']}-{tail}"


def rocm_version(host, release: dict[str, str]) -> None:
    """ROCm is at the release's line, although the distribution's rocminfo is newer."""
    for name in ("rocm-core", "rocminfo", "amd-smi-lib"):
        assert re.search(rf"\.{release['rocm_code']}-", _version(host, name)), name
    assert host.file("/opt/rocm/.info/version").content_string.startswith(release["rocm"])


def signed(host, release: dict[str, str]) -> None:
    """What was installed carries a signature that rpm verifies by a key that it trusts."""
    ring = host.file("/etc/pki/rpm-gpg/RPM-GPG-KEY-instinct-radeon").content_string
    assert ring.startswith("-----BEGIN PGP PUBLIC KEY BLOCK-----")
    assert "NOKEY" not in host.check_output("rpm -qa --qf '%{NAME} %{DSAHEADER:pgpsig}\\n' 2>&1")
    assert "Key ID" in host.check_output("rpm -q --qf '%{DSAHEADER:pgpsig}' amdgpu-dkms")


def holds(host, release: dict[str, str]) -> None:
    """Driver and kernel are held together, in the package manager's own words."""
    manager = _manager(host)
    if manager == "dnf":
        said = host.check_output("dnf -q versionlock list")
        names = {re.sub(r"-\d+:.*", "", line) for line in said.split()}
        assert f"amdgpu-dkms-1:{release['module']}-{release['build']}.el9.*" in said.split()
    else:
        said = host.check_output("zypper --quiet locks")
        names = set(re.findall(r"^\s*\d+ \| (\S+)", said, re.MULTILINE))
    assert names == {"amdgpu-dkms", "amdgpu-dkms-firmware"} | KINDS[manager][2]


def nothing_moves_by_itself(host, release: dict[str, str]) -> None:
    """An upgrade of everything, which a newer kernel and a newer rocminfo wait for, changes no package."""
    before = host.check_output("rpm -qa | sort")
    upgrade = {"dnf": "dnf -q -y upgrade", "zypper": "zypper --non-interactive --quiet update"}[_manager(host)]
    assert host.run(upgrade).rc == 0
    assert host.check_output("rpm -qa | sort") == before


def dkms(host, release: dict[str, str]) -> None:
    """DKMS has this driver and no other, installed for the running kernel."""
    lines = [line for line in host.check_output("dkms status 2>/dev/null").splitlines() if line.startswith("amdgpu")]
    version = f"{release['module']}-{release['build']}{KINDS[_manager(host)][0]}"
    assert {line.split(",")[0] for line in lines} == {f"amdgpu/{version}"}
    kernel = host.check_output("uname -r")
    assert any(f", {kernel}, x86_64: installed" in line for line in lines)


def loaded(host, release: dict[str, str]) -> None:
    """The loaded module is the one on disk, it is the pinned one, and every GPU is bound to it."""
    assert host.check_output("modinfo -F version amdgpu") == release["module"]
    srcversion = host.file("/sys/module/amdgpu/srcversion").content_string.strip()
    assert srcversion == host.check_output("modinfo -F srcversion amdgpu")
    assert host.check_output("ls -d /sys/bus/pci/drivers/amdgpu/0000:* | wc -l") == "2"


def boots(host, release: dict[str, str]) -> None:
    """The running kernel is the one that boots: what is saved, or, where nothing is, the newest."""
    kernel = host.check_output("uname -r")
    saved = re.search(r"^saved_entry=(.+)$", host.check_output("grub2-editenv /boot/grub2/grubenv list"), re.MULTILINE)
    assert (saved.group(1) if saved else host.check_output("ls /boot/vmlinuz-* | sort -V | tail -1")).endswith(kernel)


def recorded(host, release: dict[str, str]) -> None:
    """The node says what it is."""
    assert json.loads(host.file("/var/lib/instinct/release.json").content_string)["release"] == release["name"]


def nothing_twice(host, release: dict[str, str]) -> None:
    """Only kernels stand beside each other."""
    names = collections.Counter(host.check_output("rpm -qa --qf '%{NAME}\\n'").split())
    assert [n for n, count in names.items() if count > 1 and not n.startswith(("kernel", "gpg-pubkey"))] == []


ALL = (sources, driver_version, rocm_version, signed, holds, nothing_moves_by_itself, dkms, loaded, boots, recorded,
       nothing_twice)
