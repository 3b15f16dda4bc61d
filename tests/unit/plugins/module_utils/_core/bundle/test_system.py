# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Operating system, kernel, packages, driver and settings into facts."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.bundle import system
from ansible_collections.instinct.fleet.plugins.module_utils._core.bundle.facts import Facts, Handler
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.settings import Setting
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import DeviceNode, OnDisk

UNAME = "Linux gpu-a01 6.8.0-60-generic #63-Ubuntu SMP x86_64 GNU/Linux\n"
MODINFO = "filename:       /lib/modules/6.8.0-60-generic/{}\nversion:  6.12.12\nsrcversion: AB12\nsigner: us\n"
TOLD: list[tuple[Handler, str, str]] = [
    (system.os_release, 'ID=ubuntu\nPRETTY_NAME="Ubuntu 24.04"\n', "os-release: Ubuntu 24.04"),
    (system.os_release, "ID=sles\n", "os-release: sles"),
    (system.os_release, "NAME=x\n", "os-release: no ID"),
    (system.uname, UNAME, "kernel 6.8.0-60-generic"),
    (system.uname, "Linux version 5.14.0-1.el9.x86_64 (build@host)\n", "kernel 5.14.0-1.el9.x86_64"),
    (system.uname, "6.6.0\n", "kernel 6.6.0"),
    (system.cmdline, "BOOT_IMAGE=/vmlinuz iommu=pt\n", "kernel command line"),
    (system.lsmod, "Module Size Used by\namdgpu 100 3 x\n", "1 modules"),
    (system.lsmod, "Module Size Used by\next4 100 3\n", "1 modules, amdgpu is not one of them"),
    (system.module, MODINFO.format("updates/dkms/amdgpu.ko.zst"), "module amdgpu 6.12.12 for 6.8.0-60-generic"),
    (system.module, "filename: /lib/modules/6.1/kernel/x/ast.ko\n", "module ast without version for 6.1"),
    (system.dkms_status, "amdgpu/6.12.12, 6.8.0-60-generic, x86_64: installed\n", "dkms status: 1 lines"),
    (system.dkms_status, "Error! Could not locate dkms.conf file.\n", "dkms status: 0 lines, 1 errors"),
    (system.packages, "rocm-core\t7.0.2.70002-56\n", "1 packages (apt)"),
    (system.cpu, "Vendor ID:   AuthenticAMD\n", "CPU of AuthenticAMD"),
    (system.cpu, "Architecture: x86_64\n", "CPU of an unknown vendor"),
    (system.drm, "card0  card0-DP-1  renderD128  version\n", "2 DRM devices"),
]


@pytest.mark.parametrize(("handler", "text", "told"), TOLD)
def test_what_is_told(handler: Handler, text: str, told: str) -> None:
    assert handler(Facts(), text) == told


@pytest.mark.parametrize(("handler", "text", "what"), [
    (system.uname, "words\n", "holds no kernel release"),
    (system.module, "modinfo: ERROR: Module amdgpu not found.\n", "names no module file"),
    (system.packages, "words\n", "lists no package in a known form"),
    (system.lsmod, "words\n", "names no module"),
    (system.dkms_status, "words\n", "names no module of DKMS"),
    (system.drm, "version\n", "names no DRM device"),
])
def test_what_is_refused(handler: Handler, text: str, what: str) -> None:
    with pytest.raises(DataError, match=what):
        handler(Facts(), text)


@pytest.mark.parametrize(("path", "kind"), [("updates/dkms/amdgpu.ko", "dkms"), ("kernel/drivers/gpu/amdgpu.ko.zst", "in_tree"),
                                            ("extra/amdgpu.ko.xz", "dkms")])
def test_driver_on_disk(path: str, kind: str) -> None:
    facts = Facts()
    system.module(facts, MODINFO.format(path))
    assert facts.on_disk == [OnDisk("6.8.0-60-generic", f"/lib/modules/6.8.0-60-generic/{path}", kind, "6.12.12", "AB12", "us")]


def test_device_nodes_of_ls() -> None:
    facts = Facts()
    system.devices(facts, "crw-rw---- 1 root render 510, 0 Jan 1 10:00 /dev/kfd\ncrw-rw---T 1 root video 226, 1 Jan 1 10:00 card1\n"
                          "crw-rw-rw-+ 1 root 992 226, 128 Jan 1 10:00 renderD128\ndrwxr-xr-x 2 root root 80 Jan 1 by-path\n")
    assert facts.devices == [
        DeviceNode("/dev/kfd", "kfd", "root", "render", -1, "0660"), DeviceNode("/dev/dri/card1", "card", "root", "video", -1, "0660"),
        DeviceNode("/dev/dri/renderD128", "render", "root", "992", -1, "0666")]


NAMES = {"HSA_NO_SCRATCH_RECLAIM": "environment", "amdgpu.noretry": "module_parameter", "iommu": "kernel_parameter",
         "quiet": "kernel_parameter"}


def test_settings_in_files_and_on_the_command_line() -> None:
    facts = Facts(cmdline="ro quiet iommu=pt other=1")
    found = system.settings(facts, "etc/x.conf", "# x\nexport HSA_NO_SCRATCH_RECLAIM=1\noptions amdgpu noretry=0 dpm=1\nwords\n", NAMES)
    assert system.kernel_settings(facts, NAMES) == [
        Setting("quiet", None, "kernel_parameter", "/proc/cmdline"), Setting("iommu", "pt", "kernel_parameter", "/proc/cmdline")]
    assert (found, facts.setting_files) == (2, 1)
    assert facts.settings == [
        Setting("HSA_NO_SCRATCH_RECLAIM", "1", "environment", "etc/x.conf", 2),
        Setting("amdgpu.noretry", "0", "module_parameter", "etc/x.conf", 3)]


def test_no_command_line_sets_nothing() -> None:
    assert system.kernel_settings(Facts(), NAMES) == []


@pytest.mark.parametrize(("text", "expected"), [("A=1\n# note\nexport B=2\n", True), ("A=1\nwords\n", False), ("\n", False)])
def test_assignments(text: str, expected: bool) -> None:
    assert system.assignments(text) is expected
