# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Calls of the binding that tell the health of one GPU: what the child is asked for when health is wanted.

None of them changes anything, wakes a GPU or holds one. Left out for that reason: XGMI errors, since asking clears
them; memory in use, since the library then held partition changes up until 7.12, and sysfs tells it; reserved pages,
since the call fails from the first page on in bindings up to 7.0.2, and bad pages are the same records.
source: amdsmi_interface.py of the bindings 6.2.4 to 7.0.2; ROCm/rocm-systems:projects/amdsmi/CHANGELOG.md
"""

from __future__ import annotations

from .._core.look.ras import BLOCKS

_SENSORS = {"edge": "EDGE", "hotspot": "HOTSPOT", "memory": "VRAM", **{f"hbm_{n}": f"HBM_{n}" for n in range(4)}}
_CLOCKS = {"gfx": "GFX", "memory": "MEM", "soc": "SOC"}


def _temperature(sensor: str, metric: str) -> tuple[str, ...]:
    return "amdsmi_get_temp_metric", f"AmdSmiTemperatureType.{sensor}", f"AmdSmiTemperatureMetric.{metric}"


# Name as smi_health reads it -> function and its arguments after the handle.
CALLS: dict[str, tuple[str, ...]] = {
    **{f"temperatures_c.{name}": _temperature(sensor, "CURRENT") for name, sensor in _SENSORS.items()},
    **{f"limits_c.{name}": _temperature(sensor, "CRITICAL") for name, sensor in _SENSORS.items()},
    **{f"clocks.{name}": ("amdsmi_get_clock_info", f"AmdSmiClkType.{kind}") for name, kind in _CLOCKS.items()},
    **{f"blocks.{name}": ("amdsmi_get_gpu_ecc_count", f"AmdSmiGpuBlock.{name.upper()}") for name in BLOCKS},
    "ras_blocks": ("amdsmi_get_gpu_ecc_enabled",),
    "power": ("amdsmi_get_power_info",),
    "power_cap": ("amdsmi_get_power_cap_info",),
    "performance_level": ("amdsmi_get_gpu_perf_level",),
    "pages": ("amdsmi_get_gpu_bad_page_info",),
    "pages.threshold": ("amdsmi_get_gpu_bad_page_threshold",),
    "pcie": ("amdsmi_get_pcie_info",),
    "xgmi_links": ("amdsmi_get_gpu_xgmi_link_status",),
    "activity": ("amdsmi_get_gpu_activity",),
    "processes": ("amdsmi_get_gpu_process_list",),
    "driver": ("amdsmi_get_gpu_driver_info",),
}
