# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Health through the vendor's own bindings on the simulated library: healthy values, faults, and what breaks off."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.health import (
    BlockErrors,
    ClockRange,
    Cper,
    GpuHealth,
    Health,
    Pages,
)
from ansible_collections.instinct.fleet.plugins.module_utils._node import pci
from ansible_collections.instinct.fleet.plugins.module_utils._smi.library import Library
from ansible_collections.instinct.fleet.tests.unit.plugins.simulated import BINDINGS, SimulatedNode

A, B = "0000:05:00.0", "0000:26:00.0"
BLOCKS = ("umc", "sdma", "gfx", "mmhub", "pcie_bif", "hdp", "xgmi_wafl")
QUIET = dict.fromkeys(("prochot", "ppt", "socket_thermal", "vr_thermal", "hbm_thermal"), False)
ABSENT = "{} is not in this binding"
# What each binding cannot tell of a healthy MI300X.
UNTOLD = {
    "6.2.4": {
        "pages.threshold": ABSENT.format("amdsmi_get_gpu_bad_page_threshold"),
        "xgmi_links": ABSENT.format("amdsmi_get_gpu_xgmi_link_status"),
        "throttled": ABSENT.format("amdsmi_get_violation_status"),
        "throttled_percent": ABSENT.format("amdsmi_get_violation_status"),
        "cper": ABSENT.format("amdsmi_get_gpu_cper_entries"),
    },
    "6.4.4": {"pages.threshold": ABSENT.format("amdsmi_get_gpu_bad_page_threshold")},
    "7.0.2": {},
}
EMPTY_RING = ("amdsmi_get_gpu_cper_entries: error 14 AMDSMI_STATUS_FILE_ERROR - Error opening file; "
              "libraries before 26.5 answer so for an empty ring too")
NEWER = tuple(rocm for rocm in BINDINGS if rocm != "6.2.4")


@pytest.fixture
def node(tmp_path: Path) -> SimulatedNode:
    """Two MI300X with a loaded driver and no ROCm."""
    return SimulatedNode(tmp_path)


def ask(node: SimulatedNode, seconds: float = 20, uid: int = 0) -> Health:
    """What the library says about the health of the node."""
    machine = node.machine(uid=uid)
    return Library(machine, pci.read(machine), health=True).answer(seconds).health


@pytest.mark.parametrize("rocm", BINDINGS)
def test_a_healthy_node(node: SimulatedNode, rocm: str) -> None:
    node.install(rocm)
    newer, unknown = rocm in NEWER, UNTOLD[rocm]
    healthy = GpuHealth(
        A, {"hotspot": 44, "memory": 40}, {"hotspot": 100, "memory": 105}, 125, 750, 750,
        {"gfx": ClockRange(132, 500, 2100), "memory": ClockRange(900, 900, 1300), "soc": ClockRange(31, 31, 1143)}, "auto",
        QUIET if newer else {}, dict.fromkeys(QUIET, 0) if newer else {}, dict.fromkeys(BLOCKS, BlockErrors(0, 0, 0)), BLOCKS,
        Pages(0, 0, 0, 256 if rocm == "7.0.2" else None), pcie_replays=0, pcie_recoveries=0, pcie_naks=0,
        xgmi_links=("up", "absent") if newer else (), gfx_activity_percent=0, memory_activity_percent=0,
        unknown={**unknown, **({"cper": EMPTY_RING} if newer else {})})
    found = ask(node)
    assert found.gpus[0] == healthy
    assert (found.source, found.pids, found.driver_version, found.driver_in_tree, found.unknown) == (
        "amdsmi", (), "6.14.14", False, {})
    assert found.gpus[1].bdf == B


@pytest.mark.parametrize("rocm", BINDINGS)
def test_products_before_mi300_have_an_edge_and_no_throttling(tmp_path: Path, rocm: str) -> None:
    node = SimulatedNode(tmp_path, "mi210")
    node.install(rocm)
    gpu = ask(node).gpus[0]
    assert gpu.temperatures_c == {"edge": 35, "hotspot": 41, "memory": 42}
    assert (gpu.throttled, gpu.cper) == ({}, ())
    assert gpu.unknown == UNTOLD[rocm]


# id, fault, first binding that shows it, field of the second GPU, value
FAULTS: list[tuple[str, str, str, t.Any]] = [
    ("ecc_correctable gpu=1 count=7", "6.2.4", "blocks.umc", BlockErrors(7, 0, 0)),
    ("ecc_uncorrectable gpu=1 block=gfx", "6.2.4", "blocks.gfx", BlockErrors(0, 1, 0)),
    ("xgmi_crc gpu=1", "6.2.4", "blocks.xgmi_wafl", BlockErrors(5, 0, 0)),
    ("bad_pages gpu=1 count=2 pending=1 unreservable=4", "6.2.4", "pages.pending", 1),
    ("bad_pages gpu=1 count=2 pending=1 unreservable=4", "6.2.4", "pages.unreservable", 4),
    ("hot gpu=1 degrees=111", "6.2.4", "temperatures_c.hotspot", 111),
    ("clock_stuck gpu=1", "6.2.4", "gfx_activity_percent", 100),
    ("pcie_replays gpu=1 count=9", "6.2.4", "pcie_naks", 9),
    ("throttled gpu=1 what=hbm_thermal percent=12", "6.4.4", "throttled.hbm_thermal", True),
    ("throttled gpu=1 what=hbm_thermal percent=12", "6.4.4", "throttled_percent.hbm_thermal", 12),
    ("xgmi_down gpu=1", "6.4.4", "xgmi_links", ("down", "absent")),
    ("cper_old gpu=1", "6.4.4", "cper", (Cper("fatal", 1577836800.0, (30,)),)),
    ("cper_fatal gpu=1 time=2026-03-01T12:30:00", "6.4.4", "cper", (Cper("fatal", 1772368200.0, (30,)),)),
]
SHOWN = [pytest.param(rocm, fault, field, value, id=f"{rocm} {fault.split()[0]} {field}")
         for fault, first, field, value in FAULTS for rocm in BINDINGS if rocm >= first]


