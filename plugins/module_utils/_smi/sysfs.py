# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What sysfs says about GPUs. Attributes may ask the GPU's firmware, so they are read in a child process."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from .._core.look.gpus import OFF_THE_BUS
from .._core.look.readings import VIRTUAL_IDS, Reading, block_errors, device_id, speed_mts, whole, words
from .._core.look.shape import Errors, Link, Smi
from .._node.apart import Apart, UnreadableError
from .._node.machine import Machine
from .._node.pci import DEVICES, Function
from .port import Answer

Raw = dict[str, str]

# Attributes of amdgpu. source: ROCm/rocm-systems:projects/rocm-smi-lib/src/rocm_smi_device.cc,
# ROCm/gpu-operator:docs/dcm/applying-partition-profiles.rst
_FILES = ("unique_id", "product_name", "vbios_version", "mem_info_vram_total",
          "current_compute_partition", "available_compute_partition", "current_memory_partition",
          "available_memory_partition", "xgmi_hive_info/xgmi_hive_id", "ras/gpu_vram_bad_pages")
ASLEEP = "the GPU is suspended, reading this would wake it"
_ASLEEP_FIELDS = ("market_name", "serial", "vram_bytes", "compute_partition", "available_compute", "memory_partition",
                  "available_memory", "errors", "temperature_hotspot_c", "temperature_memory_c", "power_cap_w",
                  "firmware", "vbios_part")
_ALL_ONES = 63  # the widest number that the field of six bits holds
# Reading the file clears the counter in the driver, and a look changes nothing.
# source: linux:drivers/gpu/drm/amd/amdgpu/amdgpu_xgmi.c, amdgpu_xgmi_show_error
_CLEARS = "not read: reading it clears it"


class Sysfs:
    """Readings from sysfs, for GPUs that amdgpu drives and for the others as far as the PCI core knows them."""

    def __init__(self, machine: Machine, functions: t.Sequence[Function]) -> None:
        self._functions = functions
        awake = [f.bdf for f in functions if f.attributes.get("driver") == "amdgpu" and not f.asleep]
        self._apart: Apart | None = machine.apart(lambda: {bdf: raw(machine, bdf) for bdf in awake}) if awake else None

    def answer(self, seconds: float) -> Answer:
        """Return what sysfs knows about each function."""
        attributes: dict[str, Raw] = {}
        problem = None
        if self._apart is not None:
            try:
                attributes = self._apart.result(seconds)
            except UnreadableError as error:
                problem = str(error)
        readings = {f.bdf: _reading(f, attributes.get(f.bdf), problem) for f in self._functions}
        return Answer(Smi(source="sysfs" if readings else "none"), readings)


def raw(machine: Machine, bdf: str) -> Raw:
    """Return the attributes of one GPU as text; a name with ``!`` in front holds why it could not be read."""
    path = f"{DEVICES}/{bdf}"
    names = [*_FILES, *below(machine, path, "fw_version", "_fw_version"), *below(machine, path, "ras", "_err_count")]
    for monitor in machine.names(f"{path}/hwmon"):
        names += [name for name in below(machine, path, f"hwmon/{monitor}", "")
                  if name.endswith(("_label", "_input", "power1_cap"))]
    return texts(machine, path, names)


def texts(machine: Machine, path: str, names: t.Iterable[str]) -> Raw:
    """Return attributes below a folder: name -> text. A name with ``!`` in front holds why it could not be read."""
    values: Raw = {}
    for name in names:
        try:
            text = machine.text(f"{path}/{name}")
        except UnreadableError as error:
            values[f"!{name}"] = str(error)
            continue
        if text is not None:
            values[name] = text.strip()
    return values


def below(machine: Machine, path: str, directory: str, ending: str) -> list[str]:
    """Return the names in a folder that end so, with the folder before them."""
    return [f"{directory}/{name}" for name in machine.names(f"{path}/{directory}") if name.endswith(ending)]


