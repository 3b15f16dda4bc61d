# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which binding may meet which library, and what raw answers of the library mean."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look import smi
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.readings import Reading
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Errors, Link

# id, binding, ROCm, same tree, a library that fits, a library that does not
PAIRS = [
    ("both of one build", "25.5.1+c11e6492", "6.4.2", True, (25, 5, 1), (26, 0, 2)),
    ("newer ABI of the same major", "26.0.2", "7.0.2", True, (26, 0, 0), (26, 2, 0)),
    ("republished 6.3.3 must not meet 6.4: the library would write past its structures", "6.3.3", "6.3.3", True,
     (24, 7, 1), (25, 3, 0)),
    ("republished 7.0.2 in its own tree", "7.0.2", "7.0.2", True, (26, 0, 2), (26, 1, 0)),
    ("republished 7.0.2 in the system, of the same ROCm", "7.0.2", "7.0.2", False, (26, 0, 2), (25, 5, 1)),
    ("ROCm 6.1, whose binding counts for itself", "23.4.2+505b858", "6.1.0", True, (24, 2, 0), (24, 6, 3)),
    ("10.1", "27.1.0", "10.1.0", False, (27, 1, 0), (27, 0, 0)),
]


@pytest.mark.parametrize(("binding", "rocm", "same_tree", "good", "bad"), [c[1:] for c in PAIRS], ids=[c[0] for c in PAIRS])
def test_acceptable_tells_a_pair_from_a_mix(
    binding: str, rocm: str, same_tree: bool, good: tuple[int, ...], bad: tuple[int, ...]
) -> None:
    lines = smi.acceptable(binding, rocm, same_tree)
    assert [any(library[:len(line)] == line for line in lines) for library in (good, bad)] == [True, False]


NEVER = [
    ("no version", None, "7.0.2", True),
    ("half a version", "7", "7.0.2", True),
    ("republished for another ROCm", "6.4.0", "6.4.4", False),
    ("republished, ROCm unknown", "6.4.4", None, False),
    ("a ROCm of which no library is known", "8.0.0", "8.0.0", True),
    ("a binding of 6.1 outside its tree", "23.4.2", "6.1.0", False),
]


@pytest.mark.parametrize(("binding", "rocm", "same_tree"), [c[1:] for c in NEVER], ids=[c[0] for c in NEVER])
def test_acceptable_of_an_unknown_binding_is_nothing(binding: str | None, rocm: str | None, same_tree: bool) -> None:
    assert smi.acceptable(binding, rocm, same_tree) == ()


def test_mismatch_words_name_all_three() -> None:
    assert smi.mismatch_words("6.3.3", [26, 0, 2], None) == (
        "amdsmi binding 6.3.3 does not belong to library 26.0.2 of ROCm of unknown version, so it is not called; "
        "install the binding of this ROCm")


VALUES: list[tuple[t.Callable[..., t.Any], t.Any, t.Any]] = [
    (smi.number, 0, 0), (smi.number, 65535, 65535), (smi.number, "N/A", None), (smi.number, 2**32 - 1, None),
    (smi.number, 2**64 - 1, None), (smi.number, -1, None), (smi.number, True, None), (smi.number, None, None),
    (smi.number, 1.5, None),
    (smi.word, "SPX", "SPX"), (smi.word, "N/A", None), (smi.word, "", None), (smi.word, " x ", "x"), (smi.word, 3, None),
    (smi.numbers, "25.5.1+c11e6492", (25, 5, 1)), (smi.numbers, "N/A", ()), (smi.numbers, None, ()),
]


@pytest.mark.parametrize(("function", "value", "result"), VALUES, ids=[f"{c[0].__name__} of {c[1]!r}" for c in VALUES])
def test_sentinels_never_become_numbers(function: t.Callable[..., t.Any], value: t.Any, result: t.Any) -> None:
    found = function(value)
    assert (found, type(found)) == (result, type(result))


RAW: dict[str, t.Any] = {
    "bdf": "0000:05:00.0", "partition": 0, "unknown": {}, "market_name": "AMD Instinct MI300X",
    "serial": "0x51A0000000000026", "uuid": "26ff74a1-0000-1000-8026-51a000000000", "vram_mb": 196592,
    "virtualization": "BAREMETAL", "compute_partition": "SPX", "memory_partition": "NPS1",
    "available_memory": ["NPS1", "NPS4"], "hive": 0x4B78F9A4E3D02169,
    "ecc": {"correctable_count": 3, "uncorrectable_count": 0, "deferred_count": 1}, "bad_pages": [{}, {}],
    "pcie": {"pcie_static": {"max_pcie_width": 16, "max_pcie_speed": 32000}, "pcie_metric": {"pcie_width": 8, "pcie_speed": 16000}},
    "power_cap": {"power_cap": 750000000}, "temperature_hotspot_c": 46, "temperature_memory_c": 40,
    "firmware": [{"fw_name": "FW_ID_SMC", "fw_version": "85.116.0"}, {"fw_name": "PLDM_BUNDLE", "fw_version": "01.25.03.12"}],
    "vbios": "022.040.003.043.000001", "vbios_part": "113-M3000100-102",
}
READ = Reading(
    market_name="AMD Instinct MI300X", virtual_function=False, uuid="26ff74a1-0000-1000-8026-51a000000000",
    serial="51a0000000000026", vram_bytes=196592 * 1024 * 1024, compute_partition="SPX", memory_partition="NPS1",
    available_memory=("NPS1", "NPS4"), xgmi_hive_id="4b78f9a4e3d02169", pcie=Link(8, 16, 16000, 32000),
    errors=Errors(3, 0, 1, 2), temperature_hotspot_c=46, temperature_memory_c=40, power_cap_w=750,
    firmware={"SMC": "85.116.0"}, vbios="022.040.003.043.000001",
    vbios_part="113-M3000100-102", bundle="01.25.03.12",
)


