# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the library tells of a GPU, setting by setting."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Gpu
from ansible_collections.instinct.fleet.plugins.module_utils._core.qos.seen import target
from ansible_collections.instinct.fleet.plugins.module_utils._core.qos.shape import BY_LIBRARY

GPU = Gpu(0, "0000:03:00.0", "740f", "MI210", virtual_function=False, near_cpus="0-15")
CAP = {"power_cap": 275, "default_power_cap": 300, "min_power_cap": 0, "max_power_cap": 300, "dpm_cap": 1}
CLOCK = {"min_clk": 500, "max_clk": 1700}
PLPD = {"current_id": 1, "plpds": [{"policy_id": 0, "policy_description": "plpd_disallow"}, {"policy_id": 1, "policy_description": "plpd_default*"}]}


def test_everything() -> None:
    item = {"unknown": {}, "cap": CAP, "level": "AMDSMI_DEV_PERF_LEVEL_STABLE_PEAK", "sclk": CLOCK, "mclk": CLOCK, "xgmi_plpd": PLPD,
            "process_isolation": 1}
    seen = target(GPU, item, ("soc_pstate",), "")
    assert (seen.name, seen.product, seen.virtual, seen.near_cpus, seen.lacking) == (
        GPU.bdf, "MI210", False, "0-15", ("soc_pstate",))
    assert seen.values == {"power_cap": 275, "performance_level": "stable_peak", "sclk_min_mhz": 500, "sclk_max_mhz": 1700,
                           "mclk_max_mhz": 1700, "xgmi_plpd": "plpd_default", "process_isolation": "on"}
    assert (seen.cap, seen.offers, seen.unknown) == ((0, 300, 300), {"xgmi_plpd": ("plpd_disallow", "plpd_default")}, {})


def test_nothing_is_unknown() -> None:
    assert target(GPU, {}, (), "no library").unknown == dict.fromkeys(BY_LIBRARY, "no library")


DETERMINISM = "AMDSMI_DEV_PERF_LEVEL_DETERMINISM"
# what is told, what is known of it, what is unknown
PARTS: list[tuple[dict[str, t.Any], dict[str, t.Any], dict[str, str]]] = [
    ({"cap": {**CAP, "max_power_cap": 0}}, {}, {"power_cap": "the library tells no limits"}),
    ({"cap": {**CAP, "power_cap": "N/A"}}, {}, {"power_cap": "the library tells no limits"}),
    ({"unknown": {"cap": "error 10"}}, {}, {"power_cap": "error 10"}),
    ({"unknown": {"sclk": "error 2"}, "level": DETERMINISM}, {}, {
        "sclk_min_mhz": "error 2", "sclk_max_mhz": "error 2", "performance_level": "it is determinism, and its clock is not told"}),
    ({"level": DETERMINISM, "sclk": {"min_clk": "N/A", "max_clk": 1500}},
     {"sclk_max_mhz": 1500, "performance_level": "determinism 1500"}, {"sclk_min_mhz": "the library says N/A"}),
    ({"process_isolation": 0}, {"process_isolation": "off"}, {}),
    ({"xgmi_plpd": {**PLPD, "current_id": 7}}, {}, {}),
]


@pytest.mark.parametrize(("item", "values", "unknown"), PARTS, ids=[str(part[0])[:60] for part in PARTS])
def test_parts(item: dict[str, t.Any], values: dict[str, t.Any], unknown: dict[str, str]) -> None:
    seen = target(GPU, {"unknown": {}, **item}, (), "")
    assert (seen.values, seen.unknown) == (values, unknown)
