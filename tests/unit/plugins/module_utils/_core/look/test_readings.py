# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Answers of two sources become one GPU; texts of sysfs become numbers with a unit."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look import readings
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.readings import Reading
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import (
    Errors,
    Gpu,
    GpuFirmware,
    Link,
    Partition,
)

# id, library, sysfs, merged
MERGED = [
    ("no library", None, Reading(serial="a"), Reading(serial="a")),
    ("library first", Reading(serial="a", vram_bytes=0), Reading(serial="b", vram_bytes=5), Reading(serial="a", vram_bytes=0)),
    ("sysfs fills the gaps", Reading(serial="a"), Reading(available_compute=("SPX",), virtual_function=False),
     Reading(serial="a", available_compute=("SPX",), virtual_function=False)),
    ("False is an answer", Reading(virtual_function=False), Reading(virtual_function=True), Reading(virtual_function=False)),
    ("structures field by field", Reading(pcie=Link(16), errors=Errors(0)), Reading(pcie=Link(8, 16), errors=Errors(7, 3)),
     Reading(pcie=Link(16, 16), errors=Errors(0, 3))),
    ("a reason that sysfs answers is gone", Reading(unknown={"vram_bytes": "busy", "uuid": "busy"}), Reading(vram_bytes=5),
     Reading(vram_bytes=5, unknown={"uuid": "busy"})),
    ("a reason for a part", Reading(unknown={"errors.bad_pages": "needs root"}), Reading(errors=Errors(bad_pages=0)),
     Reading(errors=Errors(bad_pages=0))),
    ("the library's reason counts", Reading(unknown={"uuid": "busy"}), Reading(unknown={"uuid": "asleep"}),
     Reading(unknown={"uuid": "busy"})),
]


@pytest.mark.parametrize(("library", "sysfs", "merged"), [c[1:] for c in MERGED], ids=[c[0] for c in MERGED])
def test_merge(library: Reading | None, sysfs: Reading, merged: Reading) -> None:
    assert readings.merge(library, sysfs) == merged


def test_gpu_puts_everything_together() -> None:
    reading = Reading(market_name="AMD Instinct MI300X OAM", uuid="u", vram_bytes=5, partition_uuids={1: "u1"}, pcie=Link(16))
    pci = {"device": "0x74a1", "numa_node": "1", "driver": "amdgpu"}
    parts = (Partition(0, "/dev/dri/renderD128"), Partition(1))
    assert readings.gpu(3, "0000:05:00.0", pci, reading, parts) == Gpu(
        index=3, bdf="0000:05:00.0", device_id="74a1", product="MI300X", market_name="AMD Instinct MI300X OAM", uuid="u",
        numa_node=1, vram_bytes=5, partitions=(Partition(0, "/dev/dri/renderD128"), Partition(1, uuid="u1")),
        pcie=Link(16), driver="amdgpu")


def test_gpu_that_no_driver_drives_has_only_its_address() -> None:
    pci = {"device": "0x740f", "numa_node": "-1"}
    assert readings.gpu(0, "0000:05:00.0", pci, Reading(), ()) == Gpu(index=0, bdf="0000:05:00.0", device_id="740f")


# function, text, result
TEXTS: list[tuple[t.Callable[..., t.Any], t.Any, t.Any]] = [
    (readings.product, "AMD Instinct MI300X", "MI300X"),
    (readings.product, "AMD INSTINCT MI250X (MCM) OAM AC MBA", "MI250X"),
    (readings.product, "Instinct MI210", "MI210"),
    (readings.product, "AMD Radeon PRO V620", None),
    (readings.product, None, None),
    (readings.speed_mts, "32.0 GT/s PCIe", 32000),
    (readings.speed_mts, "2.5 GT/s PCIe", 2500),
    (readings.speed_mts, "Unknown", None),
    (readings.speed_mts, None, None),
    (readings.words, "SPX, DPX, QPX, CPX", ("SPX", "DPX", "QPX", "CPX")),
    (readings.words, "NPS1 NPS4", ("NPS1", "NPS4")),
    (readings.words, " ", ()),
    (readings.words, None, ()),
    (readings.whole, "206141652992", 206141652992),
    (readings.whole, "-1", -1),
    (readings.whole, "0x10", None),
    (readings.whole, "", None),
    (readings.whole, None, None),
    (readings.device_id, {}, ""),
]