def _reading(function: Function, values: Raw | None, problem: str | None) -> Reading:
    pci, unknown = function.attributes, {"errors.xgmi_error": _CLEARS}
    pcie = Link(whole(pci.get("current_link_width")), whole(pci.get("max_link_width")),
                speed_mts(pci.get("current_link_speed")), speed_mts(pci.get("max_link_speed")))
    if pcie.width == _ALL_ONES:
        pcie, unknown["pcie.width"] = dc.replace(pcie, width=None), OFF_THE_BUS
    virtual = function.virtual or device_id(pci) in VIRTUAL_IDS
    if values is None:
        why = ASLEEP if function.asleep else problem or f"no driver amdgpu is bound ({pci.get('driver', 'none')})"
        return Reading(virtual_function=virtual, pcie=pcie, unknown={**unknown, **dict.fromkeys(_ASLEEP_FIELDS, why)})
    temperatures = _temperatures(values)
    power = next((text for name, text in values.items() if name.endswith("/power1_cap")), None)
    return Reading(
        market_name=values.get("product_name") or None, virtual_function=virtual,
        serial=values.get("unique_id") or None,
        vram_bytes=whole(values.get("mem_info_vram_total")), compute_partition=values.get("current_compute_partition"),
        available_compute=words(values.get("available_compute_partition")),
        memory_partition=values.get("current_memory_partition"),
        available_memory=words(values.get("available_memory_partition")),
        xgmi_hive_id=_hive(values.get("xgmi_hive_info/xgmi_hive_id")), pcie=pcie, errors=_errors(values),
        temperature_hotspot_c=temperatures.get("junction"), temperature_memory_c=temperatures.get("mem"),
        power_cap_w=whole(power, 1_000_000), firmware=_firmware(values), vbios_part=values.get("vbios_version"),
        unknown={**unknown, **_problems(values)},
    )


_FIELD_OF = {
    "product_name": "market_name", "unique_id": "serial", "mem_info_vram_total": "vram_bytes",
    "current_compute_partition": "compute_partition", "available_compute_partition": "available_compute",
    "current_memory_partition": "memory_partition", "available_memory_partition": "available_memory",
    "xgmi_hive_info/xgmi_hive_id": "xgmi_hive_id", "ras/gpu_vram_bad_pages": "errors.bad_pages",
    "vbios_version": "vbios_part",
}


_FIELD_OF_FOLDER = {"ras": "errors", "fw_version": "firmware", "hwmon": "power_cap_w"}


def _problems(values: Raw) -> dict[str, str]:
    """Return field -> why it could not be read, from the marked entries."""
    marked = {name[1:]: why for name, why in values.items() if name.startswith("!")}
    return {_FIELD_OF.get(name) or _FIELD_OF_FOLDER.get(name.partition("/")[0], name): why
            for name, why in marked.items()}


def _hive(text: str | None) -> str | None:
    number = whole(text)
    return f"{number:016x}" if number else None  # 0: not in a hive


def _firmware(values: Raw) -> dict[str, str]:
    start, end = "fw_version/", "_fw_version"
    return {name[len(start):-len(end)]: text for name, text in values.items() if name.startswith(start)}


def _temperatures(values: Raw) -> dict[str, int]:
    found = {}
    for name, label in values.items():
        if name.startswith("hwmon/") and name.endswith("_label"):
            degrees = whole(values.get(name[:-len("_label")] + "_input"), 1000)
            if degrees is not None:
                found[label] = degrees
    return found


def _errors(values: Raw) -> Errors:
    counts = block_errors(text for name, text in values.items() if name.endswith("_err_count"))
    pages = values.get("ras/gpu_vram_bad_pages")
    bad = None if pages is None else sum(1 for line in pages.splitlines() if line.strip())
    return Errors(*counts, bad_pages=bad) if counts else Errors(bad_pages=bad)
