# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The one file that touches the vendor binding. It runs as a program of its own, in a child process.

It stands alone (standard library only, no import from this collection), because its source is what the child is given.
Argument: a JSON object with ``binding`` (folder that holds the package amdsmi), ``library`` (path of libamd_smi),
``accept`` (first numbers of library versions that belong to the binding), ``call`` (whether to call it at all) and
``health`` (calls for the health of whole GPUs: name -> function and its arguments, enumeration.member; none, if health
is not wanted).
Answer: one JSON object a line on the original standard output; nothing else can get there.
  {"step": ...}  what is about to be called, so that a crash or a hang can be named
  {"library": [n, n, n], "build": ...}  the library's version; the binding is imported only if it is acceptable
  {"gpus": [...]}  or  {"error": ...}
  {"health": {address: {...}}}  a part of the health of one GPU; what can crash or hang comes last
"""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import sys
import threading
import typing as t
import warnings

# Functions and keys by version of the binding; the first that exists counts.
# source: amdsmi_interface.py of the bindings 6.0.2 to 7.0.2 and 10.1
# name here -> ((function, key of its dictionary or None for the whole answer), ...)
CALLS: dict[str, tuple[tuple[str, str | None], ...]] = {
    "market_name": (("amdsmi_get_gpu_asic_info", "market_name"),),
    "serial": (("amdsmi_get_gpu_asic_info", "asic_serial"),),
    "uuid": (("amdsmi_get_gpu_device_uuid", None),),
    "vram_mb": (("amdsmi_get_gpu_vram_info", "vram_size"), ("amdsmi_get_gpu_vram_info", "vram_size_mb")),
    "virtualization": (("amdsmi_get_gpu_virtualization_mode", "mode"),),
    "compute_partition": (("amdsmi_get_gpu_compute_partition", None),),
    "memory_partition": (("amdsmi_get_gpu_memory_partition", None),),
    "available_memory": (("amdsmi_get_gpu_memory_partition_config", "partition_caps"),),
    "hive": (("amdsmi_get_xgmi_info", "xgmi_hive_id"),),
    "ecc": (("amdsmi_get_gpu_total_ecc_count", None),),
    "bad_pages": (("amdsmi_get_gpu_bad_page_info", None),),
    "pcie": (("amdsmi_get_pcie_info", None),),
    "power_cap": (("amdsmi_get_power_cap_info", None),),
    "firmware": (("amdsmi_get_fw_info", "fw_list"),),
    "vbios": (("amdsmi_get_gpu_vbios_info", "version"),),
    "vbios_part": (("amdsmi_get_gpu_vbios_info", "part_number"),),
    "temperature_hotspot_c": (("amdsmi_get_temp_metric", None),),
    "temperature_memory_c": (("amdsmi_get_temp_metric", None),),
}
# Arguments after the handle: members of enumerations.
ARGUMENTS: dict[str, tuple[str, ...]] = {
    "temperature_hotspot_c": ("AmdSmiTemperatureType.HOTSPOT", "AmdSmiTemperatureMetric.CURRENT"),
    "temperature_memory_c": ("AmdSmiTemperatureType.VRAM", "AmdSmiTemperatureMetric.CURRENT"),
}
NOT_SUPPORTED = 2
# Error records: a bit for each severity, and bounds for a ring of 1 MiB. source: amdsmi_cper_sev_t and ras_cper of the
# tool; amdgpu_cper.h of Linux
ALL_SEVERITIES, RECORD_BYTES, MOST_PAGES = 0b111, 1 << 20, 256
# What bindings raise by mistake, beside their own exceptions (seen with 6.0.2 to 7.0.2).
DEFECTS = (ValueError, TypeError, KeyError, AttributeError, IndexError, OSError, UnboundLocalError)


def main(request: dict[str, t.Any]) -> None:
    """Answer one request."""
    answer = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)

    def say(**line: t.Any) -> None:
        answer.write(json.dumps(line) + "\n")
        answer.flush()

    warnings.simplefilter("ignore")  # 10.x warns of names that the next version drops
    sys.dont_write_bytecode = True
    try:
        say(step=f"loading {request['library']}")
        version, build = library_version(request["library"])
        say(library=version, build=build)
        if request["call"] and any(version[:len(line)] == line for line in request["accept"]):
            ask(request, say)
    except OSError as error:
        say(error=f"the library cannot be loaded: {error}")
    except ImportError as error:
        say(error=f"the binding cannot be imported: {error}", other_python=True)
    except KeyError as error:
        say(error=f"the binding finds no library (KeyError {error})")
    except AttributeError as error:
        say(error=f"binding and library do not belong together: {error}", mismatch=True)


def ask(request: dict[str, t.Any], say: t.Callable[..., None]) -> None:
    """Import the binding, read everything and say it."""
    say(step="importing amdsmi")
    amdsmi = bind(request)
    try:
        say(step="amdsmi_init")
        amdsmi.amdsmi_init()
        try:
            say(step="reading")
            handles = amdsmi.amdsmi_get_processor_handles()
            items = read_all(amdsmi, handles)
            say(gpus=items)
            if request["health"]:  # of whole GPUs: a partition has none of its own
                gpus = {item["bdf"].lower(): handle for item, handle in zip(items, handles) if not item["partition"]}
                read_health(amdsmi, request["health"], gpus, say)
        finally:
            amdsmi.amdsmi_shut_down()
    except amdsmi.AmdSmiException as error:
        say(error=f"amdsmi: {reason(error)}")


def library_version(path: str) -> tuple[list[int], str]:
    """Return the version numbers of the library and its build text. Needs no binding and no init.

    The structure is {year, major, minor, release, build} until 25.x and {major, minor, release, build} since 26.0, the
    pointer at offset 16 in both; the buffer is larger. source: amdsmi_version_t in bindings 6.4.4 and 7.0.2
    """
    library = ctypes.CDLL(path)
    buffer = (ctypes.c_uint64 * 64)()
    library.amdsmi_get_lib_version(ctypes.byref(buffer))
    words = list((ctypes.c_uint32 * 4).from_buffer(buffer))
    words = words[1:] if not words[0] else words[:3]  # a year of 0 says nothing
    text = ctypes.string_at(buffer[2]).decode("utf-8", "replace") if buffer[2] else ""
    return words, text


def bind(request: dict[str, t.Any]) -> t.Any:
    """Import the binding from its folder and return it; only for the library that was looked at."""
    for name in ("ROCM_HOME", "ROCM_PATH"):  # bindings up to 7.13
        os.environ[name] = os.path.dirname(os.path.dirname(request["library"]))
    os.environ["AMDSMI_LIB_OVERRIDE"] = request["library"]  # bindings from 7.14 on
    sys.path.insert(0, request["binding"])
    amdsmi = importlib.import_module("amdsmi")
    with open("/proc/self/maps") as maps:
        loaded = {line.split()[-1] for line in maps if "libamd_smi" in line}
    if os.path.realpath(request["library"]) not in {os.path.realpath(path) for path in loaded} or len(loaded) > 1:
        raise AttributeError("the binding loaded " + ", ".join(sorted(loaded)))
    return amdsmi


def read_all(amdsmi: t.Any, handles: t.Sequence[t.Any]) -> list[dict[str, t.Any]]:
    """Return what the library says about each handle: a whole GPU, or one partition of it."""
    found = []
    for handle in handles:
        item: dict[str, t.Any] = {"unknown": {}, "partition": partition(amdsmi, handle)}
        item["bdf"] = amdsmi.amdsmi_get_gpu_device_bdf(handle)
        wanted = CALLS if not item["partition"] else ("uuid",)  # a second partition supports little else
        for name in wanted:
            call(amdsmi, handle, name, item)
        found.append(item)
    return found


def partition(amdsmi: t.Any, handle: t.Any) -> int | None:
    """Return the partition number of a handle; None where the binding cannot tell (before 6.3)."""
    try:
        number = amdsmi.amdsmi_get_gpu_kfd_info(handle)["current_partition_id"]
    except (amdsmi.AmdSmiException, *DEFECTS):
        return None
    return number if isinstance(number, int) and number < 64 else None


def call(amdsmi: t.Any, handle: t.Any, name: str, item: dict[str, t.Any]) -> None:
    """Put one answer into the item, or why there is none."""
    def use(ask: t.Any, key: str | None) -> t.Any:
        value = ask(handle, *members(amdsmi, ARGUMENTS.get(name, ())))
        return value if key is None else value[key]

    for function, key in CALLS[name]:
        if attempt(amdsmi, function, name, item, lambda ask, of=key: use(ask, of)):
            return


def attempt(amdsmi: t.Any, function: str, name: str, item: dict[str, t.Any], use: t.Callable[[t.Any], t.Any]) -> bool:
    """Put what ``use`` makes of a function into the item, or why there is nothing. Whether the library answered.

    Not supported is an answer: the GPU has no such thing.
    """
    if not hasattr(amdsmi, function):
        item["unknown"][name] = f"{function} is not in this binding"
        return False
    try:
        item[name] = plain(use(getattr(amdsmi, function)))
        item["unknown"].pop(name, None)
    except amdsmi.AmdSmiLibraryException as error:
        if error.get_error_code() != NOT_SUPPORTED:
            item["unknown"][name] = f"{function}: {reason(error)}"
    except amdsmi.AmdSmiException as error:
        item["unknown"][name] = f"{function}: {reason(error)}"
        return False
    except DEFECTS as error:
        item["unknown"][name] = f"{function}: {type(error).__name__} {error}"
        return False
    return True


def members(amdsmi: t.Any, names: t.Iterable[str]) -> list[t.Any]:
    """Return members of enumerations by name: AmdSmiClkType.GFX."""
    return [getattr(getattr(amdsmi, kind), member) for kind, _dot, member in (name.partition(".") for name in names)]


def read_health(amdsmi: t.Any, calls: dict[str, list[str]], gpus: dict[str, t.Any], say: t.Callable[..., None]) -> None:
    """Say the health of GPUs part by part, so that what was said stays if a later call crashes or hangs."""

    def tell(bdf: str, read: t.Callable[[dict[str, t.Any]], t.Any]) -> None:
        item: dict[str, t.Any] = {"unknown": {}}
        read(item)
        say(health={bdf: item})

    def plainly(handle: t.Any, item: dict[str, t.Any]) -> None:
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
    parts: dict[str, dict[str, t.Any]] = {bdf: {"unknown": {}} for bdf in gpus}
    threads = {bdf: threading.Thread(target=throttling, args=(bdf,)) for bdf in gpus}
    for thread in threads.values():
        thread.start()
    for bdf, thread in threads.items():
        thread.join()
        say(health={bdf: parts[bdf]})
    # Last, since some libraries crash here. source: ROCm/rocm-systems:projects/amdsmi/tests, on the read path of CPER
    for bdf, handle in gpus.items():
        say(step=f"reading the error records of {bdf}")
        tell(bdf, lambda item, of=handle: records(amdsmi, of, item))


def records(amdsmi: t.Any, handle: t.Any, item: dict[str, t.Any]) -> None:
    """Put the CPER records of a GPU into the item, oldest first; the library gives 20 at a time."""

    def pages(ask: t.Any) -> list[dict[str, t.Any]]:
        found: list[dict[str, t.Any]] = []
        cursor = 0
        for _page in range(MOST_PAGES):
            entries, cursor, raw, status = ask(handle, ALL_SEVERITIES, RECORD_BYTES, cursor)
            found += [{"severity": entry["error_severity"], "time": entry["timestamp"], "afids": afids(amdsmi, blob)}
                      for entry, blob in zip(entries.values(), raw)]
            if status != amdsmi.amdsmi_wrapper.AMDSMI_STATUS_MORE_DATA or not entries:
                break
        return found

    attempt(amdsmi, "amdsmi_get_gpu_cper_entries", "cper", item, pages)


def afids(amdsmi: t.Any, blob: dict[str, t.Any]) -> list[int]:
    """Return the AMD field ids of a record; none if the binding does not understand it."""
    try:
        # Not a name of the package (6.4.4, 7.0.2); and the binding gives signed bytes, which its own next call refuses.
        ask = amdsmi.amdsmi_interface.amdsmi_get_afids_from_cper
        numbers, _count = ask(bytes(byte & 255 for byte in blob["bytes"]))
    except (amdsmi.AmdSmiException, *DEFECTS):
        return []
    return list(numbers)


def reason(error: t.Any) -> str:
    """Return an error of the binding in words: its number and the first line of its text."""
    code = error.get_error_code() if hasattr(error, "get_error_code") else ""
    text = (str(error).strip().splitlines() or [""])[-1].rpartition("| ")[2].strip()
    return f"error {code} {text}".strip()


def plain(value: t.Any) -> t.Any:
    """Return JSON data: enumeration members by name, bytes as text, everything else as it is."""
    if hasattr(value, "name") and hasattr(value, "value"):
        return value.name
    if isinstance(value, dict):
        return {str(plain(key)): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value if isinstance(value, (str, int, float, bool)) or value is None else str(value)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
