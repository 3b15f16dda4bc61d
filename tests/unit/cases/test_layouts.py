# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole bundles: one made by the commands that docs/bundle.md tells, and one as sos lays files out."""

from __future__ import annotations

import json
import pathlib
import re
import shutil

import pytest

from ansible_collections.instinct.fleet.plugins.plugin_utils.bundle import Read, read
from ansible_collections.instinct.fleet.tests.unit.support.project import ROOT

from .test_cases import HERE, known

FIXTURES = HERE / "fixtures"
DOCUMENTED = re.findall(r"^t (?:\"([^\"]+)\"|(\S+))", (pathlib.Path(ROOT) / "docs/bundle.md").read_text(), re.MULTILINE)
LSPCI = ("00:00.0 Host bridge [0600]: Advanced Micro Devices, Inc. [AMD] Genoa Root Complex [1022:14a4] (rev 01)\n\n"
         "0000:05:00.0 Processing accelerators [1200]: Advanced Micro Devices, Inc. [AMD/ATI] Aqua Vanjaram [Instinct MI300X] [1002:74a1]\n"
         "\tCapabilities: [64] Express (v2) Endpoint, MSI 00\n\t\tLnkCap:\tPort #0, Speed 32GT/s, Width x16\n"
         "\t\tLnkSta:\tSpeed 32GT/s, Width x16\n\tKernel driver in use: amdgpu\n")
FILES = {
    "dmesg.txt": "[    5.100000] amdgpu 0000:05:00.0: amdgpu: probe of 0000:05:00.0 failed with error -12\n",
    "journal-kernel.json": '{"_BOOT_ID":"1","MESSAGE":"amdgpu: x","_TRANSPORT":"kernel","__REALTIME_TIMESTAMP":"1"}\n',
    "uname.txt": "Linux gpu-a01 6.8.0-60-generic #63-Ubuntu SMP x86_64 GNU/Linux\n",
    "os-release": 'ID=ubuntu\nVERSION_ID="24.04"\n', "cmdline.txt": "root=/dev/sda1 ro iommu=pt\n",
    "lsmod.txt": "Module                  Size  Used by\namdgpu 100 0\n",
    "modinfo-amdgpu.txt": "filename:       /lib/modules/6.8.0-60-generic/updates/dkms/amdgpu.ko.zst\nversion: 6.12.12\n",
    "dkms-status.txt": "amdgpu/6.12.12-2164967.24.04, 6.8.0-60-generic, x86_64: installed\n",
    "dpkg-l.txt": "ii  rocm-core 7.0.2.70002-56~24.04 amd64 core\n", "lspci-nnvvv.txt": LSPCI,
    "lscpu.txt": "Architecture: x86_64\nVendor ID: AuthenticAMD\n",
    "ls-dev.txt": "crw-rw---- 1 root render 510, 0 Jan  1 10:00 /dev/kfd\n",
    "ls-sys-class-drm.txt": "lrwxrwxrwx 1 root root 0 Jan 1 10:00 card0 -> ../../devices/pci0000:00/0000:05:00.0/drm/card0\n",
    "kfd.txt": "/sys/class/kfd/kfd/topology/nodes/1/gpu_id:7\n/sys/class/kfd/kfd/topology/nodes/1/properties:simd_count 4\n"
               "/sys/class/kfd/kfd/topology/nodes/1/properties:location_id 1280\n",
    "rocminfo.txt": "ROCk module version 6.12.12 is loaded\n",
    "amd-smi-$c.json": json.dumps([{"gpu": 0, "bdf": "0000:05:00.0", "kfd_id": 7, "node_id": 1, "partition_id": 0}]),
    "rocm-smi.json": '{"card0": {"PCI Bus": "0000:05:00.0", "GPU use (%)": "0"}}', "rdma-link.txt": "link mlx5_0/1 state ACTIVE netdev ib0\n",
}
SOS = {
    "dmesg.txt": "sos_commands/kernel/dmesg", "uname.txt": "sos_commands/kernel/uname_-a", "os-release": "etc/os-release",
    "cmdline.txt": "proc/cmdline", "lsmod.txt": "sos_commands/kernel/lsmod", "lspci-nnvvv.txt": "sos_commands/pci/lspci_-nnvv",
    "dpkg-l.txt": "installed-debs", "lscpu.txt": "sos_commands/processor/lscpu", "dkms-status.txt": "sos_commands/kernel/dkms_status",
}


def bundle(folder: pathlib.Path, names: dict[str, str]) -> Read:
    for name, path in names.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(FILES[name], encoding="utf-8")
    shutil.make_archive(str(folder), "gztar", folder)
    return read(f"{folder}.tar.gz", known().log_patterns, known().setting_names)


def test_every_documented_command_is_in_the_bundle_of_this_test() -> None:
    assert {quoted or plain for quoted, plain in DOCUMENTED} <= set(FILES) | {"amd-smi-$c.json"}
    assert len(DOCUMENTED) > 15


@pytest.mark.parametrize(("names", "missing"), [
    ({name: f"gpu-a01/{name}" for name in FILES}, set()),
    ({name: f"sosreport-gpu-a01/{path}" for name, path in SOS.items()}, {"smi", "devices"}),
], ids=["documented", "sos"])
def test_every_file_of_a_layout_is_understood(names: dict[str, str], missing: set[str], tmp_path: pathlib.Path) -> None:
    got = bundle(tmp_path / "gpu-a01", names)
    assert [note for note in got.notes if "not understood" in note or "unreadable" in note] == []
    there = {"os", "kernel", "packages", "dkms", "driver", "gpus", "host", "log", "settings", "smi", "devices"}
    assert {name for name in there if getattr(got.look, name) is None} == missing
    assert got.look.gpus is not None
    assert [(gpu.bdf, gpu.product, gpu.driver) for gpu in got.look.gpus.gpus] == [("0000:05:00.0", "MI300X", "amdgpu")]
    assert got.look.kernel is not None
    assert got.look.kernel.cmdline == "root=/dev/sda1 ro iommu=pt"
