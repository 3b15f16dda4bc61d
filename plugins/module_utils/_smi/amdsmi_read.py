# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The program that reads. Runs in a child process, with amdsmi.py alone beside it.

Request, beside what amdsmi.py says: ``health`` (calls for the health of whole GPUs: name -> function and its arguments,
enumeration.member; none, if health is not wanted).
Answer: {"gpus": [...]}, then the health of each GPU in parts; what can crash or hang comes last.
"""

from __future__ import annotations

import threading
import typing as t

from .amdsmi import COMPUTE, DEFECTS, MEMORY, Calls, Item, Say, attempt, call, members, partition, session

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
# Error records: a bit for each severity, and bounds for a ring of 1 MiB. source: amdsmi_cper_sev_t and ras_cper of the
# tool; amdgpu_cper.h of Linux
ALL_SEVERITIES, RECORD_BYTES, MOST_PAGES = 0b111, 1 << 20, 256


def work(amdsmi: t.Any, request: Item, say: Say) -> None:
    """Read everything and say it."""
    with session(amdsmi, say) as handles:
        say(step="reading")
        items = read_all(amdsmi, handles)
        say(gpus=items)
        if request["health"]:  # of whole GPUs: a partition has none of its own
            gpus = {item["bdf"].lower(): handle for item, handle in zip(items, handles) if not item["partition"]}
            read_health(amdsmi, request["health"], gpus, say)


def read_all(amdsmi: t.Any, handles: t.Sequence[t.Any]) -> list[Item]:
    """Return what the library says about each handle: a whole GPU, or one partition of it."""
    found = []
    for handle in handles:
        item: Item = {"unknown": {}, "partition": partition(amdsmi, handle)}
        item["bdf"] = amdsmi.amdsmi_get_gpu_device_bdf(handle)
        wanted = CALLS if not item["partition"] else ("uuid",)  # a second partition supports little else
        for name in wanted:
            call(amdsmi, handle, name, CALLS[name], item, ARGUMENTS.get(name, ()))
        found.append(item)
    return found


def read_health(amdsmi: t.Any, calls: dict[str, list[str]], gpus: Item, say: Say) -> None:
    """Say the health of GPUs part by part, so that what was said stays if a later call crashes or hangs."""

    def tell(bdf: str, read: t.Callable[[Item], t.Any]) -> None:
        item: Item = {"unknown": {}}
        read(item)
        say(told={bdf: item})

    def plainly(handle: t.Any, item: Item) -> None:
        for name, (function, *arguments) in calls.items():
            attempt(amdsmi, function, name, item, lambda ask, rest=arguments: ask(handle, *members(amdsmi, rest)))

    def throttling(bdf: str) -> None:
        attempt(amdsmi, "amdsmi_get_violation_status", "throttling", parts[bdf], lambda ask: ask(gpus[bdf]))

    for bdf, handle in gpus.items():
        say(step=f"reading the health of {bdf}")
        tell(bdf, lambda item, of=handle: plainly(of, item))
    # Two samples, 100 ms apart: for all GPUs at once. The library locks each GPU by itself, and ctypes lets go of
    # Python meanwhile. source: amd_smi.cc of library 24.7, amdsmi_get_violation_status
    say(step="reading what throttles the GPUs")
    parts: dict[str, Item] = {bdf: {"unknown": {}} for bdf in gpus}
    threads = {bdf: threading.Thread(target=throttling, args=(bdf,)) for bdf in gpus}
    for thread in threads.values():
        thread.start()
    for bdf, thread in threads.items():
        thread.join()
        say(told={bdf: parts[bdf]})
    # Last, since some libraries crash here. source: ROCm/rocm-systems:projects/amdsmi/tests, on the read path of CPER
    for bdf, handle in gpus.items():
        say(step=f"reading the error records of {bdf}")
        tell(bdf, lambda item, of=handle: records(amdsmi, of, item))


def records(amdsmi: t.Any, handle: t.Any, item: Item) -> None:
    """Put the CPER records of a GPU into the item, oldest first; the library gives 20 at a time."""

    def pages(ask: t.Any) -> list[Item]:
        found: list[Item] = []
        cursor = 0
        for _page in range(MOST_PAGES):
            entries, cursor, raw, status = ask(handle, ALL_SEVERITIES, RECORD_BYTES, cursor)
            found += [{"severity": entry["error_severity"], "time": entry["timestamp"], "afids": afids(amdsmi, blob)}
                      for entry, blob in zip(entries.values(), raw)]
            if status != amdsmi.amdsmi_wrapper.AMDSMI_STATUS_MORE_DATA or not entries:
                break
        return found

    attempt(amdsmi, "amdsmi_get_gpu_cper_entries", "cper", item, pages)


def afids(amdsmi: t.Any, blob: Item) -> list[int]:
    """Return the AMD field ids of a record; none if the binding does not understand it."""
    try:
        # Not a name of the package (6.4.4, 7.0.2); and the binding gives signed bytes, which its own next call refuses.
        ask = amdsmi.amdsmi_interface.amdsmi_get_afids_from_cper
        numbers, _count = ask(bytes(byte & 255 for byte in blob["bytes"]))
    except (amdsmi.AmdSmiException, *DEFECTS):
        return []
    return list(numbers)
