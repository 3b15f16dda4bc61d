# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What sysfs says about GPUs: driven, asleep, lost, without driver, hanging."""

from __future__ import annotations

import os
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.readings import Reading
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Errors, Link
from ansible_collections.instinct.fleet.plugins.module_utils._node import pci
from ansible_collections.instinct.fleet.plugins.module_utils._smi.port import Answer
from ansible_collections.instinct.fleet.plugins.module_utils._smi.sysfs import Sysfs
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree
from ansible_collections.instinct.fleet.tests.unit.plugins.simulated import SimulatedNode

A = "0000:05:00.0"
FULL = Link(16, 16, 32000, 32000)
CLEARS = {"errors.xgmi_error": "not read: reading it clears it"}
FILES = {
    "unique_id": "51a0000000000026", "product_name": "AMD Instinct MI300X OAM", "vbios_version": "113-M3000100-102",
    "mem_info_vram_total": "206141652992", "current_compute_partition": "SPX", "available_compute_partition": "SPX, DPX, QPX, CPX",
    "current_memory_partition": "NPS1", "available_memory_partition": "NPS1, NPS4",
    "xgmi_hive_info/xgmi_hive_id": "5438264347471328105", "ras/gpu_vram_bad_pages": "0x1 : 0x1000 : R\n0x2 : 0x1000 : P\n",
    "ras/umc_err_count": "ue: 1\nce: 5\n", "ras/gfx_err_count": "ue: 0\nce: 2\n", "ras/features": "feature mask: 0x1",
    "fw_version/smc_fw_version": "0x00557400", "fw_version/ta_ras_fw_version": "0x1b36025f",
    "hwmon/hwmon3/temp2_label": "junction", "hwmon/hwmon3/temp2_input": "46000", "hwmon/hwmon3/temp3_label": "mem",
    "hwmon/hwmon3/temp3_input": "40000", "hwmon/hwmon3/power1_cap": "750000000",
}
READ = Reading(
    market_name="AMD Instinct MI300X OAM", virtual_function=False, serial="51a0000000000026", vram_bytes=206141652992,
    compute_partition="SPX", available_compute=("SPX", "DPX", "QPX", "CPX"), memory_partition="NPS1",
    available_memory=("NPS1", "NPS4"), xgmi_hive_id="4b78989c61b33369", pcie=FULL, errors=Errors(7, 1, 0, 2),
    temperature_hotspot_c=46, temperature_memory_c=40, power_cap_w=750,
    firmware={"smc": "0x00557400", "ta_ras": "0x1b36025f"}, vbios_part="113-M3000100-102", unknown=CLEARS,
)


def ask(tree: Tree, seconds: float = 10) -> Answer:
    """What sysfs says."""
    machine = tree.machine()
    return Sysfs(machine, pci.read(machine)).answer(seconds)


def test_a_gpu_that_amdgpu_drives(tree: Tree) -> None:
    tree.pci(A, **FILES)
    answer = ask(tree)
    assert answer.smi.source == "sysfs"
    assert answer.readings == {A: READ}


def test_a_gpu_of_an_older_family_has_no_partitions_and_no_reason(tree: Tree) -> None:
    tree.pci(A, "0x740f", mem_info_vram_total="68702699520")
    assert ask(tree).readings[A] == Reading(virtual_function=False, vram_bytes=68702699520, pcie=FULL, unknown=CLEARS)


# id, device, driver, attributes, what is read, the reason for the rest
UNREAD: list[tuple[str, str, str | None, dict[str, str], dict[str, t.Any], str]] = [
    ("a sleeping GPU is not woken", "0x74a1", "amdgpu", {**FILES, "power/runtime_status": "suspended"}, {},
     "the GPU is suspended, reading this would wake it"),
    ("no driver", "0x74a1", None, FILES, {}, "no driver amdgpu is bound (none)"),
    ("given to a virtual machine", "0x74a1", "vfio-pci", FILES, {}, "no driver amdgpu is bound (vfio-pci)"),
    ("a virtual function by its id", "0x74b5", None, {}, {"virtual_function": True}, "no driver amdgpu is bound (none)"),
]


@pytest.mark.parametrize(("device", "driver", "files", "read", "reason"), [c[1:] for c in UNREAD], ids=[c[0] for c in UNREAD])
def test_what_is_not_read(
    tree: Tree, device: str, driver: str | None, files: dict[str, str], read: dict[str, t.Any], reason: str
) -> None:
    tree.pci(A, device, driver, **files)
    reading = ask(tree).readings[A]
    assert {k: v for k, v in reading.unknown.items() if k not in CLEARS} == dict.fromkeys((
        "market_name", "serial", "vram_bytes", "compute_partition", "available_compute", "memory_partition",
        "available_memory", "errors", "temperature_hotspot_c", "temperature_memory_c", "power_cap_w", "firmware", "vbios_part"), reason)
    assert reading == Reading(**{"virtual_function": False, "pcie": FULL, **read}, unknown=reading.unknown)


def test_a_read_that_hangs_is_left_behind(tree: Tree) -> None:
    folder = tree.pci(A)
    os.mkfifo(tree.root / f"{folder}/unique_id".lstrip("/"))
    reading = ask(tree, seconds=0.3).readings[A]
    assert reading.unknown["serial"] == "no answer from the driver in 0 s"
    assert reading.pcie == FULL


def test_a_lost_gpu_reads_as_all_ones(tree: Tree) -> None:
    tree.pci(A, current_link_width="63", current_link_speed="Unknown", max_link_width="16")
    reading = ask(tree).readings[A]
    assert reading.pcie == Link(None, 16, None, 32000)
    assert reading.unknown["pcie.width"] == "the GPU does not answer on the bus: it reads as all ones"


@pytest.mark.parametrize(("attribute", "field"), [
    ("unique_id", "serial"), ("ras/gpu_vram_bad_pages", "errors.bad_pages"), ("ras/umc_err_count", "errors"),
    ("fw_version/smc_fw_version", "firmware"), ("hwmon/hwmon3/power1_cap", "power_cap_w")])
def test_an_attribute_that_cannot_be_read_is_a_reason(tree: Tree, attribute: str, field: str) -> None:
    folder = tree.pci(A, **{name: text for name, text in FILES.items() if name != attribute})
    tree.folder(f"{folder}/{attribute}")  # reading a folder fails as reading without permission does, for root too
    reading = ask(tree).readings[A]
    assert reading.unknown[field] == f"/sys/bus/pci/devices/{A}/{attribute}: Is a directory"


def test_sysfs_and_the_simulated_library_agree(tmp_path: Path) -> None:
    node = SimulatedNode(tmp_path)
    reading = ask(node).readings[A]
    assert (reading.compute_partition, reading.memory_partition, reading.vram_bytes, reading.market_name) == (
        "SPX", "NPS1", 206141652992, "AMD Instinct MI300X")
    assert {field for field in reading.unknown if field not in CLEARS} == set()
