# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run says of devices."""

from __future__ import annotations

import dataclasses as dc

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Gpus
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.shape import LogicalDevice
from ansible_collections.instinct.fleet.plugins.module_utils._partition import report
from ansible_collections.instinct.fleet.tests.unit.plugins.partition_world import A, B, World

WHOLE = LogicalDevice(A, 0, 0, 0, "SPX", "NPS1", "MI300X", 8, 304, 196592 << 20, 0, 1, "/dev/dri/renderD128")
PART = dc.replace(WHOLE, compute="CPX", memory="NPS4", partition=3, xcds=1, memory_bytes=24574 << 20, memory_domain=1)
LITTLE = LogicalDevice(A, 0, 0, 0, "SPX", "NPS1")


def test_a_line_for_each_device() -> None:
    assert report.table([WHOLE, PART, LITTLE]).splitlines() == [
        f"{A}/0 MI300X SPX/NPS1 8 XCDs 196592 MiB NUMA 1", f"{A}/3 MI300X CPX/NPS4 1 XCD 24574 MiB NUMA 1", f"{A}/0 SPX/NPS1"]


def test_a_difference_is_of_what_a_person_sees() -> None:
    assert report.diff([WHOLE], [dc.replace(WHOLE, uuid="u", seen=True, render_node=None)]) == ()
    (entry,) = report.diff([WHOLE], [PART])
    assert (entry["before"], entry["after"]) == (report.table([WHOLE]), report.table([PART]))


def test_modes_of_each_gpu(world: World) -> None:
    seen = world.look(("gpus",)).gpus or Gpus()
    unknown = dc.replace(seen.gpus[1], memory_partition=None)
    assert report.shown(Gpus((seen.gpus[0], unknown))) == {A: "SPX/NPS1", B: "unknown"}
