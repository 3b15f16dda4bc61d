# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What raw answers of the library about health mean."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look import smi_health
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.health import (
    BlockErrors,
    ClockRange,
    Cper,
    GpuHealth,
    Health,
    Pages,
)

A, B = "0000:05:00.0", "0000:26:00.0"
NOT_TOLD = "the library answers, but not this"
QUIET = {f"active_{key}": False for key in ("prochot_thrm", "ppt_pwr", "socket_thrm", "vr_thrm", "hbm_thrm")}
RAW: dict[str, t.Any] = {
    "unknown": {}, "temperatures_c.hotspot": 61, "temperatures_c.memory": 52, "limits_c.hotspot": 100, "limits_c.memory": 105,
    "clocks.gfx": {"clk": 132, "min_clk": 500, "max_clk": 2100, "clk_locked": False, "clk_deep_sleep": 1},
    "blocks.umc": {"correctable_count": 3, "uncorrectable_count": 1, "deferred_count": 0}, "ras_blocks": 0b10000101,
    "power": {"socket_power": 412, "current_socket_power": 412, "average_socket_power": "N/A", "power_limit": 750000000},
    "power_cap": {"power_cap": 600000000, "default_power_cap": 750000000, "dpm_cap": 0},
    "performance_level": "AMDSMI_DEV_PERF_LEVEL_AUTO", "pages": [{"status": 0}, {"status": 0}, {"status": 1}, {"status": 2}],
    "pages.threshold": 256,
    "pcie": {"pcie_static": {}, "pcie_metric": {"pcie_replay_count": 2, "pcie_l0_to_recovery_count": 7,
                                                "pcie_nak_sent_count": 1, "pcie_nak_received_count": 4}},
    "xgmi_links": {"status": ["U", "D", "X", "N/A"], "total_links": 4},
    "activity": {"gfx_activity": 97, "umc_activity": 40, "mm_activity": "N/A"},
    "throttling": {**QUIET, "active_ppt_pwr": True, "per_prochot_thrm": 0, "per_ppt_pwr": 35, "per_socket_thrm": 0,
                   "per_vr_thrm": 0, "per_hbm_thrm": 0},
    "cper": [{"severity": "fatal", "time": "2026/03/01 12:30:00", "afids": [30, 2**64 - 1]}],
}
QUIET_NAMES = {"prochot": False, "socket_thermal": False, "vr_thermal": False, "hbm_thermal": False}
READ = GpuHealth(
    A, {"hotspot": 61, "memory": 52}, {"hotspot": 100, "memory": 105}, 412, 600, 750, {"gfx": ClockRange(132, 500, 2100)},
    "auto", {**QUIET_NAMES, "ppt": True}, {**dict.fromkeys(QUIET_NAMES, 0), "ppt": 35}, {"umc": BlockErrors(3, 1, 0)},
    ("umc", "gfx", "xgmi_wafl"), Pages(2, 1, 1, 256), (Cper("fatal", 1772368200.0, (30,)),), 2, 7, 5,
    ("up", "down", "absent", "absent"), gfx_activity_percent=97, memory_activity_percent=40)


def test_health_has_the_units_of_the_look() -> None:
    assert smi_health.gpu(A, RAW) == READ


def test_what_the_gpu_does_not_have_is_not_there_and_has_no_reason() -> None:
    assert smi_health.gpu(A, {"unknown": {}}) == GpuHealth(A)


