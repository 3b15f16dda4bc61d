# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How what the library and sysfs say about health becomes one."""

from __future__ import annotations

import dataclasses as dc
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.health import (
    BlockErrors,
    ClockRange,
    GpuHealth,
    Health,
    Pages,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.health_merge import FIELDS, merge

A, B = "0000:05:00.0", "0000:26:00.0"
CLEARS = {"xgmi_error": "not read: reading it clears it"}


def gpu(bdf: str = A, unknown: dict[str, str] | None = None, **fields: t.Any) -> GpuHealth:
    """Health of one GPU."""
    return GpuHealth(bdf, unknown=unknown or {}, **fields)


def merged(library: GpuHealth, sysfs: GpuHealth, virtual: t.Container[str] = ()) -> GpuHealth:
    """The one GPU of both."""
    return merge(Health((library,), "amdsmi", ()), Health((sysfs,)), virtual).gpus[0]


# id, library, sysfs, both
BOTH: list[tuple[str, GpuHealth, GpuHealth, GpuHealth]] = [
    ("the library first", gpu(power_w=412), gpu(power_w=400), gpu(power_w=412)),
    ("0 is an answer", gpu(pcie_replays=0), gpu(pcie_replays=9), gpu(pcie_replays=0)),
    ("sysfs where it has none", gpu(), gpu(vram_used_bytes=5), gpu(vram_used_bytes=5)),
    ("mappings by key", gpu(blocks={"umc": BlockErrors(1, 0)}), gpu(blocks={"umc": BlockErrors(9), "gfx": BlockErrors(2, 0)}),
     gpu(blocks={"umc": BlockErrors(1, 0), "gfx": BlockErrors(2, 0)})),
    ("pages field by field", gpu(pages=Pages(threshold=256)), gpu(pages=Pages(2, 0, 0)), gpu(pages=Pages(2, 0, 0, 256))),
    ("a reason for what nobody answers", gpu(unknown={"pages.retired": "error 10"}), gpu(unknown={"pages.retired": "denied"}),
     gpu(unknown={"pages.retired": "error 10"})),
    ("no reason for what one answers", gpu(unknown={"power_w": "error 30"}), gpu(power_w=95), gpu(power_w=95)),
    ("0 and no are answers too", gpu(unknown={"pcie_replays": "error 30", "throttled.ppt": "error 30"}, throttled={"ppt": False}),
     gpu(pcie_replays=0), gpu(pcie_replays=0, throttled={"ppt": False})),
    ("a key without reason where the other has it", gpu(unknown={"blocks.umc": "error 30"}), gpu(blocks={"umc": BlockErrors(1, 0)}),
     gpu(blocks={"umc": BlockErrors(1, 0)})),
    ("a block that is there and empty is not an answer", gpu(blocks={"umc": BlockErrors()}), gpu(unknown={"blocks.umc": "denied"}),
     gpu(blocks={"umc": BlockErrors()}, unknown={"blocks.umc": "denied"})),
    ("a key of something that is not there", gpu(unknown={"clocks.gfx": "error 30"}), gpu(clocks={"memory": ClockRange(900)}),
     gpu(clocks={"memory": ClockRange(900)}, unknown={"clocks.gfx": "error 30"})),
]


@pytest.mark.parametrize(("library", "sysfs", "both"), [c[1:] for c in BOTH], ids=[c[0] for c in BOTH])
def test_one_gpu_of_both(library: GpuHealth, sysfs: GpuHealth, both: GpuHealth) -> None:
    assert merged(library, sysfs) == dc.replace(both, unknown={**both.unknown, **CLEARS})


UNSEEN = "all links are down, which is what a virtual function is told that may not see them"
# id, links, virtual, links in the look, reason
LINKS: list[tuple[str, tuple[str, ...], bool, tuple[str, ...], str | None]] = [
    ("all down on a virtual function", ("down", "down", "absent"), True, (), UNSEEN),
    ("one down on a virtual function", ("down", "up", "absent"), True, ("down", "up", "absent"), None),
    ("all down on a real one", ("down", "down"), False, ("down", "down"), None),
    ("none", (), True, (), None),
]


@pytest.mark.parametrize(("links", "virtual", "seen", "why"), [c[1:] for c in LINKS], ids=[c[0] for c in LINKS])
def test_links_of_virtual_functions(
    links: tuple[str, ...], virtual: bool, seen: tuple[str, ...], why: str | None
) -> None:
    found = merged(gpu(xgmi_links=links), gpu(), {A} if virtual else ())
    assert (found.xgmi_links, found.unknown.get("xgmi_links")) == (seen, why)


def test_without_the_library_its_fields_have_its_reason() -> None:
    found = merge(Health(unknown={"gpus": "no amdsmi binding"}), Health((gpu(power_w=95),)))
    why = "sysfs does not tell it, and amdsmi did not answer: no amdsmi binding"
    alone = dict.fromkeys(("throttled", "throttled_percent", "pages.threshold", "cper", "pcie_recoveries", "pcie_naks",
                           "xgmi_links"), why)
    assert found == Health((gpu(power_w=95, unknown={**alone, **CLEARS}),), "sysfs", unknown={"pids": "no amdsmi binding"})


def test_a_gpu_that_the_library_does_not_list() -> None:
    found = merge(Health((gpu(power_w=400),), "amdsmi", ()), Health((gpu(), gpu(B, power_w=95))))
    assert (found.source, [g.power_w for g in found.gpus]) == ("amdsmi", [400, 95])
    assert found.gpus[1].unknown["cper"] == (
        "sysfs does not tell it, and amdsmi did not answer: the library does not list this GPU")


def test_a_library_that_broke_off_keeps_what_it_said() -> None:
    found = merge(Health((gpu(power_w=400),), "amdsmi", (7,), unknown={"gpus": "it hung"}), Health((gpu(), gpu(B))))
    assert (found.pids, found.unknown) == ((7,), {})
    assert found.gpus[1].unknown["throttled"] == "sysfs does not tell it, and amdsmi did not answer: it hung"


def test_nobody_answered() -> None:
    unread = dict.fromkeys(FIELDS, "no driver amdgpu is bound (none)")
    found = merge(Health(unknown={"gpus": "amdgpu is not loaded"}), Health((gpu(unknown=unread),)))
    assert (found.source, set(found.gpus[0].unknown)) == (None, {*FIELDS, "pages.threshold"})


def test_without_gpus_there_is_nothing_to_tell() -> None:
    assert merge(Health(pids=()), Health()) == Health(pids=())
