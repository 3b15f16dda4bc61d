# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What sysfs says about the health of one GPU: attributes of amdgpu as text."""

from __future__ import annotations

import re
import typing as t

from .health import BlockErrors, ClockRange, GpuHealth, Pages
from .ras import enabled
from .readings import whole

Raw = t.Mapping[str, str]

# Label of a hwmon sensor -> its name in the look. source: linux:Documentation/gpu/amdgpu/thermal.rst
_SENSORS = {"edge": "edge", "junction": "hotspot", "mem": "memory"}
_CLOCKS = {"gfx": "pp_dpm_sclk", "memory": "pp_dpm_mclk", "soc": "pp_dpm_socclk"}
_ENDING = "_err_count"
_PAGES = "ras/gpu_vram_bad_pages"
# Attribute -> field of the look, for those that could not be read.
_FIELD_OF = {
    "power_dpm_force_performance_level": "performance_level", "ras/features": "ras_blocks",
    "pcie_replay_count": "pcie_replays", "gpu_busy_percent": "gfx_activity_percent",
    "mem_busy_percent": "memory_activity_percent", "mem_info_vram_used": "vram_used_bytes",
    "mem_info_vram_total": "vram_total_bytes", **{file: f"clocks.{name}" for name, file in _CLOCKS.items()},
}
ATTRIBUTES = (_PAGES, *_FIELD_OF)


def gpu(bdf: str, values: Raw) -> GpuHealth:
    """Return the health of one GPU.

    Args:
        bdf: its PCI address.
        values: attribute below the device -> text; a name with ``!`` in front holds why it could not be read.
    """
    monitor = {name.rpartition("/")[2]: text for name, text in values.items() if name.startswith("hwmon/")}
    mask = re.search(r"mask: *0x([0-9a-f]+)", values.get("ras/features", ""))
    return GpuHealth(
        bdf=bdf, temperatures_c=_temperatures(monitor, "_input"), limits_c=_temperatures(monitor, "_crit"),
        # MI300 has power1_input, products before it have power1_average.
        power_w=_watts(monitor, "power1_input") or _watts(monitor, "power1_average"),
        power_cap_w=_watts(monitor, "power1_cap"), power_cap_default_w=_watts(monitor, "power1_cap_default"),
        clocks={name: _clock(values[file]) for name, file in _CLOCKS.items() if file in values},
        performance_level=values.get("power_dpm_force_performance_level") or None,
        blocks={_block(name): _errors(text) for name, text in values.items()
                if name.endswith(_ENDING) and not name.startswith("!")},
        ras_blocks=enabled(int(mask[1], 16)) if mask else (), pages=_pages(values.get(_PAGES)),
        pcie_replays=whole(values.get("pcie_replay_count")),
        vram_used_bytes=whole(values.get("mem_info_vram_used")),
        vram_total_bytes=whole(values.get("mem_info_vram_total")),
        gfx_activity_percent=whole(values.get("gpu_busy_percent")),
        memory_activity_percent=whole(values.get("mem_busy_percent")),
        unknown={field: why for name, why in values.items() if name.startswith("!") for field in _fields(name[1:])},
    )


def _fields(name: str) -> tuple[str, ...]:
    if name == _PAGES:
        return "pages.retired", "pages.pending", "pages.unreservable"
    if name.endswith(_ENDING):
        return (f"blocks.{_block(name)}",)
    if name.startswith("hwmon/"):
        return ("power_w", "power_cap_w") if "/power" in name else ("temperatures_c", "limits_c")
    return (_FIELD_OF[name],)


def _block(name: str) -> str:
    return name[len("ras/"):-len(_ENDING)]


def _temperatures(monitor: Raw, ending: str) -> dict[str, int]:
    found = {}
    for name, label in monitor.items():
        if name.endswith("_label") and label in _SENSORS:
            degrees = whole(monitor.get(name[:-len("_label")] + ending), 1000)
            if degrees is not None and (degrees or ending == "_input"):
                found[_SENSORS[label]] = degrees
    return found


def _watts(monitor: Raw, name: str) -> int | None:
    return whole(monitor.get(name), 1_000_000) or None  # 0 is not measured: the second die of an MI250X


def _clock(text: str) -> ClockRange:
    """Levels, one a line, the first the lowest and the last the highest, with a star at the one in use.

    Where levels are not discrete, the clock of now stands between the two ends; in deep sleep it is a line "S:".
    source: linux:drivers/gpu/drm/amd/pm/amdgpu_pm.c, pp_dpm_sclk; smu_v13_0_6_ppt.c, smu_v13_0_6_print_clks
    """
    levels = re.findall(r"^(\w+): *(\d+)Mhz *(\*?)", text, re.MULTILINE)
    ends = [int(clock) for name, clock, _star in levels if name.isdigit()]
    now = [int(clock) for _name, clock, star in levels if star]
    return ClockRange(now[0] if now else None, ends[0] if ends else None, ends[-1] if ends else None)


def _errors(text: str) -> BlockErrors:
    counts = dict(re.findall(r"^(ce|ue|de): *(\d+)", text, re.MULTILINE))
    return BlockErrors(*(whole(counts.get(kind)) for kind in ("ce", "ue", "de")))


def _pages(text: str | None) -> Pages:
    """Lines "page : size : state". source: linux:drivers/gpu/drm/amd/amdgpu/amdgpu_ras.c, gpu_vram_bad_pages."""
    if text is None:
        return Pages()
    states = [line.rpartition(":")[2].strip() for line in text.splitlines() if line.strip()]
    return Pages(states.count("R"), states.count("P"), states.count("F"))