# id, raw answers, field, its value, reasons
ODD: list[tuple[str, dict[str, t.Any], str, t.Any, dict[str, str]]] = [
    ("power of bindings before 7.0", {"power": {"current_socket_power": 140, "average_socket_power": "N/A"}}, "power_w", 140, {}),
    ("power of MI200", {"power": {"current_socket_power": "N/A", "average_socket_power": 95}}, "power_w", 95, {}),
    ("a sentinel that the binding lets through", {"power": {"socket_power": 2**32 - 1}}, "power_w", None, {"power_w": NOT_TOLD}),
    ("the second die of an MI250X", {"power": {"average_socket_power": 0}}, "power_w", None, {"power_w": NOT_TOLD}),
    ("caps where a sub-call failed", {"power_cap": {"power_cap": 0, "default_power_cap": 0}}, "power_cap_w", None,
     {"power_cap_w": NOT_TOLD, "power_cap_default_w": NOT_TOLD}),
    ("a temperature of all ones", {"temperatures_c.edge": 65535}, "temperatures_c", {}, {"temperatures_c.edge": NOT_TOLD}),
    ("a limit of 0 is none", {"limits_c.memory": 0}, "limits_c", {}, {}),
    ("a temperature that is text", {"temperatures_c.memory": "N/A"}, "temperatures_c", {}, {"temperatures_c.memory": NOT_TOLD}),
    ("clocks of all ones", {"clocks.gfx": {"clk": 65535, "min_clk": "N/A", "max_clk": 2100}}, "clocks",
     {"gfx": ClockRange(None, None, 2100)}, {}),
    ("clocks that are no mapping", {"clocks.gfx": "N/A"}, "clocks", {}, {}),
    ("activity above 100", {"activity": {"gfx_activity": 255, "umc_activity": 0}}, "gfx_activity_percent", None,
     {"gfx_activity_percent": NOT_TOLD}),
    ("idle is a number", {"activity": {"gfx_activity": 0, "umc_activity": 0}}, "gfx_activity_percent", 0, {}),
    ("PCIe counters that the product does not count", {"pcie": {"pcie_metric": {"pcie_replay_count": 0, "pcie_nak_sent_count": 1}}},
     "pcie_replays", 0, {"pcie_recoveries": NOT_TOLD, "pcie_naks": NOT_TOLD}),
    ("PCIe that is no mapping", {"pcie": "N/A"}, "pcie_replays", None,
     dict.fromkeys(("pcie_replays", "pcie_recoveries", "pcie_naks"), NOT_TOLD)),
    ("the level of a benchmark", {"performance_level": "AMDSMI_DEV_PERF_LEVEL_STABLE_PEAK"}, "performance_level", "profile_peak", {}),
    ("no level", {"performance_level": "AMDSMI_DEV_PERF_LEVEL_UNKNOWN"}, "performance_level", None, {}),
    ("no bad page is a number", {"pages": []}, "pages", Pages(0, 0, 0), {}),
    ("pages that only root may see", {"unknown": {"pages": "error 10"}}, "pages", Pages(),
     dict.fromkeys(("pages.retired", "pages.pending", "pages.unreservable"), "error 10")),
    ("a block without a deferred counter", {"blocks.gfx": {"correctable_count": 1, "uncorrectable_count": 0}}, "blocks",
     {"gfx": BlockErrors(1, 0)}, {}),
    ("a counter of all ones", {"blocks.gfx": {"correctable_count": 2**64 - 1}}, "blocks", {"gfx": BlockErrors()}, {}),
    ("no links", {"xgmi_links": {"status": "N/A"}}, "xgmi_links", (), {}),
    ("links of no binding", {"unknown": {"xgmi_links": "not in this binding"}}, "xgmi_links", (), {"xgmi_links": "not in this binding"}),
    ("an empty ring of a library before 26.5", {"unknown": {"cper": "amdsmi_get_gpu_cper_entries: error 14 FILE_ERROR"}}, "cper", (),
     {"cper": "amdsmi_get_gpu_cper_entries: error 14 FILE_ERROR; libraries before 26.5 answer so for an empty ring too"}),
    ("a record without time", {"cper": [{"severity": "fatal", "time": "2000/00/00 00:00:00", "afids": []}]}, "cper", (Cper("fatal"),), {}),
    ("a record whose time is no time", {"cper": [{"severity": "fatal", "time": "N/A", "afids": []}]}, "cper", (Cper("fatal"),), {}),
    ("a binding without violations", {"unknown": {"throttling": "not in this binding"}}, "throttled", {},
     {"throttled": "not in this binding", "throttled_percent": "not in this binding"}),
]


