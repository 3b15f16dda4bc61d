# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What sysfs says about the health of one GPU."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look import sysfs_health
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.health import (
    BlockErrors,
    ClockRange,
    GpuHealth,
    Pages,
)

A = "0000:05:00.0"
TEXTS = {
    "hwmon/hwmon3/temp2_label": "junction", "hwmon/hwmon3/temp2_input": "61000", "hwmon/hwmon3/temp2_crit": "100000",
    "hwmon/hwmon3/temp3_label": "mem", "hwmon/hwmon3/temp3_input": "52000", "hwmon/hwmon3/temp3_crit": "0",
    "hwmon/hwmon3/power1_label": "PPT", "hwmon/hwmon3/power1_input": "412000000", "hwmon/hwmon3/power1_cap": "600000000",
    "hwmon/hwmon3/power1_cap_default": "750000000",
    "pp_dpm_sclk": "0: 500Mhz\n1: 1700Mhz *\n2: 2100Mhz", "pp_dpm_mclk": "0: 900Mhz\n1: 1300Mhz *",
    "power_dpm_force_performance_level": "manual", "ras/features": "feature mask: 0x85",
    "ras/umc_err_count": "ue: 1\nce: 3\nde: 0", "ras/pcie_bif_err_count": "ue: 0\nce: 0",
    "ras/gpu_vram_bad_pages": "0x01 : 0x1000 : R\n0x02 : 0x1000 : R\n0x03 : 0x1000 : P\n0x04 : 0x1000 : F\n",
    "pcie_replay_count": "2", "gpu_busy_percent": "97", "mem_busy_percent": "0",
    "mem_info_vram_used": "297795584", "mem_info_vram_total": "206141652992",
}
READ = GpuHealth(
    A, {"hotspot": 61, "memory": 52}, {"hotspot": 100}, 412, 600, 750,
    {"gfx": ClockRange(1700, 500, 2100), "memory": ClockRange(1300, 900, 1300)}, "manual",
    blocks={"umc": BlockErrors(3, 1, 0), "pcie_bif": BlockErrors(0, 0)}, ras_blocks=("umc", "gfx", "xgmi_wafl"),
    pages=Pages(2, 1, 1), pcie_replays=2, vram_used_bytes=297795584, vram_total_bytes=206141652992,
    gfx_activity_percent=97, memory_activity_percent=0)


def test_health_has_the_units_of_the_look() -> None:
    assert sysfs_health.gpu(A, TEXTS) == READ


def test_what_is_not_there_has_no_reason() -> None:
    assert sysfs_health.gpu(A, {}) == GpuHealth(A)


# id, attributes, field, value
ODD: list[tuple[str, dict[str, str], str, t.Any]] = [
    ("a clock in deep sleep is in use", {"pp_dpm_sclk": "S: 132Mhz *\n0: 500Mhz\n1: 2100Mhz"}, "clocks", {"gfx": ClockRange(132, 500, 2100)}),
    ("no level in use", {"pp_dpm_mclk": "0: 900Mhz\n1: 1300Mhz"}, "clocks", {"memory": ClockRange(None, 900, 1300)}),
    ("no levels", {"pp_dpm_socclk": ""}, "clocks", {"soc": ClockRange()}),
    ("power before MI300", {"hwmon/hwmon1/power1_average": "95000000"}, "power_w", 95),
    ("the second die of an MI250X", {"hwmon/hwmon1/power1_average": "0"}, "power_w", None),
    ("a sensor of another kind", {"hwmon/hwmon1/temp9_label": "ambient", "hwmon/hwmon1/temp9_input": "30000"}, "temperatures_c", {}),
    ("a sensor that gives no number", {"hwmon/hwmon1/temp1_label": "edge", "hwmon/hwmon1/temp1_input": ""}, "temperatures_c", {}),
    ("a sensor at 0", {"hwmon/hwmon1/temp1_label": "edge", "hwmon/hwmon1/temp1_input": "0"}, "temperatures_c", {"edge": 0}),
    ("no bad page is a number", {"ras/gpu_vram_bad_pages": ""}, "pages", Pages(0, 0, 0)),
    ("a block whose counters are not understood", {"ras/umc_err_count": "query failed"}, "blocks", {"umc": BlockErrors()}),
    ("features that are not understood", {"ras/features": "none"}, "ras_blocks", ()),
]


@pytest.mark.parametrize(("values", "field", "value"), [c[1:] for c in ODD], ids=[c[0] for c in ODD])
def test_odd_texts(values: dict[str, str], field: str, value: t.Any) -> None:
    found = sysfs_health.gpu(A, values)
    assert (getattr(found, field), found.unknown) == (value, {})


REASONS = [
    ("ras/gpu_vram_bad_pages", ["pages.retired", "pages.pending", "pages.unreservable"]), ("ras/umc_err_count", ["blocks.umc"]),
    ("hwmon/hwmon1/power1_cap", ["power_w", "power_cap_w"]), ("hwmon/hwmon1/temp2_input", ["temperatures_c", "limits_c"]),
    ("pp_dpm_sclk", ["clocks.gfx"]), ("gpu_busy_percent", ["gfx_activity_percent"]),
]


@pytest.mark.parametrize(("name", "fields"), REASONS, ids=[c[0] for c in REASONS])
def test_reasons_go_by_the_names_of_the_look(name: str, fields: list[str]) -> None:
    assert sysfs_health.gpu(A, {f"!{name}": "denied"}) == GpuHealth(A, unknown=dict.fromkeys(fields, "denied"))


def test_every_attribute_has_a_field() -> None:
    for name in sysfs_health.ATTRIBUTES:
        assert set(sysfs_health.gpu(A, {f"!{name}": "denied"}).unknown.values()) == {"denied"}
