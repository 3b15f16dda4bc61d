# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a look tells of partitions: the modes, those that could be, and what takes minors of DRM beside the GPUs."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as look
from ansible_collections.instinct.fleet.plugins.module_utils._look.sight import Sight
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree
from ansible_collections.instinct.fleet.tests.unit.plugins.simulated import BINDINGS, SimulatedNode

A = "0000:05:00.0"


def gpus(node: SimulatedNode) -> tuple[str, tuple[look.Gpu, ...], dict[str, str]]:
    """Which source answered, the GPUs, and what is unknown of their partitions."""
    seen = Sight(node.machine()).take(["smi", "gpus"])
    assert seen.smi and seen.gpus
    unknown = {field: why for field, why in seen.gpus.unknown.items() if "compute" in field or "memory_p" in field}
    return seen.smi.source, seen.gpus.gpus, unknown


@pytest.mark.parametrize("rocm", [None, *BINDINGS])
def test_modes_that_are_and_could_be_are_told_by_either_source(tmp_path: Path, rocm: str | None) -> None:
    node = SimulatedNode(tmp_path)
    if rocm:
        node.install(rocm)
    source, found, unknown = gpus(node)
    assert (source, unknown) == ("amdsmi" if rocm else "sysfs", {})
    assert [(g.compute_partition, g.memory_partition) for g in found] == [("SPX", "NPS1")] * 2
    assert [g.available_compute for g in found] == [("SPX", "DPX", "QPX", "CPX")] * 2
    assert [g.available_memory for g in found] == [("NPS1", "NPS2", "NPS4")] * 2


@pytest.mark.parametrize("rocm", [None, "7.0.2"])
def test_a_gpu_that_has_no_partitions_tells_none(tmp_path: Path, rocm: str | None) -> None:
    node = SimulatedNode(tmp_path, "mi210", gpus=1)
    if rocm:
        node.install(rocm)
    _source, (gpu,), unknown = gpus(node)
    assert (gpu.compute_partition, gpu.available_compute, gpu.memory_partition, gpu.available_memory) == (None, (), None, ())
    assert unknown == {}


@pytest.mark.parametrize(("faults", "displays"), [((), 0), (("drm_full",), 1)])
def test_displays(tmp_path: Path, faults: t.Sequence[str], displays: int) -> None:
    node = SimulatedNode(tmp_path, gpus=8)
    for fault in faults:
        node.simulator("fault", fault)
    devices = Sight(node.machine()).take(["devices"]).devices
    assert devices and (devices.displays, devices.unknown) == (displays, {})


@pytest.mark.parametrize(("product", "size"), [("mi100", 4), ("mi300x", 8)])
def test_links_and_near_cpus(tmp_path: Path, product: str, size: int) -> None:
    seen = Sight(SimulatedNode(tmp_path, product, gpus=8).machine()).take(["gpus"]).gpus
    assert seen and "xgmi_peers" not in str(seen.unknown)
    names = [gpu.bdf for gpu in seen.gpus]
    islands = [names[first:first + size] for first in range(0, 8, size)]
    assert [gpu.xgmi_peers for gpu in seen.gpus] == [
        tuple(name for name in island if name != own) for island in islands for own in island]
    assert [gpu.near_cpus for gpu in seen.gpus] == ["0-47"] * 4 + ["48-95"] * 4
    assert len({gpu.partitions[0].rocr_uuid for gpu in seen.gpus}) == 8


def test_links_that_cannot_be_read_are_unknown(tmp_path: Path) -> None:
    node = SimulatedNode(tmp_path)
    node.write("/sys/devices/virtual/kfd/kfd/topology/nodes/2/io_links/1/properties", "type XGMI")
    seen = Sight(node.machine()).take(["gpus"]).gpus
    assert seen and [gpu.xgmi_peers for gpu in seen.gpus] == [None, (A,)]
    assert seen.unknown[f"{A}.xgmi_peers"] == "KFD topology: line not understood: 'type XGMI'"


def test_a_gpu_without_driver_has_no_links(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.pci(A, driver=None, local_cpulist="0-47")
    seen = Sight(tree.machine()).take(["gpus"]).gpus
    assert seen and [(gpu.xgmi_peers, gpu.near_cpus) for gpu in seen.gpus] == [(None, "0-47")]
