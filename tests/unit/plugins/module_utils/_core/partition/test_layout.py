# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The logical devices of a node."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.gpus import Gpu, Partition
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.capabilities import (
    Capabilities,
    Pair,
    ProductModes,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.layout import layout, refuse_unknown
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.shape import GpuWanted, LogicalDevice
from ansible_collections.instinct.fleet.tests.unit.support.layouts import BDFS, CAPABILITIES, devices, gpu, node, wanted

MIB = 1024 * 1024


def test_what_is_there_is_told_as_it_was_seen():
    first, last = (devices(gpus=node(*(gpu(index, "CPX", "NPS4", 8) for index in range(8))))[place] for place in (0, 63))
    assert first == LogicalDevice(
        gpu="0000:05:00.0", gpu_index=0, partition=0, index=0, compute="CPX", memory="NPS4", product="MI300X", xcds=1,
        compute_units=38, memory_bytes=24574 * MIB, memory_domain=0, numa_node=0, render_node="/dev/dri/renderD128",
        uuid="uuid-0-0", seen=True)
    assert last == dc.replace(first, gpu="0000:e5:00.0", gpu_index=7, partition=7, index=63, memory_domain=3, numa_node=1,
                              render_node="/dev/dri/renderD191", uuid="uuid-7-7")


def test_what_is_wanted_is_predicted_and_says_so():
    found = devices("CPX/NPS4")
    assert [device.index for device in found] == list(range(64))
    assert [device.render_node for device in found] == [f"/dev/dri/renderD{minor}" for minor in range(128, 192)]
    assert {(device.seen, device.uuid) for device in found} == {(False, None)}


@pytest.mark.parametrize(("name", "words"), [("gpus", "GPUs"), ("partitions", "partitions")])
def test_what_is_not_known_is_not_none(name, words):
    refuse_unknown(node(gpu(0)))
    with pytest.raises(FleetError) as caught:
        refuse_unknown(dc.replace(node(gpu(0)), unknown={name: "no permission"}))
    assert caught.value.sentence == f"node: which {words} it has is unknown: no permission; mend that on the node"


@pytest.mark.parametrize("asked", [None, "CPX/NPS4"])
def test_each_device_names_its_gpu(asked):
    gpus = node(dc.replace(gpu(0), uuid="g"))
    found = layout(gpus, CAPABILITIES, wanted(asked, 0) if asked else None)
    assert {(one.gpu_uuid, one.seen) for one in found} == {("g", asked is None)}


@pytest.mark.parametrize(("product", "mode", "count", "xcds", "units", "mib", "domains"), [
    ("MI300X", "SPX/NPS1", 1, 8, 304, 196592, [0]),
    ("MI300X", "DPX/NPS2", 2, 4, 152, 98296, [0, 1]),
    ("MI300X", "QPX/NPS1", 4, 2, 76, 49148, [0, 0, 0, 0]),
    ("MI300X", "CPX/NPS1", 8, 1, 38, 24574, [0] * 8),
    ("MI300X", "CPX/NPS4", 8, 1, 38, 24574, [0, 0, 1, 1, 2, 2, 3, 3]),
    ("MI300A", "SPX/NPS1", 1, 6, 228, 131072, [0]),
    # The memory of an APU is shared with its cores.
    ("MI300A", "TPX/NPS1", 3, 2, 76, None, [0, 0, 0]),
    ("MI300A", "CPX/NPS1", 6, 1, 38, None, [0] * 6),
])
def test_each_device_has_its_share(product, mode, count, xcds, units, mib, domains):
    gpus = node(gpu(0, None, None, 0, product=product))
    found = layout(gpus, CAPABILITIES, wanted(mode, 0))
    assert len(found) == count
    assert {(one.xcds, one.compute_units) for one in found} == {(xcds, units)}
    assert {one.memory_bytes for one in found} == {None if mib is None else mib * MIB}
    assert [one.memory_domain for one in found] == domains


@pytest.mark.parametrize(("one", "expected"), [
    pytest.param(gpu(0, None, None, 1, product="MI210"), ("", "", 1, 104, 65520 * MIB, 0), id="no modes: the whole GPU"),
    pytest.param(gpu(0, "DPX", "NPS2", 2, product=None), ("DPX", "NPS2", None, None, None, 0), id="a product nobody knows"),
    pytest.param(gpu(0, "SPX", "NPS1", 1, virtual_function=True), ("SPX", "NPS1", None, None, None, 0), id="a guest"),
    pytest.param(gpu(0, "SPX", "NPS4", 1), ("SPX", "NPS4", 8, 304, None, None), id="modes that do not go together"),
    pytest.param(gpu(0, "CPX", None, 8), ("CPX", "", 1, 38, None, None), id="memory mode that was not told"),
    pytest.param(gpu(0, "QPX", "NPS2", 4), ("QPX", "NPS2", 2, 76, 49148 * MIB, 0), id="a pair that no table lists"),
    pytest.param(gpu(0, "XYZ", "all", 1), ("", "", 8, 304, 196592 * MIB, 0), id="modes that are none"),
])
def test_what_cannot_be_told_is_not_told(one: Gpu, expected):
    first = layout(node(one), CAPABILITIES)[0]
    assert (first.compute, first.memory, first.xcds, first.compute_units, first.memory_bytes, first.memory_domain) == expected
    assert first.seen


def test_it_is_what_a_real_node_showed():
    """An MI300X in halves: ROCm/k8s-gpu-dra-driver#20 has bytes, compute units and render nodes of eight."""
    found = layout(node(), CAPABILITIES, wanted("DPX/NPS1"))
    assert {(one.memory_bytes, one.compute_units) for one in found} == {(103070826496, 152)}
    assert [one.render_node for one in found if not one.partition][:3] == [f"/dev/dri/renderD{minor}" for minor in (128, 136, 144)]


def test_a_share_is_of_whole_pages():
    thirds = Capabilities({"X": ProductModes("X", 3, 6, 1, "reload", (Pair("TPX", "NPS1", 3, ()),))})
    assert [one.memory_bytes for one in layout(node(gpu(0, product="X")), thirds, wanted("TPX/NPS1", 0))] == [85 * 4096] * 3


def test_sizes_go_by_the_mode_even_if_a_device_is_missing():
    found = layout(node(gpu(0, "CPX", "NPS1", 7)), CAPABILITIES)
    assert [(one.xcds, one.compute_units) for one in found] == [(1, 38)] * 7


def test_gpus_that_are_not_wanted_otherwise_stay():
    found = layout(node(gpu(0), gpu(1, "CPX", "NPS1", 8), gpu(2)), CAPABILITIES,
                   (*wanted("SPX/NPS1", 0), *wanted("DPX/NPS2", 2)))
    assert [(one.gpu_index, one.partition, one.seen) for one in found] == [
        (0, 0, True), *[(1, number, True) for number in range(8)], (2, 0, False), (2, 1, False)]
    assert [one.index for one in found] == list(range(11))


@pytest.mark.parametrize(("gpus", "nodes"), [
    pytest.param(node(gpu(0, driver=None, count=0)), [None, None], id="no node was seen"),
    pytest.param(node(gpu(0, partitions=(Partition(0),))), [None, None], id="a device without a node"),
    pytest.param(node(gpu(0, partitions=(Partition(1, "/dev/dri/renderD129"),))), [None, None], id="not the first"),
    pytest.param(node(gpu(0, partitions=(Partition(0, "/dev/dri/card1"),))), [None, None], id="a card is no render node"),
    pytest.param(node(gpu(0, partitions=(Partition(0, "/dev/dri/renderD191"),))), [191, None], id="the last in a row"),
    pytest.param(node(gpu(0), gpu(1, partitions=(Partition(0, "/dev/dri/renderD129"),))), [128, None],
                 id="the next GPU has the number"),
    pytest.param(node(gpu(0), gpu(1, partitions=(Partition(0, "/dev/dri/renderD130"),))), [128, 129], id="room for two"),
])
def test_a_render_node_is_predicted_only_where_the_kernels_rule_tells_it(gpus, nodes):
    found = [one.render_node for one in layout(gpus, CAPABILITIES, wanted("DPX/NPS2", 0)) if one.gpu_index == 0]
    assert found == [None if minor is None else f"/dev/dri/renderD{minor}" for minor in nodes]


def test_a_gpu_without_devices_is_predicted_even_if_its_modes_are_those_wanted():
    found = layout(node(gpu(0, count=0)), CAPABILITIES, wanted("SPX/NPS1", 0))
    assert [(one.seen, one.render_node) for one in found] == [(False, None)]


@pytest.mark.parametrize("mode", ["SPX/NPS1", "CPX/NPS4"])
def test_a_gpu_that_cannot_be_partitioned_stays_as_it_is(mode):
    gpus = node(gpu(0, None, None, 1, product="MI210"))
    assert layout(gpus, CAPABILITIES, wanted(mode, 0)) == layout(gpus, CAPABILITIES)


def test_devices_of_a_mode_are_counted_without_a_table_where_its_name_says_how_many():
    found = layout(node(gpu(0, product=None)), CAPABILITIES, wanted("QPX/NPS4", 0))
    assert [(one.partition, one.memory_domain, one.xcds, one.memory_bytes) for one in found] == [
        (number, number, None, None) for number in range(4)]


@pytest.mark.parametrize(("asked", "sentence"), [
    (GpuWanted("0000:ff:00.0", "SPX", "NPS1"), "gpu 0000:ff:00.0: is not on the node; look at the node again"),
    (GpuWanted(BDFS[0], "CPX", "NPS1"), "gpu 0000:05:00.0: how many devices CPX makes of it is not known; add the product to "
                                        "a directory of gpu_partition_catalogue_dirs"),
    (GpuWanted(BDFS[1], "CPX", "NPS1"), "gpu 0000:26:00.0: how many devices CPX makes of MI999 is not known; add the product "
                                        "to a directory of gpu_partition_catalogue_dirs"),
])
def test_what_cannot_be_predicted_is_refused(asked, sentence):
    with pytest.raises(FleetError) as caught:
        layout(node(gpu(0, product=None), gpu(1, product="MI999")), CAPABILITIES, (asked,))
    assert caught.value.sentence == sentence
