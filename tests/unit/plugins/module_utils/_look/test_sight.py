# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole looks: at an empty machine, at a fabricated one, at a simulated node with its library."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as look
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.firmware import NO_BKC, NO_BMC
from ansible_collections.instinct.fleet.plugins.module_utils._look.sight import Sight
from ansible_collections.instinct.fleet.plugins.module_utils._look.wanted import Wanted
from ansible_collections.instinct.fleet.plugins.module_utils._node.command import Ran
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree
from ansible_collections.instinct.fleet.tests.unit.plugins.simulated import SimulatedNode

A, B = "0000:05:00.0", "0000:26:00.0"
UNTOLD = {"baseboard.bkc": NO_BKC, "baseboard.bmc": NO_BMC}
NO_DRM = {"displays": "there is no /sys/class/drm"}


def test_an_empty_machine_has_every_section_and_no_error(tree: Tree) -> None:
    seen = Sight(tree.machine()).take(look.ALL_SECTIONS)
    assert [name for name in look.ALL_SECTIONS if getattr(seen, name) is None] == []
    assert set(seen.elapsed_ms) == set(look.ALL_SECTIONS)
    assert seen.smi == look.Smi(error="no AMD accelerator on the PCI bus")
    assert (seen.gpus, seen.firmware, seen.devices, seen.processes) == (
        look.Gpus(), look.Firmware(unknown=UNTOLD), look.Devices(unknown=NO_DRM), look.Processes())
    assert tree.asked == []


@pytest.mark.parametrize("section", look.ALL_SECTIONS)
def test_one_section_alone(tree: Tree, section: str) -> None:
    seen = Sight(tree.machine()).take([section])
    assert [name for name in look.ALL_SECTIONS if getattr(seen, name) is not None] == [section]
    assert list(seen.elapsed_ms) == [section]


def test_arguments_reach_their_sections(tree: Tree) -> None:
    tree.fill({"/etc/a": "", "/var/lib/dpkg/status": "Package: mine\nStatus: install ok installed\nVersion: 1\n"})
    seen = Sight(tree.machine(), Wanted(("/etc/a",), ("mine",))).take(["files", "packages"])
    assert seen.files and seen.packages
    assert [file.path for file in seen.files.files] == ["/etc/a"]
    assert [package.name for package in seen.packages.installed] == ["mine"]


def test_partitions_devices_and_processes_meet_at_the_gpu(tree: Tree) -> None:
    tree.pci(A, current_compute_partition="DPX")
    tree.pci(B, driver="vfio-pci")
    identifiers = [tree.kfd_node(2, 0x500, 128), tree.kfd_node(3, 0x501, 129)]
    tree.fill({"/dev/dri/renderD128": "", "/dev/dri/renderD129": "", "/sys/module/amdgpu/initstate": "live\n",
               f"/sys/class/kfd/kfd/proc/7/vram_{identifiers[1]}": "5\n"})
    seen = Sight(tree.machine()).take(["gpus", "devices", "processes", "smi", "firmware"])
    assert seen.gpus and seen.devices and seen.processes and seen.smi and seen.firmware
    assert [(g.index, g.bdf, g.compute_partition, g.driver) for g in seen.gpus.gpus] == [
        (0, A, "DPX", "amdgpu"), (1, B, None, "vfio-pci")]
    assert seen.gpus.gpus[0].partitions == (
        look.Partition(0, "/dev/dri/renderD128", None, 2, identifiers[0]),
        look.Partition(1, "/dev/dri/renderD129", None, 3, identifiers[1]))
    assert [(node.path, node.bdf) for node in seen.devices.nodes] == [("/dev/dri/renderD128", A), ("/dev/dri/renderD129", A)]
    assert seen.processes.processes == (look.Process(7, gpus=(A,), vram_bytes=5),)
    assert seen.gpus.unknown[f"{B}.serial"] == "no driver amdgpu is bound (vfio-pci)"
    assert seen.firmware == look.Firmware(unknown={B: "no driver amdgpu is bound (vfio-pci)", **UNTOLD})
    assert (seen.smi.source, seen.smi.error) == (
        "sysfs", "no amdsmi binding in any Python of the system, and there is no ROCm")


def test_a_damaged_topology_is_told_with_the_gpus(tree: Tree) -> None:
    tree.pci(A)
    tree.kfd_node(2, 0x500, 128)
    tree.write("/sys/class/kfd/kfd/topology/nodes/2/properties", "simd_count many\n")
    seen = Sight(tree.machine()).take(["gpus", "devices", "processes"])
    assert seen.gpus and seen.devices and seen.processes
    reason = "KFD topology: line not understood: 'simd_count many'"
    assert (seen.gpus.gpus[0].partitions, seen.gpus.unknown["partitions"]) == ((), reason)
    assert (seen.devices.unknown, seen.processes.unknown) == ({"nodes": reason, **NO_DRM}, {"processes.gpus": reason})


def test_the_driver_section_knows_the_next_kernel(tree: Tree) -> None:
    tree.link("/vmlinuz", "boot/vmlinuz-6.12.0")
    tree.fill({"/lib/modules/6.12.0/modules.dep": "kernel/amdgpu.ko:\n", "/lib/modules/6.12.0/kernel/amdgpu.ko": "text"})
    seen = Sight(tree.machine()).take(["driver"]).driver
    assert seen
    assert seen.unknown == {"on_disk.6.12.0": "/lib/modules/6.12.0/kernel/amdgpu.ko: is not a 64-bit ELF file"}


