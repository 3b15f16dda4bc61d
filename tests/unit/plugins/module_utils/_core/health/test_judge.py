# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a gate makes of a node: the healthy one passes, each harm gives its own check and no other."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.findings import Cause, Check
from ansible_collections.instinct.fleet.plugins.module_utils._core.health.judge import (
    Judged,
    findings,
    sections,
    verdict,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.gpus import OFF_THE_BUS
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.host import RdmaPort
from ansible_collections.instinct.fleet.tests.unit.support.healthy import (
    BOOTED,
    GIB,
    A,
    B,
    check,
    gpu,
    health,
    judged,
    look,
    notable,
    profile,
)


@pytest.mark.parametrize("name", ["admission", "running", "burn_in"])
def test_judge_finds_nothing_on_a_healthy_node(name: str) -> None:
    found = judged(look(), name)
    assert (found.verdict, found.exit_code, notable(found)) == ("pass", 0, [])
    assert found.gpus == {A: "pass", B: "pass"}


def ill(**changes: object) -> lk.Look:
    """The first GPU with changes of its health."""
    return look(healths=(health(A, **changes), health(B)))


def bus(**changes: object) -> lk.Look:
    """The first GPU with changes of what the bus tells."""
    return look((gpu(A, 0, **changes), gpu(B, 1)))


HARM = {
    # changed look, verdict of the node, [(check, subject, verdict)], wanted, seen
    "an uncorrectable error of one block": (
        ill(blocks={"umc": lk.BlockErrors(0, 0, 0), "gfx": lk.BlockErrors(0, 2, 0)}),
        "fail", [("ecc-uncorrectable", A, "fail")], "at most 0 errors", "gfx: 2 errors"),
    "a deferred error": (
        ill(blocks={"umc": lk.BlockErrors(0, 0, 1)}),
        "warn", [("ecc-deferred", A, "warn")], "at most 0 errors", "umc: 1 errors"),
    "error detection is off": (
        ill(ras_blocks=()), "warn", [("ras-enabled", A, "warn")], "at least 1 blocks", "enabled for no block"),
    "as many retired pages as the driver allows": (
        ill(pages=lk.Pages(128, 0, 0, 128)), "fail", [("pages-retired", A, "fail")], "at most 127 pages", "128 pages"),
    "a page that waits for a reset": (
        ill(pages=lk.Pages(1, 2, 0, 128)), "fail", [("pages-pending", A, "fail")], "at most 0 pages", "2 pages"),
    "a page that could not be retired": (
        ill(pages=lk.Pages(1, 0, 1, 128)), "warn", [("pages-unreservable", A, "warn")], "at most 0 pages", "1 pages"),
    "a link between GPUs is down": (
        ill(xgmi_links=("absent", "up", "down")),
        "fail", [("xgmi-links", A, "fail")], "at most 0 links down", "1 of 2 up, down: link 2"),
    "all links are down on bare metal": (
        ill(xgmi_links=("down", "down")),
        "fail", [("xgmi-links", A, "fail")], "at most 0 links down", "0 of 2 up, down: link 0, 1"),
    "the library saw errors on a link": (
        ill(xgmi_error=2), "warn", [("xgmi-status", A, "warn")], "", "2"),
    "the memory is above the limit that the device names": (
        ill(temperatures_c={"hotspot": 44, "memory": 40, "hbm_3": 106}),
        "fail", [("temperature-memory", A, "fail"), ("temperature-gradient", A, "warn")],
        "at most 105 C", "hbm_3: 106 C"),
    "the device names no limit, so that of the profile counts": (
        ill(temperatures_c={"edge": 50, "hotspot": 96, "memory": 40}, limits_c={}),
        "fail", [("temperature-hotspot", A, "fail")], "at most 95 C", "hotspot: 96 C"),
    "the hottest point comes near its limit": (
        ill(temperatures_c={"hotspot": 91, "memory": 40}),
        "warn", [("temperature-hotspot", A, "warn")], "at most 90 C", "hotspot: 91 C"),
    "one memory is hotter than that beside it": (
        ill(temperatures_c={"hotspot": 60, "memory": 56}),
        "warn", [("temperature-gradient", A, "warn")], "at most 15 C", f"56 C, {B} beside it 40 C"),
    "throttled by heat": (
        ill(throttled={"ppt": True, "socket_thermal": True}, throttled_percent={"socket_thermal": 3}, power_w=745),
        "fail", [("throttle-thermal", A, "fail")], "at most 0 causes active", "socket_thermal active, 3 % of the time"),
    "throttled for power far below the cap": (
        ill(throttled={"ppt": True, "prochot": False}, power_w=300),
        "warn", [("throttle-power", A, "warn")], "at most 10 % below the cap", "throttled at 300 W of 750 W"),
    "more power than the cap": (
        ill(power_w=900), "warn", [("power-draw", A, "warn")], "at most 110 % of the cap", "900 W of 750 W"),
    "a cap that was left behind": (
        ill(power_cap_w=550), "warn", [("power-cap", A, "warn")], "at least 100 % of the default",
        "550 W, by default 750 W"),
    "a clock that does not rise under load": (
        ill(gfx_activity_percent=97), "warn", [("clock-stuck", A, "warn")], "at most 50 % use at the lowest clock",
        "132 MHz at 97 % use, performance level auto"),
    "memory that nobody holds": (
        ill(vram_used_bytes=30 * GIB), "fail", [("memory-held", A, "fail")], "at most 4096 MiB",
        "30720 MiB, and no process holds the GPU"),
    "a fatal record of this boot": (
        ill(cper=(lk.Cper("fatal", BOOTED + 5, (24, 11)), lk.Cper("fatal", BOOTED - 5))),
        "fail", [("cper-fatal", A, "fail")], "at most 0 records", "1, AFID 11, 24 (1 older than this boot)"),
    "an uncorrected record of this boot": (
        ill(cper=(lk.Cper("non_fatal_uncorrected", BOOTED + 5),)),
        "warn", [("cper-uncorrected", A, "warn")], "at most 0 records", "1"),
    "fewer lanes": (
        bus(pcie=lk.Link(8, 16, 32000, 32000)), "fail", [("pcie-width", A, "fail")], "at least 16 lanes", "x8"),
    "a slow link under load": (
        dc.replace(ill(gfx_activity_percent=40, clocks={}), gpus=lk.Gpus((gpu(pcie=lk.Link(16, 16, 8000, 32000)), gpu(B, 1)))),
        "warn", [("pcie-speed", A, "warn")], "at least 32000 MT/s", "8 GT/s at 40 % use"),
    "a slot that is slower than the GPU": (
        bus(pcie=lk.Link(16, 16, 16000, 16000)), "warn", [("pcie-speed", A, "warn")], "at least 32000 MT/s", "16 GT/s"),
    "no driver is bound": (
        bus(driver=None), "fail", [("driver-bound", A, "fail")], "", "no driver is bound"),
    "other firmware than the other GPUs": (
        look((gpu(A), gpu(B, 1), gpu("0000:46:00.0", 2)), files=None, firmware=lk.Firmware((
            lk.GpuFirmware(A, {"PM": "85.1", "RLC": "9"}, "amdsmi"), lk.GpuFirmware(B, {"PM": "85.2", "RLC": "9"}, "amdsmi"),
            lk.GpuFirmware("0000:46:00.0", {"PM": "85.2", "RLC": "9"}, "amdsmi")))),
        "fail", [("firmware-agreement", A, "warn"), ("gpu-count", "node", "fail")],
        "at most 0 blocks that differ", "PM 85.1 (others 85.2)"),
    "a GPU is missing that was recorded": (
        look((gpu(A),)), "fail", [("gpu-count", "node", "fail")], "at least 2 GPUs", "1 x MI300X"),
    "no GPU at all": (
        look((), files=None), "fail", [("gpu-count", "node", "fail")], "at least 1 GPUs", "none"),
    "a GPU fell off the bus": (
        dc.replace(look(), gpus=lk.Gpus(
            (gpu(A, pcie=lk.Link(None, 16, None, 32000)), gpu(B, 1)), {f"{A}.pcie.width": OFF_THE_BUS})),
        "fail", [("gpu-on-bus", A, "fail"), ("pcie-width", A, "unknown")], "", OFF_THE_BUS),
    "a process is gone and KFD does not know": (
        look(processes=lk.Processes((lk.Process(4711, None, gpus=(A,), vram_bytes=5),)), health=lk.Health((health(A), health(B)), "amdsmi")),
        "fail", [("processes-gone", "node", "fail")], "at most 0 processes", "pid 4711"),
    "a process ended and KFD does not know": (
        look(processes=lk.Processes((lk.Process(4711, "python3", gpus=(A,), vram_bytes=5, state="Z"),)),
             health=lk.Health((health(A), health(B)), "amdsmi", (4711,))),
        "fail", [("processes-gone", "node", "fail")], "at most 0 processes", "pid 4711"),
    "a process that the library does not list": (
        look(processes=lk.Processes((lk.Process(4711, "python3", gpus=(A,), vram_bytes=5),))),
        "warn", [("processes-unlisted", "node", "warn")], "at most 0 processes", "pid 4711 (python3)"),
    "a port of the network is down": (
        look(host=dc.replace(look().host, rdma=(RdmaPort("mlx5_0", 1, state="DOWN", physical="Polling"), RdmaPort("mlx5_1", 1, state="ACTIVE")))),
        "warn", [("rdma-links", "node", "warn")], "at most 0 ports not active", "mlx5_0/1 DOWN (Polling)"),
    "the library does not answer": (
        look(smi=lk.Smi(source="sysfs", error="no amdsmi binding"), health=lk.Health((), "sysfs", unknown={"gpus": "no amdsmi binding"})),
        "unknown", [("library", "node", "unknown"), ("temperature-hotspot", A, "unknown"), ("temperature-hotspot", B, "unknown"),
                    ("ecc-uncorrectable", A, "unknown"), ("ecc-uncorrectable", B, "unknown"),
                    ("xgmi-links", A, "unknown"), ("xgmi-links", B, "unknown")],
        "", "no amdsmi binding"),
}


@pytest.mark.parametrize("harm", HARM)
def test_judge_names_the_harm_and_nothing_else(harm: str) -> None:
    seen, of_node, expected, wanted, words = HARM[harm]
    found = judged(seen)
    assert found.verdict == of_node
    assert sorted(notable(found)) == sorted(expected)
    ident, subject, _verdict = expected[0]
    named = check(found, ident, subject)
    assert (named.wanted, named.seen) == (wanted, words)
    assert named.why.cause and named.why.remedy and named.why.sources


NO_HARM = {
    "an idle link rests": (bus(pcie=lk.Link(16, 16, 2500, 32000)), "pcie-speed", "pass", "2.5 GT/s at rest, 32 GT/s at most"),
    "an idle link of a GPU whose use is not known": (
        dc.replace(ill(gfx_activity_percent=None), gpus=lk.Gpus((gpu(pcie=lk.Link(16, 16, 2500, 32000)), gpu(B, 1)))),
        "pcie-speed", "unknown", "2.5 GT/s now, and whether the GPU is in use is not known"),
    "all links down on a virtual function": (
        dc.replace(ill(xgmi_links=("down", "down")), gpus=lk.Gpus((gpu(virtual_function=True), gpu(B, 1)))),
        "xgmi-links", "unknown", "all links are said to be down on a virtual function: not supported there"),
    "no links, and no reason why": (ill(xgmi_links=()), "xgmi-links", "unknown", "not supported by this GPU or its driver"),
    "a virtual function shows no link": (
        look((gpu(virtual_function=True, pcie=lk.Link()), gpu(B, 1))), "pcie-width", "unknown", "a virtual function does not show its link"),
    "the PCI core is silent": (bus(pcie=lk.Link()), "pcie-width", "unknown", "the PCI core does not tell"),
    "power at its cap under load": (
        ill(throttled={"ppt": True, "socket_thermal": False}, throttled_percent={"ppt": 100}, power_w=748, clocks={},
            gfx_activity_percent=99), "throttle-power", "pass", "throttled at 748 W of 750 W"),
    "throttled for power, and how much it draws is not known": (
        ill(throttled={"ppt": True, "socket_thermal": False}, power_w=None, unknown={"power_w": "error 2"}),
        "throttle-power", "unknown", "throttled for power; error 2"),
    "throttled for power, and nothing says more": (
        ill(throttled={"ppt": True, "socket_thermal": False}, power_w=None),
        "throttle-power", "unknown", "throttled for power; power or cap is not told"),
    "throttling is not told of": (ill(throttled={}), "throttle-thermal", "unknown", "not supported by this GPU or its driver"),
    "no cap is told": (ill(power_cap_w=None), "power-cap", "unknown", "not supported by this GPU or its driver"),
    "no default cap is told": (ill(power_cap_default_w=None), "power-cap", "unknown", "not supported by this GPU or its driver"),
    "no cap to hold power against": (ill(power_cap_w=None), "power-draw", "unknown", "not supported by this GPU or its driver"),
    "use is not told": (ill(gfx_activity_percent=None), "clock-stuck", "unknown", "not supported by this GPU or its driver"),
    "a fast clock under load": (
        ill(gfx_activity_percent=97, clocks={"gfx": lk.ClockRange(2050, 132, 2100)}), "clock-stuck", "pass",
        "2050 MHz at 97 % use, performance level auto"),
    "fatal records of another boot": (
        ill(cper=(lk.Cper("fatal", BOOTED - 5),)), "cper-fatal", "pass", "0 (1 older than this boot)"),
    "fatal records without a time": (ill(cper=(lk.Cper("fatal"),)), "cper-fatal", "unknown", "1 records have no time"),
    "records could not be read": (ill(unknown={"cper": "error 30"}), "cper-fatal", "unknown", "error 30"),
    "memory of a process": (
        dc.replace(ill(vram_used_bytes=30 * GIB), processes=lk.Processes((lk.Process(4711, "python3", gpus=(A,)),)),
                   health=lk.Health((health(A, vram_used_bytes=30 * GIB), health(B)), pids=(4711,))),
        "memory-held", "pass", "30720 MiB, held by pid 4711"),
    "use of memory is not told": (ill(vram_used_bytes=None), "memory-held", "unknown", "not supported by this GPU or its driver"),
    "who holds the memory is not known": (
        look(processes=lk.Processes((), {"processes": "no /sys/class/kfd"})), "memory-held", "unknown",
        "283 MiB in use, and by whom is not known: no /sys/class/kfd"),
    "an APU, whose memory is everybody's": (
        look((gpu(product="MI300A"), gpu(B, 1, product="MI300A"))), "memory-held", "unknown", "not supported by MI300A"),
    "nobody counts errors of the bus": (
        look(host=dc.replace(look().host, devices=())), "pcie-aer", "unknown", "the platform does not count them"),
    "the bus could not be read": (
        look(host=dc.replace(look().host, devices=(), unknown={"devices": "needs root"})), "pcie-aer", "unknown", "needs root"),
    "a virtual function without error detection": (
        dc.replace(ill(ras_blocks=()), gpus=lk.Gpus((gpu(virtual_function=True), gpu(B, 1)))),
        "ras-enabled", "unknown", "the host watches the GPU of a virtual function"),
    "error detection could not be asked for": (
        ill(ras_blocks=(), unknown={"ras_blocks": "error 10"}), "ras-enabled", "unknown", "error 10"),
    "no counter of any block": (ill(blocks={}), "ecc-uncorrectable", "unknown", "not supported by this GPU or its driver"),
    "a GPU alone has no neighbour": (look((gpu(A),)), "temperature-gradient", "unknown", "no neighbour tells a temperature"),
    "no temperature of the memory": (
        ill(temperatures_c={"hotspot": 44}), "temperature-gradient", "unknown", "the memory tells no temperature"),
    "firmware is not told": (look(firmware=lk.Firmware((), None)), "firmware-agreement", "unknown", "tells no firmware"),
    "nothing was declared": (look(), "partition-compute", "unknown", "nothing is declared"),
    "the device names no limit of pages": (
        ill(pages=lk.Pages(3, 0, 0, None)), "pages-retired", "unknown", "3 pages; the device names no limit"),
}


@pytest.mark.parametrize("case", NO_HARM)
def test_judge_makes_no_fault_of(case: str) -> None:
    seen, ident, verdict_, words = NO_HARM[case]
    found = judged(seen)
    assert (check(found, ident).verdict, check(found, ident).seen) == (verdict_, words)
    assert (ident, A, "fail") not in notable(found)


def outcome(verdict_: str, blocks: bool = False) -> Judged:
    return Judged(Check(f"active-{verdict_}", "node", verdict_, "", "", Cause("c", "r")), blocks)


@pytest.mark.parametrize(("given", "expected"), [
    ([], "unknown"), ([outcome("unknown")], "unknown"), ([outcome("pass"), outcome("unknown")], "pass"),
    ([outcome("pass"), outcome("warn")], "warn"), ([outcome("warn"), outcome("unknown", True)], "unknown"),
    ([outcome("unknown", True), outcome("fail")], "fail"),
])
def test_verdict_weighs(given: list[Judged], expected: str) -> None:
    assert verdict(given) == expected


def test_judge_takes_what_tools_say() -> None:
    found = judged(look(), actives=(outcome("fail"),))
    assert (found.verdict, found.exit_code, found.checks[0].id) == ("fail", 1, "active-fail")


def test_checks_come_worst_first() -> None:
    found = judged(ill(blocks={"umc": lk.BlockErrors(0, 1, 1)}, unknown={"xgmi_links": "error 30"}, xgmi_links=()))
    assert [item.id for item in found.checks[:3]] == ["ecc-uncorrectable", "xgmi-links", "ecc-deferred"]


def test_findings_are_what_is_not_as_it_should_be() -> None:
    found = findings(judged(ill(blocks={"umc": lk.BlockErrors(0, 1, 1)})), profile())
    assert [(item.id, item.kind, item.severity, item.domain, item.subject, item.summary) for item in found] == [
        ("ecc-uncorrectable", "health", "error", "hardware", A,
         "uncorrectable memory and block errors: umc: 1 errors; wanted at most 0 errors"),
        ("ecc-deferred", "health", "warning", "hardware", A, "deferred errors: umc: 1 errors; wanted at most 0 errors")]
    assert found[0].evidence == ("ecc-uncorrectable: umc: 1 errors",)


def test_sections_are_those_of_the_checks() -> None:
    few = dc.replace(profile(), rules=tuple(rule for rule in profile().rules if rule.id == "processes-gone"))
    assert sections(few) == ("driver", "gpus", "host", "kernel", "os", "processes", "smi")
    assert {"health", "log", "firmware", "files"} <= set(sections(profile()))