def test_reading_has_the_units_of_the_look() -> None:
    assert smi.reading(RAW) == READ


EMPTY = Reading()
# id, raw answers, reading
ODD: list[tuple[str, dict[str, t.Any], Reading]] = [
    ("nothing supported", {}, EMPTY),
    ("N/A everywhere", {name: "N/A" for name in RAW if name not in ("bdf", "partition", "unknown")}, EMPTY),
    ("largest numbers", {"hive": 2**64 - 1, "temperature_hotspot_c": 65535, "power_cap": {"power_cap": 2**32 - 1},
                         "ecc": {"correctable_count": 2**64 - 1}, "vram_mb": 2**32 - 1}, EMPTY),
    ("zero where a sub-call failed", {"power_cap": {"power_cap": 0}, "hive": 0}, EMPTY),
    ("serial of a partition", {"serial": "0xFFFFFFFFFFFFFFFF"}, EMPTY),
    ("device id instead of a name", {"market_name": "0x74a1"}, EMPTY),
    ("a guest", {"virtualization": "GUEST"}, Reading(virtual_function=True)),
    ("enumeration with a prefix", {"virtualization": "AMDSMI_VIRTUALIZATION_MODE_PASSTHROUGH"}, Reading(virtual_function=False)),
    ("no bad page is a number", {"bad_pages": []}, Reading(errors=Errors(bad_pages=0))),
    ("firmware without version", {"firmware": [{"fw_name": "FW_ID_VCN", "fw_version": "N/A"}]}, EMPTY),
    ("a bundle whose register is empty", {"firmware": [{"fw_name": "PLDM_BUNDLE", "fw_version": "00.00.00.00"}]}, EMPTY),
    ("a bundle whose register is full", {"firmware": [{"fw_name": "PLDM_BUNDLE", "fw_version": "255.255.255.255"}]}, EMPTY),
    ("reasons by the names of the look", {"unknown": {"ecc": "error 30", "uuid": "error 10"}},
     Reading(unknown={"errors.correctable": "error 30", "uuid": "error 10"})),
]


@pytest.mark.parametrize(("raw", "reading"), [c[1:] for c in ODD], ids=[c[0] for c in ODD])
def test_reading_of_odd_answers(raw: dict[str, t.Any], reading: Reading) -> None:
    assert smi.reading({"unknown": {}, **raw}) == reading


A = "0000:05:00.0"


def item(bdf: str, partition: int | None, uuid: str) -> dict[str, t.Any]:
    """What the child says about one handle."""
    return {"bdf": bdf, "partition": partition, "uuid": uuid, "unknown": {}}


# id, handles, PCI functions, address -> (uuid, uuids of partitions)
HANDLES = [
    ("whole GPUs", [item(A, 0, "a"), item("0000:26:00.0", 0, "b")], [A, "0000:26:00.0"],
     {A: ("a", {0: "a"}), "0000:26:00.0": ("b", {0: "b"})}),
    ("partitions in the function part", [item("0000:05:00.0", 0, "a"), item("0000:05:00.1", 1, "b")], [A],
     {A: ("a", {0: "a", 1: "b"})}),
    ("partitions in the high bits", [item(A, 0, "a"), item(A, 1, "b")], [A], {A: ("a", {0: "a", 1: "b"})}),
    ("a binding that cannot number partitions", [item(A, None, "a"), item("0000:05:00.1", None, "b")], [A],
     {A: ("a", {0: "a"})}),
    ("virtual functions", [item("0000:05:02.1", 0, "a")], ["0000:05:02.1"], {"0000:05:02.1": ("a", {0: "a"})}),
    ("a handle without a UUID", [item(A, 0, "")], [A], {A: (None, {})}),
    ("address in capitals", [item("0000:C6:00.0", 0, "a")], ["0000:c6:00.0"], {"0000:c6:00.0": ("a", {0: "a"})}),
    ("a GPU that is not on the bus", [item("0000:99:00.0", 0, "a")], [A], {}),
]


@pytest.mark.parametrize(("items", "bdfs", "found"), [c[1:] for c in HANDLES], ids=[c[0] for c in HANDLES])
def test_by_gpu_joins_partitions(
    items: list[dict[str, t.Any]], bdfs: list[str], found: dict[str, tuple[str, dict[int, str]]]
) -> None:
    assert {bdf: (r.uuid, r.partition_uuids) for bdf, r in smi.by_gpu(items, bdfs).items()} == found


def test_by_gpu_does_not_call_one_uuid_the_uuid_of_every_partition() -> None:
    found = smi.by_gpu([item(A, 0, "a"), item(A, 1, "a")], [A])[A]
    assert (found.uuid, found.partition_uuids) == ("a", {})
    assert found.unknown == {"partitions.uuid": "the library gives all partitions the UUID of the GPU"}
