# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of amd-smi, as JSON and as text, into facts."""

from __future__ import annotations

import json
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.bundle.amdsmi import read
from ansible_collections.instinct.fleet.plugins.module_utils._core.bundle.facts import Card, Facts
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.health import (
    BlockErrors,
    ClockRange,
    Pages,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Errors, Link


def card(record: t.Any) -> Card:
    """The first card of one record."""
    facts = Facts()
    read(facts, json.dumps([{"gpu": 0, **record}]))
    return facts.amdsmi[0]


W = {"value": 750, "unit": "W"}
HEALTH = [
    ("temperatures and their limits", {"temperature": {"edge": "N/A", "hotspot": {"value": 45, "unit": "C"}, "mem": "40 C"},
                                       "limit": {"slowdown_hotspot_temperature": "100 C", "slowdown_vram_temperature": "N/A"}},
     {"temperatures_c": {"hotspot": 45, "memory": 40}, "limits_c": {"hotspot": 100}}),
    ("clocks", {"clock": {"gfx_0": {"clk": "132 MHz", "min_clk": "500 MHz", "max_clk": "2100 MHz"}, "mem_0": "N/A",
                          "vclk_0": {"clk": 1}}}, {"clocks": {"gfx": ClockRange(132, 500, 2100)}}),
    ("link counters", {"pcie": {"replay_count": 3, "l0_to_recovery_count": 1, "nak_sent_count": 2,
                                "nak_received_count": "N/A"}},
     {"pcie_replays": 3, "pcie_recoveries": 1, "pcie_naks": 2}),
    ("blocks of which one counts nothing", {"ecc_blocks": {"UMC": {"correctable_count": 1}, "GFX": "N/A"}},
     {"blocks": {"umc": BlockErrors(1)}}),
    ("blocks as counters", {"ecc_umc_ue": 2, "ecc_umc_ce": "N/A"}, {"blocks": {"umc": BlockErrors(None, 2)}}),
    ("no pages", {"retired": "No bad pages found.", "pending": [{"page": 1}], "un_res": "N/A", "bad_page_threshold": 128},
     {"pages": Pages(0, 1, None, 128)}),
    ("performance level", {"perf_level": "AMDSMI_DEV_PERF_LEVEL_MANUAL"}, {"performance_level": "manual"}),
    ("XGMI without errors", {"xgmi_err": "XGMI_STATUS_NO_ERRORS"}, {"xgmi_error": 0}),
    ("XGMI with errors", {"xgmi_err": "XGMI_STATUS_MULTIPLE_ERRORS"}, {"xgmi_error": 2}),
    ("XGMI with one", {"xgmi_err": "XGMI_STATUS_ERROR"}, {"xgmi_error": 1}),
    ("violations", {"throttle": {"ppt_violation_status": "ACTIVE", "vr_thermal_violation_status": "N/A",
                                 "ppt_violation_activity": {"value": 80, "unit": "%"}}},
     {"throttled": {"ppt": True}, "throttled_percent": {"ppt": 80}}),
    ("memory of a monitor", {"vram_usage": "0.5/2.0 MB"}, {"vram_used_bytes": 524288, "vram_total_bytes": 2097152}),
    ("limits that are no mapping", {"limit": "N/A", "power": {"socket_power": "N/A"}}, {}),
]


@pytest.mark.parametrize(("record", "expected"), [case[1:] for case in HEALTH], ids=[case[0] for case in HEALTH])
def test_health_of_one_record(record: t.Any, expected: dict[str, t.Any]) -> None:
    assert card(record).health == expected


READING = [
    ("serial", {"asic": {"asic_serial": "0x2F61C07E9D40B5A8"}}, "serial", "2f61c07e9d40b5a8"),
    ("no serial", {"asic": {"asic_serial": "0xffffffffffffffff"}}, "serial", None),
    ("another serial", {"asic": {"asic_serial": "N/A"}}, "serial", None),
    ("power cap of 7.1", {"limit": {"ppt0": {"socket_power_limit": W}}}, "power_cap_w", 750),
    ("board of 7.0", {"ifwi": {"version": "022.040.003.043.000001", "part_number": "113-M3000100-102"}}, "vbios_part",
     "113-M3000100-102"),
    ("totals", {"ecc": {"total_correctable_count": 4, "total_uncorrectable_count": 0}}, "errors", Errors(4, 0)),
    ("link", {"bus": {"max_pcie_width": 16, "max_pcie_speed": W | {"value": 32, "unit": "GT/s"}}}, "pcie",
     Link(None, 16, None, 32000)),
    ("identifier", {"uuid": "9bff74a1-0000-1000-80a2-7d1d8cc2d4a1"}, "uuid", "9bff74a1-0000-1000-80a2-7d1d8cc2d4a1"),
    ("an identifier of another form", {"uuid": "GPU-9bff"}, "uuid", None),
    ("firmware by its old name", {"fw_list": [{"fw_name": "SMC", "fw_version": "1.2"}, {"fw_id": "VCN"}]}, "firmware",
     {"SMC": "1.2"}),
]


@pytest.mark.parametrize(("record", "field", "expected"), [case[1:] for case in READING], ids=[case[0] for case in READING])
def test_reading_of_one_record(record: t.Any, field: str, expected: t.Any) -> None:
    assert card(record).reading.get(field) == expected


def test_records_of_several_commands_make_one_card() -> None:
    facts = Facts()
    read(facts, '[{"gpu": 0, "bdf": "0000:0A:00.0", "partition_id": 0, "numa": {"node": 1}}]')
    read(facts, '[{"gpu": 0, "pcie": {"width": 8, "speed": {"value": 16, "unit": "GT/s"}}}]')
    read(facts, '[{"gpu": 0, "bus": {"max_pcie_width": 16}, "asic": {"device_id": "0x74A1"}}]')
    one = facts.amdsmi[0]
    assert (one.bdf, one.numa, one.device, one.reading["pcie"]) == ("0000:0a:00.0", "1", "74a1", Link(8, 16, 16000))


WORDS = [
    ("a virtualization host", {"driver": {"name": "gim", "version": "8.1"}},
     "amd-smi: the tool of a virtualization host (gim 8.1), which says nothing about amdgpu"),
    ("links as a list", {"links": [{"link_type": "SELF"}, {"link_type": "XGMI", "link_status": "ENABLED"},
                                   {"link_type": "XGMI", "link_status": "DISABLED"}]},
     "amd-smi: 2 XGMI links, 1 without access"),
    ("links as a mapping", {"link_type": {"gpu_0": "SELF", "gpu_1": "PCIE"}, "link_accessibility": {"gpu_1": "ENABLED"}},
     "amd-smi: 1 PCIE links"),
]


@pytest.mark.parametrize(("record", "words"), [case[1:] for case in WORDS], ids=[case[0] for case in WORDS])
def test_words_of_one_record(record: t.Any, words: str) -> None:
    assert read(Facts(), json.dumps([{"gpu": 0, **record}])) == words


FIRMWARE = """\
GPU: 0
    FW_LIST:
        FW 0:
            FW_ID: SMC
            FW_VERSION: 85.114.0
"""
PROCESSES = [
    ('[{"gpu": 0, "process_list": [{"process_info": {"name": "a", "pid": 7}}]}]', {7}),
    ('[{"gpu": 0, "process_list": [{"process_info": "No running processes detected"}]}]', set()),
    ('[{"gpu": 0, "process_list": [{}, "x"]}]', set()),
    ("GPU: 0\n    PROCESS_INFO: No running processes detected\n", set()),
    ("GPU: 0\n    FAN: 1\n", None),
]


def test_firmware_as_text() -> None:
    facts = Facts()
    read(facts, FIRMWARE)
    assert facts.amdsmi[0].reading["firmware"] == {"SMC": "85.114.0"}


@pytest.mark.parametrize(("text", "pids"), PROCESSES)
def test_processes(text: str, pids: set[int] | None) -> None:
    facts = Facts()
    read(facts, text)
    assert facts.pids == pids


@pytest.mark.parametrize(("text", "expected"), [
    ('{"link_status": [{"gpu": 1, "bdf": "0000:26:00.0", "link_status": ["U", "X"]}], "xgmi_metric": "N/A"}',
     {"0000:26:00.0": ("U", "X")}),
    ("LINK STATUS TABLE:\nGPU0  0000:05:00.0  U D\n", {"0000:05:00.0": ("U", "D")}),
])
def test_states_of_links(text: str, expected: dict[str, tuple[str, ...]]) -> None:
    facts = Facts()
    read(facts, text)
    assert facts.xgmi == expected


FAILURES = [
    ("ERROR: Driver not loaded (amdgpu not found in modules)", False),
    ("AMDSMI_STATUS_NO_PERM - Permission denied", None),
]


@pytest.mark.parametrize(("text", "loaded"), FAILURES)
def test_failure_is_kept_and_a_missing_driver_is_known(text: str, loaded: bool | None) -> None:
    facts = Facts()
    assert read(facts, text).startswith("amd-smi failed: ")
    assert facts.loaded is loaded
    assert facts.smi["error"]


def test_what_another_file_says_of_the_driver_stays() -> None:
    facts = Facts(loaded=True)
    read(facts, "ERROR: Driver not loaded (amdgpu not found in modules)")
    assert facts.loaded is True


@pytest.mark.parametrize(("text", "told"), [
    ("| AMD-SMI 26.0.0+37d158ab  amdgpu version: 6.14.14  ROCm version: 7.0.0 |\nAMDSMI Library version: 26.0.0", "amd-smi"),
    ('[{"gpu": "all", "x": 1}, {"gpu": 1}]', "amd-smi: GPUs"),
    ('[{"gpu": 0, "link_type": {"gpu_0": "SELF"}}]', "amd-smi: GPUs"),
    ("ACCESS TABLE:\n             0000:05:00.0 0000:26:00.0\n0000:05:00.0 ENABLED DISABLED\n", "amd-smi: GPUs"),
    ("LINK METRIC TABLE:\n nothing\n", "amd-smi"),
])
def test_what_is_told(text: str, told: str) -> None:
    assert read(Facts(), text) == told


def test_what_amd_smi_never_prints_is_refused() -> None:
    with pytest.raises(DataError, match="holds nothing that amd-smi is known to print"):
        read(Facts(), '{"roses": "red"}')


def test_driver_that_comes_with_the_kernel() -> None:
    facts = Facts()
    read(facts, '[{"gpu": 0, "driver": {"version": "Linux version 6.14.0-29-generic (x) #1"}}]')
    assert (facts.in_tree, facts.running, facts.version) == (True, "6.14.0-29-generic", None)
