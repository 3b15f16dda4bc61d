# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The program that reads. Runs in a child process, with amdsmi.py beside it.

Request, beside what amdsmi.py says: ``health`` (calls for the health of whole GPUs: name -> function and its arguments,
enumeration.member; none, if health is not wanted, and then amdsmi_health.py need not be there).
Answer: {"gpus": [...]}, then what amdsmi_health.py says.
"""

from __future__ import annotations

import typing as t

from .amdsmi import COMPUTE, MEMORY, Calls, Item, Say, asking, call, partition, session

# source: amdsmi_interface.py of the bindings 6.0.2 to 7.0.2 and 10.1
CALLS: dict[str, Calls] = {
    "market_name": (("amdsmi_get_gpu_asic_info", ("market_name",)),),
    "serial": (("amdsmi_get_gpu_asic_info", ("asic_serial",)),),
    "uuid": (("amdsmi_get_gpu_device_uuid", ()),),
    "vram_mb": (("amdsmi_get_gpu_vram_info", ("vram_size",)), ("amdsmi_get_gpu_vram_info", ("vram_size_mb",))),
    "virtualization": (("amdsmi_get_gpu_virtualization_mode", ("mode",)),),
    "compute_partition": COMPUTE,
    "memory_partition": MEMORY,
    "available_memory": (("amdsmi_get_gpu_memory_partition_config", ("partition_caps",)),),
    "hive": (("amdsmi_get_xgmi_info", ("xgmi_hive_id",)),),
    "ecc": (("amdsmi_get_gpu_total_ecc_count", ()),),
    "bad_pages": (("amdsmi_get_gpu_bad_page_info", ()),),
    "pcie": (("amdsmi_get_pcie_info", ()),),
    "power_cap": (("amdsmi_get_power_cap_info", ()),),
    "firmware": (("amdsmi_get_fw_info", ("fw_list",)),),
    "vbios": (("amdsmi_get_gpu_vbios_info", ("version",)),),
    "vbios_part": (("amdsmi_get_gpu_vbios_info", ("part_number",)),),
    "temperature_hotspot_c": (("amdsmi_get_temp_metric", ()),),
    "temperature_memory_c": (("amdsmi_get_temp_metric", ()),),
}
# Arguments after the handle: members of enumerations.
ARGUMENTS: dict[str, tuple[str, ...]] = {
    "temperature_hotspot_c": ("AmdSmiTemperatureType.HOTSPOT", "AmdSmiTemperatureMetric.CURRENT"),
    "temperature_memory_c": ("AmdSmiTemperatureType.VRAM", "AmdSmiTemperatureMetric.CURRENT"),
}


def work(amdsmi: t.Any, request: Item, say: Say) -> None:
    """Read everything and say it."""
    with session(amdsmi, say) as handles:
        say(step="reading")
        items = read_all(amdsmi, handles)
        say(gpus=items)
        if request["health"]:  # of whole GPUs: a partition has none of its own
            from . import amdsmi_health  # noqa: PLC0415  only who asks for it pays for it

            gpus = {item["bdf"].lower(): handle for item, handle in zip(items, handles) if not item["partition"]}
            amdsmi_health.read(amdsmi, request["health"], gpus, say)


def read_all(amdsmi: t.Any, handles: t.Sequence[t.Any]) -> list[Item]:
    """Return what the library says about each handle: a whole GPU, or one partition of it."""
    found = []
    for handle in handles:
        item: Item = {"unknown": {}, "partition": partition(amdsmi, handle)}
        item["bdf"] = amdsmi.amdsmi_get_gpu_device_bdf(handle)
        wanted = CALLS if not item["partition"] else ("uuid",)  # a second partition supports little else
        ask = asking(handle)
        for name in wanted:
            call(amdsmi, ask, name, CALLS[name], item, ARGUMENTS.get(name, ()))
        found.append(item)
    return found
