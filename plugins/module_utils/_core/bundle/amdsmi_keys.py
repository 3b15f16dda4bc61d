# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Where amd-smi puts what: from the keys of any release to the fields of Reading and GpuHealth.

source: ROCm/amdsmi:CHANGELOG.md; ROCm/amdsmi:amdsmi_cli/amdsmi_commands.py of 6.0 to 7.1
"""

from __future__ import annotations

import re
import typing as t

from ..formats.quantity import size, whole, word
from ..formats.tool_json import Record


def dig(record: t.Any, path: str) -> t.Any:
    """Return what is at a path of keys, None if it is not there."""
    for key in path.split("."):
        record = record.get(key) if isinstance(record, dict) else None
    return record


def first(record: Record, paths: t.Iterable[str], convert: t.Callable[[t.Any], t.Any]) -> t.Any:
    """Return the first value that is one."""
    return next((value for value in (convert(dig(record, path)) for path in paths) if value is not None), None)


def normal_target(target: str) -> str:
    """Return gfx908 for gfx9008 and gfx90a for gfx9010, as tools before 6.4 wrote the stepping. source: CHANGELOG"""
    match = re.match(r"^gfx9(\d)(\d\d)$", target)
    return f"gfx9{match[1]}{int(match[2]):x}" if match else target


def _serial(value: t.Any) -> str | None:
    text = (word(value) or "").lower().removeprefix("0x")
    return text if re.match(r"^[0-9a-f]+$", text) and text.strip("f") and text.strip("0") else None


def _xgmi_error(value: t.Any) -> int | None:
    text = str(word(value) or "").upper()
    if text.endswith(("NO_ERROR", "NO_ERRORS", "NO ERRORS")):
        return 0
    return 2 if "MULTIPLE" in text else 1 if text.endswith("ERROR") else whole(value)


# Places of one thing in records, first that is there counts.
READING: tuple[tuple[str, t.Callable[[t.Any], t.Any], tuple[str, ...]], ...] = (
    ("market_name", word, ("asic.market_name",)),
    ("serial", _serial, ("asic.asic_serial",)),
    ("vram_bytes", lambda value: size(value, "MB"), ("vram.size", "vram.vram_size", "mem_usage.total_vram",
                                                     "vram_total")),
    ("compute_partition", word, ("partition.compute_partition", "partition.accelerator_partition",
                                 "accelerator_type")),
    ("memory_partition", word, ("partition.memory_partition", "memory")),
    ("power_cap_w", whole, ("limit.socket_power_limit", "limit.socket_power", "limit.ppt0.socket_power_limit")),
    ("temperature_hotspot_c", whole, ("temperature.hotspot", "hotspot_temperature", "gpu_t")),
    ("temperature_memory_c", whole, ("temperature.mem", "memory_temperature", "mem_t")),
    ("vbios", word, ("vbios.version", "ifwi.version")),
    ("vbios_part", word, ("vbios.part_number", "ifwi.part_number")),
)
HEALTH: tuple[tuple[str, t.Callable[[t.Any], t.Any], tuple[str, ...]], ...] = (
    ("power_w", whole, ("power.socket_power", "power.current_socket_power", "power.average_socket_power",
                        "power_usage", "power", "pwr")),
    ("power_cap_w", whole, ("limit.socket_power_limit", "limit.socket_power", "limit.ppt0.socket_power_limit")),
    ("vram_total_bytes", lambda value: size(value, "MB"), ("mem_usage.total_vram", "vram_total")),
    ("vram_used_bytes", lambda value: size(value, "MB"), ("mem_usage.used_vram", "vram_used")),
    ("gfx_activity_percent", whole, ("usage.gfx_activity", "gfx", "gfx%")),
    ("memory_activity_percent", whole, ("usage.umc_activity", "mem", "mem%")),
    ("pcie_replays", whole, ("pcie.replay_count", "pcie_replay")),
    ("pcie_recoveries", whole, ("pcie.l0_to_recovery_count",)),
    ("performance_level", lambda value: (word(value) or "").rpartition("LEVEL_")[2].lower() or None, ("perf_level",)),
    ("xgmi_error", _xgmi_error, ("xgmi_err",)),
)
TEMPERATURES = {"edge": "edge", "hotspot": "hotspot", "mem": "memory", "vram": "memory"}
CLOCKS = {"gfx_0": "gfx", "mem_0": "memory", "soc_0": "soc"}
THROTTLES = ("prochot", "ppt", "socket_thermal", "vr_thermal", "hbm_thermal")
MONITORED = {
    "pviol": "ppt", "tviol": "socket_thermal", "phot_tviol": "prochot", "vr_tviol": "vr_thermal",
    "hbm_tviol": "hbm_thermal",
}