@pytest.mark.parametrize(("raw", "field", "value", "unknown"), [c[1:] for c in ODD], ids=[c[0] for c in ODD])
def test_odd_answers(raw: dict[str, t.Any], field: str, value: t.Any, unknown: dict[str, str]) -> None:
    found = smi_health.gpu(A, {"unknown": {}, **raw})
    assert (getattr(found, field), found.unknown) == (value, unknown)


def test_throttling_that_is_not_told_is_not_quiet() -> None:
    raw = {**RAW["throttling"], "active_hbm_thrm": "N/A", "per_hbm_thrm": "N/A", "per_ppt_pwr": "N/A"}
    found = smi_health.gpu(A, {"unknown": {}, "throttling": raw})
    assert found.throttled == {"prochot": False, "ppt": True, "socket_thermal": False, "vr_thermal": False}
    assert found.throttled_percent == {"prochot": 0, "socket_thermal": 0, "vr_thermal": 0}
    assert found.unknown == dict.fromkeys(("throttled.hbm_thermal", "throttled_percent.hbm_thermal", "throttled_percent.ppt"), NOT_TOLD)


def test_of_many_records_the_last_are_kept() -> None:
    records = [{"severity": "non_fatal_corrected", "time": "", "afids": [number]} for number in range(70)]
    found = smi_health.gpu(A, {"unknown": {}, "cper": records}).cper
    assert (len(found), found[0].afids, found[-1].afids) == (64, (6,), (69,))


def item(pids: list[t.Any] | None = None, why: str = "", version: str = "6.14.14") -> dict[str, t.Any]:
    """What the child says about one GPU."""
    lists = {"processes": [{"pid": pid, "name": "x"} for pid in pids]} if pids is not None else {}
    return {"unknown": {"processes": why} if why else {}, "driver": {"driver_version": version}, **lists}


# id, items, root, pids, reason
LISTS: list[tuple[str, dict[str, t.Any], bool, tuple[int, ...] | None, str | None]] = [
    ("once for each GPU", {A: item([9, 4]), B: item([4, 12])}, True, (4, 9, 12), None),
    ("none", {A: item([])}, True, (), None),
    ("entries that are none", {A: item(["N/A", 0])}, True, (), None),
    ("one of two does not answer", {A: item([4]), B: item(None, "error 30")}, True, (4,), None),
    ("nobody answers", {A: item(None, "error 30")}, True, None, "error 30"),
    ("not supported anywhere", {A: item()}, True, None, None),
    ("another user", {A: item([4])}, False, None, "only root sees the processes of others"),
]


@pytest.mark.parametrize(("items", "root", "pids", "why"), [c[1:] for c in LISTS], ids=[c[0] for c in LISTS])
def test_processes(items: dict[str, t.Any], root: bool, pids: tuple[int, ...] | None, why: str | None) -> None:
    found = smi_health.health(items, [A, B], root)
    assert (found.pids, found.unknown) == (pids, {"pids": why} if why else {})


# id, what the library calls the version, version, whether it is the kernel's own driver
VERSIONS: list[tuple[str, str, str | None, bool | None]] = [
    ("a package's driver", "6.14.14", "6.14.14", False),
    ("the kernel's own", "Linux version 6.8.0-60-generic (build@x) (gcc 13.3.0) #63-Ubuntu SMP", None, True),
    ("nothing", "N/A", None, None),
]


@pytest.mark.parametrize(("told", "version", "in_tree"), [c[1:] for c in VERSIONS], ids=[c[0] for c in VERSIONS])
def test_driver(told: str, version: str | None, in_tree: bool | None) -> None:
    found = smi_health.health({A: item([], version=told)}, [A], True)
    assert (found.driver_version, found.driver_in_tree) == (version, in_tree)


def test_gpus_that_are_not_on_the_bus_do_not_count() -> None:
    found = smi_health.health({"0000:05:00.1": item([5]), B: item([])}, [A, B], True)
    assert found == Health((GpuHealth(B),), "amdsmi", (), "6.14.14", False)
