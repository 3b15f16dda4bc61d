# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What an eviction returns."""

from __future__ import annotations

from ansible_collections.instinct.fleet.plugins.module_utils._core.eviction import report
from ansible_collections.instinct.fleet.plugins.module_utils._core.eviction.order import plan
from ansible_collections.instinct.fleet.plugins.module_utils._core.eviction.shape import Fate, Kept, Target
from ansible_collections.instinct.fleet.tests.unit.support.evictions import (
    DEVICES,
    GIB,
    RECORD,
    RULES,
    C,
    D,
    holder,
    request,
)

TRAIN, DEV = holder(9, "train", C), holder(8, "dev", C, D)
PLAIN = {"pid": 9, "start": 1009, "command": "python3", "user": "bob", "unit": None, "tenant": "train",
         "devices": [{"device": C, "vram_bytes": 12 * GIB}]}


def test_processes_with_what_became_of_them() -> None:
    fates = [Fate(Target(TRAIN, "P1"), "SIGTERM", 0.12345), Fate(Target(DEV, "P2"), "stays")]
    found = report.processes(fates)
    assert found[0] == {**PLAIN, "priority": "P1", "result": "SIGTERM", "seconds": 0.123}
    assert (found[1]["pid"], found[1]["result"], found[1]["seconds"]) == (8, "stays", None)
    assert report.survivors(fates) == [8]


def test_processes_before_anything_is_done() -> None:
    (found,) = report.foreseen(plan(request(C), [TRAIN], RECORD, RULES))
    assert found == {**PLAIN, "priority": "P1", "result": "would_go", "seconds": None}


def test_those_kept() -> None:
    assert report.kept([Kept(TRAIN, "why")]) == [{**PLAIN, "reason": "why"}]


def test_devices_before_and_after() -> None:
    found = report.devices(DEVICES[2:], [TRAIN, DEV], [TRAIN], {C: 5}, {D: "it leaks"}, [Kept(TRAIN, "why")])
    assert found == [
        {"device": C, "released": False, "reason": "pid 9 (python3, bob, tenant train) stays: why", "vram_bytes_before": 24 * GIB,
         "vram_bytes_after": 12 * GIB, "driver_bytes_after": 5, "pids_before": [9, 8], "pids_after": [9]},
        {"device": D, "released": False, "reason": "it leaks", "vram_bytes_before": 12 * GIB, "vram_bytes_after": 0,
         "driver_bytes_after": None, "pids_before": [8], "pids_after": []}]
    assert report.freed(found) == 24 * GIB
    free = report.devices(DEVICES[3:], [DEV], [], {}, {}, [])
    assert (free[0]["released"], free[0]["reason"]) == (True, "")


def test_what_is_unknown_is_not_nothing() -> None:
    unknown = holder(8, "dev", devices={C: None})
    found = report.devices(DEVICES[2:3], [TRAIN, unknown], [], {}, {}, [])
    assert (found[0]["vram_bytes_before"], report.freed(found)) == (None, None)


def test_memory_that_came_is_none_that_was_freed() -> None:
    assert report.freed(report.devices(DEVICES[2:3], [], [TRAIN], {}, {}, [])) == 0


def test_the_difference_is_a_line_for_each_process_on_each_device() -> None:
    assert report.diff((C, D), [TRAIN, DEV], [TRAIN]) == {
        "before_header": "devices", "after_header": "devices",
        "before": f"{C} pid 9 (python3, bob, tenant train) 12.0 GiB\n{C} pid 8 (python3, bob, tenant dev) 12.0 GiB\n"
                  f"{D} pid 8 (python3, bob, tenant dev) 12.0 GiB\n",
        "after": f"{C} pid 9 (python3, bob, tenant train) 12.0 GiB\n"}
