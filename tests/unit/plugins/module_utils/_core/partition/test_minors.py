# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""DRM devices that a layout takes against those that the kernel has numbers for."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.gpus import Gpus, Partition
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.capabilities import (
    Capabilities,
    MinorLimit,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.circumstances import Circumstances
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.minors import refuse_too_many
from ansible_collections.instinct.fleet.tests.unit.support.partition_data import own
from ansible_collections.instinct.fleet.tests.unit.support.partitions import BDFS, asked, gpu, node, plan, refusal

OLD, NEW = "6.8.0-134-generic", "6.14.0-27-generic"


@pytest.mark.parametrize(("kernel", "displays", "mode", "sentence"), [
    (OLD, 0, "CPX/NPS4", ""), (NEW, 3, "CPX/NPS4", ""), (OLD, 32, "QPX/NPS4", ""), ("6.6.60", 9, "CPX/NPS4", ""),
    (OLD, 1, "CPX/NPS4",
     "node: the layout needs 64 DRM devices and the 1 of other display adapters, and kernel 6.8.0-134-generic has numbers for "
     "64; keep the drivers of other adapters out (host_tuning_also: [blacklist-ast]), boot a newer kernel, or choose fewer partitions "
     "(source: ROCm/amdgpu-docs:docs/gpu-partitioning/mi300x/troubleshooting.rst @67902e24)"),
    (OLD, 33, "QPX/NPS4",
     "node: the layout needs 32 DRM devices and the 33 of other display adapters, and kernel 6.8.0-134-generic has numbers for "
     "64; keep the drivers of other adapters out (host_tuning_also: [blacklist-ast]), boot a newer kernel, or choose fewer partitions "
     "(source: ROCm/amdgpu-docs:docs/gpu-partitioning/mi300x/troubleshooting.rst @67902e24)"),
])
def test_a_layout_needs_numbers(kernel: str, displays: int, mode: str, sentence: str) -> None:
    assert refusal(node(), mode, kernel=kernel, displays=displays) == sentence


def test_gpus_that_stay_are_counted_too() -> None:
    gpus = Gpus((*node(mode="CPX/NPS1").gpus[:7], gpu(7)))
    assert refusal(gpus, asked(gpus, "DPX/NPS1", 7), kernel=OLD, displays=6) == ""
    assert "needs 58 DRM devices and the 7" in refusal(gpus, asked(gpus, "DPX/NPS1", 7), kernel=OLD, displays=7)


def test_without_displays_more_than_there_are() -> None:
    gpus = Gpus(tuple(gpu(i % 8, bdf=f"0000:{i:02x}:00.0") for i in range(9)))
    assert refusal(gpus, "CPX/NPS4", kernel=OLD, displays=None).startswith(
        "node: the layout needs 72 DRM devices, and kernel 6.8.0-134-generic has numbers for 64; ")


@pytest.mark.parametrize(("shown", "refused"), [(7, True), (8, False)])
def test_a_node_that_shows_more_devices_than_its_kernel_should_have_is_believed(shown: int, refused: bool) -> None:
    parts = [tuple(Partition(part) for part in range(8 if i else shown)) for i in range(8)]
    gpus = Gpus(tuple(gpu(i, mode="CPX/NPS1", partitions=parts[i]) for i in range(8)))
    assert bool(refusal(gpus, "CPX/NPS4", kernel=OLD, displays=1)) is refused


def test_unknown_displays_are_noted_where_there_is_no_room_for_one() -> None:
    words = ("the layout takes all 64 DRM devices that kernel 6.8.0-134-generic has numbers for, and whether other display "
             "adapters take some is unknown: no permission")
    untold = {"kernel": OLD, "displays": None, "displays_error": "no permission"}
    assert plan(node(), "CPX/NPS4", **untold).notes[-1] == words
    assert words not in plan(node(), "QPX/NPS4", **untold).notes
    assert words not in plan(node(), "CPX/NPS4", **{**untold, "kernel": NEW}).notes


def test_what_is_not_known_takes_one_number() -> None:
    gpus = Gpus((gpu(0, product=None), gpu(1, compute_partition=None), gpu(2, compute_partition="TPX")))
    known = Capabilities(own().products, (), (MinorLimit((6,), 4, ("a page",)),))
    with pytest.raises(FleetError, match=r"needs 5 DRM devices, and kernel 6\.8 has numbers for 4"):
        refuse_too_many(gpus, {}, known, Circumstances(kernel="6.8", displays=0))
    assert refuse_too_many(gpus, {BDFS[2]: "SPX"}, known, Circumstances(kernel="6.8", displays=0)) == ()


def test_a_kernel_that_no_record_is_for_has_no_limit() -> None:
    known = Capabilities(own().products)
    assert refuse_too_many(node(mode="CPX/NPS1"), {}, known, Circumstances(kernel=None, displays=99)) == ()