@pytest.mark.parametrize(("function", "text", "result"), TEXTS, ids=[f"{c[0].__name__} of {c[1]!r}" for c in TEXTS])
def test_texts_of_sysfs(function: t.Callable[..., t.Any], text: t.Any, result: t.Any) -> None:
    assert function(text) == result


def test_whole_divides_by_a_unit() -> None:
    assert readings.whole("750000000", 1_000_000) == 750


BLOCKS = [
    ("two blocks", ["ue: 1\nce: 3\n", "ue: 0\nce: 4\n"], (7, 1, 0)),
    ("deferred errors of newer drivers", ["ue: 0\nce: 0\nde: 2\n"], (0, 0, 2)),
    ("a healthy block is not the same as none", ["ue: 0\nce: 0\n"], (0, 0, 0)),
    ("nothing that counts", ["query not supported\n"], None),
    ("no block", [], None),
]


@pytest.mark.parametrize(("texts", "counts"), [c[1:] for c in BLOCKS], ids=[c[0] for c in BLOCKS])
def test_block_errors(texts: list[str], counts: tuple[int, int, int] | None) -> None:
    assert readings.block_errors(texts) == counts


BDF = "0000:05:00.0"
UNTOLD = "sysfs does not tell it, and amdsmi did not answer: no binding"
# id, reading, source, error of amdsmi, firmware, what is unknown
FIRMWARE: list[tuple[str, Reading, str, str | None, GpuFirmware | None, dict[str, str]]] = [
    ("all of it", Reading(firmware={"PM": "1"}, vbios="022", vbios_part="113-M", bundle="01.25"), "amdsmi", None,
     GpuFirmware(BDF, {"PM": "1"}, "amdsmi", "022", "113-M", "01.25"), {}),
    ("a library that knows no bundle", Reading(firmware={"PM": "1"}, vbios="022", vbios_part="113-M"), "amdsmi", None,
     GpuFirmware(BDF, {"PM": "1"}, "amdsmi", "022", "113-M"), {f"{BDF}.bundle": "the library names no PLDM bundle"}),
    ("sysfs alone", Reading(firmware={"smc": "0x1"}, vbios_part="113-M"), "sysfs", "no binding",
     GpuFirmware(BDF, {"smc": "0x1"}, "sysfs", None, "113-M"), {f"{BDF}.bundle": UNTOLD, f"{BDF}.vbios": UNTOLD}),
    ("a call that failed", Reading(vbios_part="113-M", unknown={"firmware": "error 30", "vbios": "error 10"}), "amdsmi", None,
     GpuFirmware(BDF, {}, "amdsmi", None, "113-M"),
     {BDF: "error 30", f"{BDF}.bundle": "the library names no PLDM bundle", f"{BDF}.vbios": "error 10"}),
    ("a GPU without driver", Reading(unknown={"firmware": "no driver", "vbios_part": "no driver"}), "sysfs", "no driver",
     None, {BDF: "no driver"}),
    ("a GPU of which nothing is known", Reading(), "sysfs", "no binding", None, {}),
]


@pytest.mark.parametrize(("reading", "source", "error", "found", "unknown"), [c[1:] for c in FIRMWARE], ids=[c[0] for c in FIRMWARE])
def test_firmware_of_a_gpu(reading: Reading, source: str, error: str | None, found: GpuFirmware | None, unknown: dict[str, str]) -> None:
    assert readings.firmware(BDF, reading, source, error) == (found, unknown)
