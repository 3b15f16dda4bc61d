# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What the sources say about one GPU, and how their answers become one."""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t

from .shape import Errors, Gpu, GpuFirmware, Link, Partition

VENDOR = "0x1002"
# Processing accelerator, display controller without screen, 3D controller. source: pci.ids;
# ROCm/ROCm#6281 shows an MI210 as display controller
CLASSES = ("0x1200", "0x0380", "0x0302")
# Device ids of virtual functions. source: ROCm/gpu-operator:helm-charts-k8s/templates/gpu-nfd-default-rule.yaml
VIRTUAL_IDS = frozenset({"74b5", "74b6", "74b9", "74bc", "74bd"})

# Why what the library alone tells is unknown of a GPU.
NOT_LISTED = "the library does not list this GPU"
_NO_LINK, _NO_ERRORS = Link(), Errors()


@dc.dataclass(frozen=True)
class Reading:
    """One source's answers about one GPU. None: the source has no answer; ``unknown`` says why where it should."""

    market_name: str | None = None
    virtual_function: bool | None = None
    uuid: str | None = None
    serial: str | None = None
    vram_bytes: int | None = None
    compute_partition: str | None = None
    available_compute: tuple[str, ...] = ()
    memory_partition: str | None = None
    available_memory: tuple[str, ...] = ()
    xgmi_hive_id: str | None = None
    pcie: Link = _NO_LINK
    errors: Errors = _NO_ERRORS
    temperature_hotspot_c: int | None = None
    temperature_memory_c: int | None = None
    power_cap_w: int | None = None
    partition_uuids: dict[int, str] = dc.field(default_factory=dict)
    firmware: dict[str, str] = dc.field(default_factory=dict)
    vbios: str | None = None
    vbios_part: str | None = None
    bundle: str | None = None
    unknown: dict[str, str] = dc.field(default_factory=dict)


# Fields that both sources may answer, as they are called in Reading and in Gpu.
_SHARED = ("market_name", "virtual_function", "uuid", "serial", "vram_bytes", "compute_partition", "available_compute",
           "memory_partition", "available_memory", "xgmi_hive_id", "temperature_hotspot_c", "temperature_memory_c",
           "power_cap_w")


def choose(first: t.Any, second: t.Any) -> t.Any:
    """Return the first answer, or the second where the first has none; structures field by field."""
    if dc.is_dataclass(first) and not isinstance(first, type):
        names = [field.name for field in dc.fields(first)]
        return type(first)(**{name: choose(getattr(first, name), getattr(second, name)) for name in names})
    return second if first is None or first in ("", (), {}) else first


def merge(library: Reading | None, sysfs: Reading) -> Reading:
    """Return one reading: the library's answers first, sysfs where it has none.

    A reason stays only for a field that nobody answered.
    """
    if library is None:
        return sysfs
    merged: Reading = choose(library, sysfs)
    unknown = {**sysfs.unknown, **library.unknown}
    return dc.replace(merged, unknown={field: why for field, why in unknown.items() if not _answered(merged, field)})


def _answered(reading: Reading, field: str) -> bool:
    value: t.Any = reading
    for part in field.split("."):
        value = getattr(value, part, None)
    return value not in (None, (), {})


def gpu(index: int, bdf: str, pci: t.Mapping[str, str], reading: Reading, parts: tuple[Partition, ...]) -> Gpu:
    """Return the GPU of the look. ``pci`` holds device, numa_node, local_cpulist and driver as sysfs prints them."""
    numa = pci.get("numa_node", "")
    near = pci.get("local_cpulist") or None
    partitions = tuple(dc.replace(part, uuid=reading.partition_uuids.get(part.id)) for part in parts)
    return Gpu(
        index=index, bdf=bdf, device_id=device_id(pci), product=product(reading.market_name),
        numa_node=int(numa) if numa.isdigit() else None,  # -1: the platform does not say
        partitions=partitions, pcie=reading.pcie, errors=reading.errors, driver=pci.get("driver"), near_cpus=near,
        **{name: getattr(reading, name) for name in _SHARED},
    )


def firmware(bdf: str, reading: Reading, source: str, error: str | None) -> tuple[GpuFirmware | None, dict[str, str]]:
    """Return the firmware of a GPU, None if nothing of it was read, and what is unknown of it.

    Args:
        bdf: PCI address.
        reading: all that was read of the GPU.
        source: where the firmware blocks come from, amdsmi or sysfs.
        error: why amdsmi did not answer, if it did not.
    """
    unknown = {bdf: reading.unknown["firmware"]} if "firmware" in reading.unknown else {}
    if not (reading.firmware or reading.vbios or reading.vbios_part):
        return None, unknown
    library = f"sysfs does not tell it, and amdsmi did not answer: {error}" if error else None
    absent = {"bundle": library or "the library names no PLDM bundle", "vbios": library, "vbios_part": None}
    for field, why in absent.items():
        reason = reading.unknown.get(field) or why
        if getattr(reading, field) is None and reason:
            unknown[f"{bdf}.{field}"] = reason
    return GpuFirmware(bdf, reading.firmware, source, reading.vbios, reading.vbios_part, reading.bundle), unknown


def device_id(pci: t.Mapping[str, str]) -> str:
    """Return the PCI device id without 0x."""
    return pci.get("device", "").removeprefix("0x")


def product(market_name: str | None) -> str | None:
    """Return the product in a market name: MI300X in "AMD Instinct MI300X OAM"; None for another family."""
    match = re.search(r"\bMI\d{2,3}[A-Z]?\b", market_name or "")
    return match[0] if match else None


def speed_mts(text: str | None) -> int | None:
    """Return MT/s of a link speed as sysfs prints it: "32.0 GT/s PCIe"; None for "Unknown"."""
    match = re.match(r"^(\d+(?:\.\d+)?) GT/s", text or "")
    return round(float(match[1]) * 1000) if match else None


def words(text: str | None) -> tuple[str, ...]:
    """Return the items of a list such as "SPX, DPX, QPX, CPX"."""
    return tuple(re.split(r"[,\s]+", text.strip())) if text and text.strip() else ()


def whole(text: str | None, unit: int = 1) -> int | None:
    """Return a whole number printed by sysfs, divided by ``unit``; None if it is no number."""
    return int(text) // unit if text is not None and re.match(r"^-?\d+$", text) else None


def block_errors(texts: t.Iterable[str]) -> tuple[int, int, int] | None:
    """Return (correctable, uncorrectable, deferred) over all blocks of ras/*_err_count; None if there is no block."""
    totals = [0, 0, 0]
    some = False
    for text in texts:
        counts = dict(re.findall(r"^(ce|ue|de): *(\d+)", text, re.MULTILINE))
        some = some or bool(counts)
        totals = [total + int(counts.get(kind, 0)) for total, kind in zip(totals, ("ce", "ue", "de"))]
    return (totals[0], totals[1], totals[2]) if some else None