def test_dkms_is_asked_before_the_other_sections_are_read(tree: Tree) -> None:
    tree.fill({"/usr/sbin/dkms": "", "/var/lib/dkms/amdgpu/1/source": "", "/etc/dkms/amdgpu.conf": "",
               "/etc/apt/apt.conf": "Unattended-Upgrade::x 1;\n"})
    tree.commands.update({"/usr/sbin/dkms status": Ran(0, "", ""), "apt-config dump": Ran(0, "", "")})
    Sight(tree.machine()).take(["repositories", "dkms"])
    assert tree.asked == ["/usr/sbin/dkms status", "apt-config dump"]


def test_a_simulated_node_with_its_library(tmp_path: Path) -> None:
    node = SimulatedNode(tmp_path)
    node.install("7.0.2")
    node.simulator("fault", "gpu_lost", "gpu=1")
    seen = Sight(node.machine()).take(look.GPU_SECTIONS)
    assert seen.smi and seen.gpus and seen.firmware
    assert (seen.smi.source, seen.smi.simulated) == ("amdsmi", True)
    first, lost = seen.gpus.gpus
    assert (first.product, first.compute_partition, first.available_compute, first.uuid) == (
        "MI300X", "SPX", ("SPX", "DPX", "QPX", "CPX"), first.partitions[0].uuid)
    assert (lost.bdf, lost.uuid) == (B, None)
    assert seen.gpus.unknown[f"{B}.uuid"] == "the library does not list this GPU"
    assert seen.firmware.source == "amdsmi"
    told, kept = seen.firmware.gpus
    assert (told.source, told.bundle, told.vbios, told.vbios_part) == (
        "amdsmi", "01.25.03.02", "022.040.003.042.000001", "113-M3000100-102")
    assert told.blocks["PM"] == "00.85.127.00"
    assert (kept.source, kept.bundle, kept.vbios, kept.vbios_part) == ("sysfs", None, None, "113-M3000100-102")
    assert kept.blocks["smc"] == "0x00557f00"
    reason = "sysfs does not tell it, and amdsmi did not answer: the library does not list this GPU"
    assert seen.firmware.unknown == {f"{B}.bundle": reason, f"{B}.vbios": reason, **UNTOLD}


def test_health_of_a_simulated_node_with_a_virtual_function(tmp_path: Path) -> None:
    node = SimulatedNode(tmp_path)
    node.install("7.0.2")
    for fault in ("vf gpu=1", "xgmi_down gpu=0", "xgmi_down gpu=1", "vram_leak gpu=1"):
        node.simulator("fault", *fault.split())
    seen = Sight(node.machine()).take(["health"]).health
    assert seen
    first, second = seen.gpus
    assert (seen.source, seen.pids, first.xgmi_links, second.xgmi_links) == ("amdsmi", (), ("down", "absent"), ())
    assert (first.vram_used_bytes, second.vram_used_bytes) == (284 << 20, 60000 << 20)
    assert second.unknown["xgmi_links"] == (
        "all links are down, which is what a virtual function is told that may not see them")


def test_health_without_the_library_is_what_sysfs_has(tmp_path: Path) -> None:
    node = SimulatedNode(tmp_path, "mi210")
    node.simulator("fault", "ecc_uncorrectable", "gpu=1")
    seen = Sight(node.machine()).take(["health"]).health
    assert seen
    why = "no amdsmi binding in any Python of the system, and there is no ROCm"
    assert (seen.source, seen.unknown) == ("sysfs", {"pids": why})
    assert [gpu.blocks["umc"].uncorrectable for gpu in seen.gpus] == [0, 1]
    assert seen.gpus[0].unknown["throttled"] == f"sysfs does not tell it, and amdsmi did not answer: {why}"


@pytest.mark.parametrize("asked", [True, False])
def test_the_library_is_asked_for_health_only_when_it_is_wanted(tmp_path: Path, asked: bool) -> None:
    node = SimulatedNode(tmp_path)
    node.install("7.0.2")
    node.simulator("fault", "status", "call=amdsmi_get_gpu_activity", "code=2", "times=1")
    Sight(node.machine()).take(["smi", "health"] if asked else ["smi"])
    assert ("status.amdsmi_get_gpu_activity=2*1" in node.state.read_text(encoding="utf-8")) is not asked


@pytest.mark.parametrize("timeout", [1, 2])
def test_a_look_always_ends(tmp_path: Path, timeout: int) -> None:
    node = SimulatedNode(tmp_path)
    node.install("7.0.2")
    node.simulator("fault", "hang")
    node.fill({"/var/lib/dkms/amdgpu/1/source": ""})
    node.write("/usr/sbin/dkms", "#!/bin/sh\nexec tail -f /dev/null\n").chmod(0o755)
    start = time.monotonic()
    machine = node.machine(timeout=timeout)
    seen = Sight(machine).take(look.ALL_SECTIONS)
    assert time.monotonic() - start < timeout + 1
    assert seen.smi and seen.gpus
    assert seen.smi.error is not None
    assert seen.gpus.gpus[0].compute_partition == "SPX"
