# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plays golden.json's cases under the binding that is installed: prints what came back for every step of every case."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import typing as t

import amdsmi

HANDLES: list[t.Any] = []


def status(call: t.Callable[..., t.Any], *arguments: t.Any) -> t.Any:
    """What a call returns, 0 for nothing, or the code of its error."""
    try:
        returned = call(*arguments)
    except amdsmi.AmdSmiLibraryException as error:
        return error.get_error_code()
    return 0 if returned is None else returned


def field(call: t.Callable[..., t.Any], key: str, *arguments: t.Any) -> t.Any:
    """One key of what a call returns, or the code of its error."""
    returned = status(call, *arguments)
    return returned[key] if isinstance(returned, dict) else returned


def start() -> t.Any:
    """Start the library and count handles."""
    code = status(amdsmi.amdsmi_init)
    if code == 0:
        HANDLES[:] = amdsmi.amdsmi_get_processor_handles()
    return code


def restart() -> t.Any:
    """End and start."""
    amdsmi.amdsmi_shut_down()
    return start()


def after_end() -> t.Any:
    """A call after the end; the library is started again."""
    amdsmi.amdsmi_shut_down()
    code = status(amdsmi.amdsmi_get_gpu_device_bdf, HANDLES[0])
    start()
    return code


def temperature(handle: t.Any, place: str) -> t.Any:
    """A temperature of now."""
    kinds = amdsmi.AmdSmiTemperatureType
    return status(amdsmi.amdsmi_get_temp_metric, handle, getattr(kinds, place), amdsmi.AmdSmiTemperatureMetric.CURRENT)


def profiles(handle: t.Any) -> t.Any:
    """Names of the profiles in order."""
    config = status(amdsmi.amdsmi_get_gpu_accelerator_partition_profile_config, handle)
    return [profile["profile_type"] for profile in config["profiles"]] if isinstance(config, dict) else config


def set_memory(handle: t.Any, mode: str) -> t.Any:
    """Ask for a memory mode, by the newer name where there is one."""
    call = getattr(amdsmi, "amdsmi_set_gpu_memory_partition_mode", None) or amdsmi.amdsmi_set_gpu_memory_partition
    return status(call, handle, getattr(amdsmi.AmdSmiMemoryPartitionType, mode))


def reload() -> t.Any:
    """Load the driver anew: by the library where it can, else as its caller must, with the node's own command."""
    if hasattr(amdsmi, "amdsmi_gpu_driver_reload"):
        return status(amdsmi.amdsmi_gpu_driver_reload)
    return (
        subprocess.run(
            [os.environ["INSTINCT_SIM_COMMAND"], "reload"], check=False, stderr=subprocess.DEVNULL
        ).returncode
        * 54
    )


def get_compute(handle: t.Any) -> t.Any:
    """The compute mode; where the call is gone, by the profile, which tells nothing of other partitions."""
    if hasattr(amdsmi, "amdsmi_get_gpu_compute_partition"):
        return status(amdsmi.amdsmi_get_gpu_compute_partition, handle)
    mode = field(amdsmi.amdsmi_get_gpu_accelerator_partition_profile, "partition_profile", handle)
    return mode if isinstance(mode, int) else 2 if mode["profile_type"] == "N/A" else mode["profile_type"]


def set_compute(handle: t.Any, mode: str) -> t.Any:
    """Set a compute mode; where the call is gone, by the index of its profile."""
    if hasattr(amdsmi, "amdsmi_set_gpu_compute_partition"):
        return status(amdsmi.amdsmi_set_gpu_compute_partition, handle, getattr(amdsmi.AmdSmiComputePartitionType, mode))
    modes = profiles(handle)
    if not isinstance(modes, list):
        return modes
    index = modes.index(mode) if mode in modes else len(modes)
    return status(amdsmi.amdsmi_set_gpu_accelerator_partition_profile, handle, index)


STEPS: dict[str, t.Callable[..., t.Any]] = {
    "handles": lambda: len(HANDLES),
    "bogus": lambda: status(amdsmi.amdsmi_get_gpu_device_bdf, amdsmi.amdsmi_wrapper.amdsmi_processor_handle(4096)),
    "after_end": after_end,
    "reload": reload,
    "kfd_processes": lambda: [one["process_id"] for one in amdsmi.amdsmi_get_gpu_compute_process_info()],
}
ON_HANDLE: dict[str, t.Callable[..., t.Any]] = {
    "set_compute": set_compute,
    "get_compute": get_compute,
    "set_memory": set_memory,
    "get_memory": lambda h: status(amdsmi.amdsmi_get_gpu_memory_partition, h),
    "set_profile": lambda h, index: status(amdsmi.amdsmi_set_gpu_accelerator_partition_profile, h, index),
    "profiles": profiles,
    "bdf": lambda h: status(amdsmi.amdsmi_get_gpu_device_bdf, h),
    "serial": lambda h: field(amdsmi.amdsmi_get_gpu_asic_info, "asic_serial", h),
    "device_id": lambda h: field(amdsmi.amdsmi_get_gpu_asic_info, "device_id", h),
    "processes": lambda h: [one["pid"] for one in amdsmi.amdsmi_get_gpu_process_list(h)],
    "node": lambda h: field(amdsmi.amdsmi_get_gpu_kfd_info, "node_id", h),
    "partition": lambda h: field(amdsmi.amdsmi_get_gpu_kfd_info, "current_partition_id", h),
    "profile_partition": lambda h: amdsmi.amdsmi_get_gpu_accelerator_partition_profile(h)["partition_id"][0],
    "ecc": lambda h: field(amdsmi.amdsmi_get_gpu_total_ecc_count, "correctable_count", h),
    "hotspot": lambda h: temperature(h, "HOTSPOT"),
    "edge": lambda h: temperature(h, "EDGE"),
    "bad_pages": lambda h: status(amdsmi.amdsmi_get_gpu_bad_page_info, h),
    "xgmi_error": lambda h: status(amdsmi.amdsmi_gpu_xgmi_error_status, h),
    "vram_total": lambda h: field(amdsmi.amdsmi_get_gpu_vram_usage, "vram_total", h),
    "power_cap": lambda h, microwatts: status(amdsmi.amdsmi_set_power_cap, h, 0, microwatts),
    "cap": lambda h: field(amdsmi.amdsmi_get_power_cap_info, "power_cap", h),
    "metrics": lambda h: status(amdsmi.amdsmi_get_gpu_metrics_info, h),
}


def play(case: dict[str, t.Any]) -> list[t.Any]:
    """What came back for each step; a restart that goes well brings None."""
    os.environ["INSTINCT_SIM_STATE"] = case["state"]
    first = start()
    came: list[t.Any] = []
    for name, *rest in case["steps"]:
        if name == "start":
            came.append(first)
        elif name == "restart":
            came.append(restart() or None)
        elif name in STEPS:
            came.append(STEPS[name]())
        else:
            came.append(ON_HANDLE[name](HANDLES[rest[0]], *rest[1:-1]))
    if first == 0:
        amdsmi.amdsmi_shut_down()
    return came


print(json.dumps([play(case) for case in json.load(sys.stdin)]))