@pytest.mark.parametrize(("rocm", "fault", "field", "value"), SHOWN)
def test_a_fault_shows_on_its_gpu_alone(node: SimulatedNode, rocm: str, fault: str, field: str, value: t.Any) -> None:
    node.install(rocm)
    node.simulator("fault", *fault.split())

    def look(gpu: t.Any) -> t.Any:
        for part in field.split("."):
            gpu = gpu[part] if isinstance(gpu, dict) else getattr(gpu, part)
        return gpu

    healthy, broken = ask(node).gpus
    assert (look(broken), look(healthy) == value, "cper" in healthy.unknown) == (value, False, True)


@pytest.mark.parametrize("rocm", NEWER)
def test_more_records_than_one_call_gives(node: SimulatedNode, rocm: str) -> None:
    node.install(rocm)
    for minute in range(45):
        node.simulator("fault", "cper_fatal", f"time=2026-03-01T12:{minute:02}:00")
    records = ask(node).gpus[0].cper
    assert [record.epoch for record in records] == [1772366400.0 + 60 * minute for minute in range(45)]


def test_processes_that_kfd_alone_still_has(node: SimulatedNode) -> None:
    node.install("7.0.2")
    node.simulator("fault", "busy", "pid=4194999", "gpu=1")
    node.simulator("fault", "zombie", "pid=4194998")
    assert ask(node).pids == (4194999,)
    assert ask(node, uid=1000).unknown == {"pids": "only root sees the processes of others"}


def test_partitions_have_no_health_of_their_own(node: SimulatedNode) -> None:
    node.install("7.0.2")
    text = node.state.read_text(encoding="utf-8")
    node.state.write_text(text.replace("gpu0.compute=SPX", "gpu0.compute=CPX"), encoding="utf-8")
    assert [gpu.bdf for gpu in ask(node).gpus] == [A, B]


@pytest.mark.parametrize(("code", "reasons"), [
    (2, {}), (10, {"xgmi_links": "amdsmi_get_gpu_xgmi_link_status: error 10 AMDSMI_STATUS_NO_PERM - Permission Denied"})])
@pytest.mark.parametrize("rocm", NEWER)
def test_not_supported_is_absent_and_other_errors_are_reasons(
    node: SimulatedNode, rocm: str, code: int, reasons: dict[str, str]
) -> None:
    node.install(rocm)
    node.status("amdsmi_get_gpu_xgmi_link_status", code)
    gpu = ask(node).gpus[0]
    assert (gpu.xgmi_links, {k: v for k, v in gpu.unknown.items() if k == "xgmi_links"}) == ((), reasons)


def test_without_being_asked_nothing_of_it_is_read(node: SimulatedNode) -> None:
    node.install("7.0.2")
    machine = node.machine()
    assert Library(machine, pci.read(machine)).answer(20).health == Health((), "amdsmi", None)


STUB = """
class AmdSmiException(Exception): pass
class AmdSmiLibraryException(AmdSmiException): pass
import os, ctypes, signal
ctypes.CDLL(os.environ["AMDSMI_LIB_OVERRIDE"])
def amdsmi_init(): pass
def amdsmi_shut_down(): pass
def amdsmi_get_processor_handles(): return [0, 1]
def amdsmi_get_gpu_device_bdf(handle): return ["0000:05:00.0", "0000:26:00.0"][handle]
def amdsmi_get_gpu_activity(handle): return {"gfx_activity": 10 + handle, "umc_activity": 0}
"""
# id, what breaks, activity of both GPUs, a reason of the second
BREAKS: list[tuple[str, str, list[int | None], tuple[str, str]]] = [
    ("it crashes in the records of the first", "def amdsmi_get_gpu_cper_entries(*_a): ctypes.string_at(0)", [10, 11],
     ("cper", "the library crashed with SIGSEGV (at: reading the error records of 0000:05:00.0)")),
    ("it hangs in violations", "def amdsmi_get_violation_status(handle): signal.pause() if handle else None", [10, 11],
     ("throttled", "the library did not answer in 1 s (at: reading what throttles the GPUs)")),
    ("it hangs at the second GPU", "def amdsmi_get_gpu_perf_level(handle): signal.pause() if handle else None", [10, None],
     ("gpus", "the library did not answer in 1 s (at: reading the health of 0000:26:00.0)")),
]


@pytest.mark.parametrize(("source", "activity", "reason"), [c[1:] for c in BREAKS], ids=[c[0] for c in BREAKS])
def test_what_was_said_before_it_broke_stays(
    node: SimulatedNode, source: str, activity: list[int | None], reason: tuple[str, str]
) -> None:
    folder = f"{node.install('7.0.2')}/share/amd_smi/amdsmi"
    node.write(f"{folder}/_version.py", '__version__ = "26.0.2"\n')
    node.write(f"{folder}/__init__.py", f"{STUB}\n{source}\n")
    machine = node.machine()
    answer = Library(machine, pci.read(machine), health=True).answer(1)
    found = {gpu.bdf: gpu for gpu in answer.health.gpus}
    assert (answer.smi.source, list(answer.readings)) == ("amdsmi", [A, B])
    assert [found[bdf].gfx_activity_percent if bdf in found else None for bdf in (A, B)] == activity
    field, why = reason
    assert (found[B].unknown if B in found else answer.health.unknown)[field] == why
