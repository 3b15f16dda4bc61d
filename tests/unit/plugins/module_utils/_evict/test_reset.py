# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is left when everybody has ended, and when a reset may free it."""

from __future__ import annotations

import os
import re
import subprocess

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Process, Processes
from ansible_collections.instinct.fleet.tests.unit.plugins.eviction_world import World
from ansible_collections.instinct.fleet.tests.unit.support.evictions import GIB, A, B, C, D


def test_memory_that_nobody_holds_is_no_success_and_a_reset_frees_it(world: World) -> None:
    world.start("eve", D, "end")
    world.used(D, 60 * GIB)
    assert world.evict(D, check=True).values["devices"][0]["released"] is True
    error = world.failure(D, release=0)
    assert world.evict(D, check=True).values["devices"] == [
        {**error.values["devices"][0], "pids_before": [], "vram_bytes_before": 0}]
    assert (error.values["devices"][0]["reason"], error.values["devices"][0]["released"]) == (
        "61440 MiB are in use that no process holds", False)
    outcome = world.evict(D, reset_allowed=True, release=0)
    assert (world.resets, outcome.actions) == ([D], (f"reset {D}",))
    assert outcome.values["devices"][0]["driver_bytes_after"] == 284 << 20


def test_a_reset_of_one_gpu_is_one_of_all_that_are_linked_with_it(world: World) -> None:
    world.start("carol", C, "end")
    world.used(C, 60 * GIB)
    world.used(D, 60 * GIB)
    outcome = world.evict(B, C, D, reset_allowed=True, checkpoint="skipped", release=0)
    assert (world.resets, [one["released"] for one in outcome.values["devices"]]) == ([C], [True, True, True])


def test_a_process_that_ended_and_that_the_driver_still_has(world: World) -> None:
    dead = subprocess.Popen(["true"])
    dead.wait()
    world.write(f"/sys/class/kfd/kfd/proc/{dead.pid}/vram_54", "5")
    world.dead.add(dead.pid)
    error = world.failure(D, release=0)
    assert (error.values["devices"][0]["reason"], error.values["actions"]) == (
        f"pid {dead.pid} (tenant unknown) ended, and the driver still has it", [])
    assert world.evict(D, reset_allowed=True, release=0).actions == (f"reset {D}",)


@pytest.mark.parametrize(("neighbour", "library", "refusal", "said"), [
    (True, Processes(), "", r"pid \d+ \(.*, tenant serve\) is on a GPU that the reset would reach"),
    (False, Processes((Process(os.getpid(), gpus=(B,)),)), "", r"pid \d+ is on a GPU that the reset would reach"),
    (False, Processes((), {"processes": "no library"}), "", "whether anybody else is on it is unknown: no library"),
    (False, Processes(), "AMDSMI_STATUS_NOT_SUPPORTED", "AMDSMI_STATUS_NOT_SUPPORTED"),
], ids=["a process on a neighbour", "a client of the library", "nobody knows", "the library does not"])
def test_what_speaks_against_a_reset(world: World, neighbour: bool, library: Processes, refusal: str, said: str) -> None:
    world.start("eve", D, "end")
    world.used(D, 60 * GIB)
    if neighbour:
        world.start("alice", A, "end")
    world.library, world.refuses_reset = library, refusal
    error = world.failure(D, reset_allowed=True, release=0)
    assert re.fullmatch(rf"61440 MiB are in use that no process holds, and {D} is not reset: {said}",
                        error.values["devices"][0]["reason"])
    assert world.resets == []
