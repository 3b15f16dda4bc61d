# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Devices that can be reserved, from a look."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.gpus import Gpu, Gpus, Partition
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.shape import LogicalDevice
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation import device
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.shape import Device

BDF, NODE = "0000:05:00.0", "/dev/dri/renderD128"
WHOLE = LogicalDevice(BDF, 0, 0, 0, "SPX", "NPS1", "MI300X", 8, 304, 1000, 0, 1, NODE, "UUID", True, "GPU-UUID")


def gpu(*rocr: str | None) -> Gpu:
    return Gpu(0, BDF, "74a1", vram_bytes=2000, near_cpus="0-15", xgmi_peers=("0000:26:00.0",),
               partitions=tuple(Partition(number, rocr_uuid=name) for number, name in enumerate(rocr)))


@pytest.mark.parametrize(("seen", "uuid", "memory"), [
    (WHOLE, "UUID", 1000),
    # What the layout does not know of a whole GPU, the look may.
    (dc.replace(WHOLE, uuid=None, memory_bytes=None), "GPU-UUID", 2000),
])
def test_a_whole_gpu(seen: LogicalDevice, uuid: str, memory: int) -> None:
    assert device.devices(Gpus((gpu("GPU-a"),)), [seen]) == (
        Device(BDF, BDF, 0, 1, "MI300X", uuid, "GPU-a", NODE, 1, "0-15", memory, 304, ("0000:26:00.0",)),)


@pytest.mark.parametrize(("rocr", "named"), [
    (("GPU-a", "GPU-b"), ["GPU-a", "GPU-b"]), (("GPU-a", "GPU-a"), [None, None]), ((None, "GPU-b"), [None, "GPU-b"]),
])
def test_partitions(rocr: tuple[str | None, ...], named: list[str | None]) -> None:
    parts = [dc.replace(WHOLE, partition=number, uuid=None, memory_bytes=None) for number in (0, 1)]
    found = device.devices(Gpus((gpu(*rocr),)), parts)
    assert [(one.id, one.of, one.uuid, one.memory_bytes) for one in found] == [
        (f"{BDF}-0", 2, None, None), (f"{BDF}-1", 2, None, None)]
    assert [one.rocr_uuid for one in found] == named
