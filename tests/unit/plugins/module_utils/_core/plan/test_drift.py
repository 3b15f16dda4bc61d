# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Differences from the record, in words."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.plan import drift
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.managed import LOCAL_FACTS, RELEASE_RECORD
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.plan import Plan, Step
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.record import Record, plan_record
from ansible_collections.instinct.fleet.tests.unit.support.releases import release
from ansible_collections.instinct.fleet.tests.unit.support.world import bare_node

FILE = {"path": "/etc/x"}
SAID = [
    (Step("key", "install", "AA", "BB", {"path": "/k"}), ["/k holds AA, not BB"]),
    (Step("key", "install", "", "BB", {"path": "/k"}), ["/k holds no key, not BB"]),
    (Step("file", "write /etc/x", "a", "b", FILE), ["/etc/x was changed"]),
    (Step("file", "write /etc/x", "a", "a", FILE), ["/etc/x has another owner or mode"]),
    (Step("boot_file", "write /etc/x", "", "a", FILE), ["/etc/x is gone"]),
    (Step("file", "remove /etc/x", "a", "", {**FILE, "state": "absent"}), ["/etc/x is there"]),
    (Step("install", "install", "a 1\nb 1", "a 2\nb *.7-*\nc\nd 4"),
     ["a is 1, not 2", "b is 1, not *.7-*", "c is not installed", "d is not installed"]),
    (Step("repair", "finish", "x"), ["the package manager was interrupted"]),
    (Step("remove", "remove a, b", "a\nb"), ["a is installed", "b is installed"]),
    (Step("forget", "remove", "amdgpu/1"), ["DKMS has amdgpu/1"]),
    (Step("evict", "remove x", "x"), ["x is installed, of another hand"]),
    (Step("adopt", "take over", "amdgpu/1\n/lib/x"), ["amdgpu/1 is there, of another hand", "/lib/x is there, of another hand"]),
    (Step("mend", "remove", "amdgpu/1: broken"), ["DKMS lost the source of amdgpu/1: broken"]),
    (Step("reinstall", "install again", after="a 1"), ["the source of a 1 is gone"]),
    (Step("hold", "hold a, b", after="a\nb"), ["a is not on hold", "b is not on hold"]),
    (Step("let_go", "let go of a", "a"), ["a is on hold"]),
    (Step("unblacklist", "take away", "/etc/modprobe.d/x"), ["amdgpu is kept from loading by /etc/modprobe.d/x"]),
    (Step("activate", "let it lead", "", "/opt/rocm-7"), ["/opt/rocm leads to nothing, not to /opt/rocm-7"]),
    (Step("build", "build", data={"version": "1", "kernel": "6.1"}), ["amdgpu 1 is not built for 6.1"]),
    (Step("boot", "make", "6.2", "6.1"), ["6.2 boots next, not 6.1"]),
    (Step("load", "reload amdgpu", "amdgpu 1"), ["the loaded amdgpu is not the installed one"]),
    (Step("load", "load amdgpu"), ["amdgpu is not loaded"]),
    (Step("group", "give", "render 104", "render 1200"), ["instead of render 1200: render 104"]),
    (Step("flash", "flash the firmware"), ["it would take: flash the firmware"]),
    (Step("ldconfig", "refresh", data={"stale": True}), ["the linker cache does not know the libraries"]),
    (Step("ldconfig", "refresh behind an install", data={"stale": False}), []),
    (Step("refresh", "refresh the package lists"), []),
    (Step("apply", "reload", after="CPX"), []),
    (Step("apply", "set", after="CPX", data={"gpus": ("a", "b"), "change": "compute"}),
     ["the compute mode of a, b is not the same for all, not CPX"]),
    (Step("apply", "set", "NPS1", "NPS4", {"gpus": tuple("abcdefgh"), "change": "memory"}),
     ["the memory mode of 8 GPUs is NPS1, not NPS4"]),
]


@pytest.mark.parametrize(("step", "words"), SAID, ids=[f"{s.action} {s.before}" for s, _words in SAID])
def test_a_step_is_said_as_what_is_wrong(step: Step, words: list[str]) -> None:
    assert list(drift.differences([Plan("r", (step,))])) == words


def test_a_reboot_and_problems_are_differences_and_nothing_is_said_twice() -> None:
    plans = [Plan("gpu_driver", reboot="k must boot", problems=("p",)), Plan("node_maintenance", (Step("reboot", "x"),), "k must boot")]
    assert drift.differences(plans) == ("k must boot", "p")


def test_the_record_is_not_held_against_itself() -> None:
    plan = plan_record(bare_node(), release("rocm-7.0.2"))
    assert [s.data["path"] for s in plan.steps] == [RELEASE_RECORD, LOCAL_FACTS]
    assert [s.data["path"] for s in drift.without_record(plan).steps] == [LOCAL_FACTS]


BEFORE = {"gpu_release": {"gpu_release_name": "r1", "gpu_release_accept": []}, "gpu_driver": {"gpu_driver_hold": True}}
MOVES = [
    (BEFORE, BEFORE, ()),
    ({**BEFORE, "gpu_driver": {"gpu_driver_hold": False}}, BEFORE, ("the inventory has gpu_driver_hold false, and had true",)),
    ({"gpu_release": {"gpu_release_name": "r2", "gpu_release_accept": [], "gpu_release_kernel": "6.1"}}, BEFORE,
     ("the inventory has gpu_release_name r2, and had r1", "the inventory has gpu_release_kernel 6.1, and had not set")),
    ({"gpu_firmware": {"gpu_firmware_x": 1}}, BEFORE, ()),
    ({**BEFORE, "gpu_release": {"gpu_release_name": "r1"}}, BEFORE, ("the inventory has gpu_release_accept not set, and had []",)),
    ({**BEFORE, "gpu_driver": {}}, BEFORE, ("the inventory has gpu_driver_hold not set, and had true",)),
    ({"gpu_driver": {"gpu_driver_hold": ""}}, BEFORE, ('the inventory has gpu_driver_hold "", and had true',)),
    ({"gpu_driver": {"gpu_driver_hold": "y" * 99}}, BEFORE, (f"the inventory has gpu_driver_hold {'y' * 57}..., and had true",)),
    ({"gpu_release": {"gpu_release_name": "r2"}}, None, ("the inventory has gpu_release_name r2, and had r1",)),
    ({"gpu_release": {"gpu_release_name": "r1"}}, None, ()),
]


@pytest.mark.parametrize(("now", "before", "words"), MOVES)
def test_what_the_inventory_says_otherwise(now, before, words) -> None:
    assert drift.moved(now, Record("r1", None, "dkms", "7", variables=before)) == words
