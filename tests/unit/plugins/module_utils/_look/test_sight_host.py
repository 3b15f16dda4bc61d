# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The machine around simulated GPUs, as it is and with faults: what the simulator fabricates is what the readers read."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as look
from ansible_collections.instinct.fleet.plugins.module_utils._look.sight import Sight
from ansible_collections.instinct.fleet.plugins.module_utils._look.wanted import Wanted
from ansible_collections.instinct.fleet.tests.unit.plugins.simulated import SimulatedNode

A, PORT = "0000:05:00.0", "0000:02:01.1"


def seen(node: SimulatedNode) -> look.Host:
    """The section, without reasons of this machine's own."""
    host = Sight(node.machine()).take(["host"]).host
    assert host
    return host


def device(host: look.Host, bdf: str = A) -> look.PciDevice:
    """One device."""
    return next(found for found in host.devices if found.bdf == bdf)


# Product -> devices of a node with two GPUs, speed, size of the memory's BAR
PRODUCTS = [
    ("mi210", 8, 16000, 64 << 30), ("mi250x", 4, 16000, 64 << 30), ("mi300a", 4, 32000, 128 << 30), ("mi300x", 8, 32000, 256 << 30),
    ("mi325x", 8, 32000, 256 << 30), ("mi355x", 8, 32000, 512 << 30)]


@pytest.mark.parametrize(("product", "count", "speed", "size"), PRODUCTS, ids=[p[0] for p in PRODUCTS])
def test_a_healthy_node_of_each_product(tmp_path: Path, product: str, count: int, speed: int, size: int) -> None:
    host = seen(SimulatedNode(tmp_path, product))
    assert len(host.devices) == host.iommu_groups == count
    assert (host.iommu_types, host.lockdown, host.loaded_modules) == (("identity",), "none", ("amdgpu",))
    assert {found.link for found in host.devices} == {look.Link(16, 16, speed, speed)}
    assert [found.kind for found in host.devices[:3]] == ["gpu", "gpu", "root_port"]
    assert {found.acs for found in host.devices if found.kind != "gpu"} == {0}
    assert all((found.atomics or 0) & (0x180 if found.kind == "gpu" else 0x40) for found in host.devices)
    first = host.devices[0]
    assert (first.bars, first.bars_unplaced, first.atomics_requested, first.aer_correctable, first.aer_fatal) == (
        (size, 2 << 20, 512 << 10), (), True, 0, 0)
    assert {field for field in host.unknown if field.startswith(("devices", "iommu", "drm"))} == set()


# Fault, its arguments, what it changes
FAULTS: list[tuple[str, tuple[str, ...], t.Callable[[look.Host], t.Any], t.Any]] = [
    ("link_degraded", (), lambda host: device(host).link, look.Link(8, 16, 8000, 32000)),
    ("acs_on", ("gpu=0",), lambda host: [found.acs for found in host.devices if found.above == PORT or found.bdf == PORT], [0x1D, 0x1D]),
    ("iommu_translated", (), lambda host: host.iommu_types, ("DMA-FQ",)),
    ("iommu_translated", ("type=",), lambda host: (host.iommu_groups, host.iommu_types), (None, ())),
    ("drm_full", (), lambda host: (host.drm_devices, host.drm_minors, host.loaded_modules), ({"ast": 1, "amdgpu": 126}, 64, ("amdgpu", "ast"))),
    ("pcie_bad_tlp", ("count=5",), lambda host: (device(host).aer_correctable, device(host, "0000:04:00.0").aer_correctable), (5, 5)),
    ("probe_enomem", (), lambda host: (device(host).bars, device(host).bars_unplaced), ((2 << 20, 512 << 10), (256 << 30,))),
    ("gpu_lost", (), lambda host: (device(host).link, host.unknown[f"devices.{A}"]),
     (look.Link(), "the GPU does not answer on the bus: it reads as all ones")),
]


@pytest.mark.parametrize(("name", "arguments", "read", "wanted"), FAULTS, ids=[f"{f[0]} {' '.join(f[1])}" for f in FAULTS])
def test_a_fault(tmp_path: Path, name: str, arguments: tuple[str, ...], read: t.Callable[[look.Host], t.Any], wanted: t.Any) -> None:
    node = SimulatedNode(tmp_path, gpus=8)
    node.simulator("fault", name, *arguments)
    assert read(seen(node)) == wanted
    node.simulator("heal")
    assert read(seen(node)) != wanted if name != "gpu_lost" else device(seen(node)).link.width == 16


def test_wishes_reach_their_sections(tmp_path: Path) -> None:
    node = SimulatedNode(tmp_path)
    node.write("/dev/kmsg", "6,0,0,-;Linux version 6.1\n6,1,5,-;amdgpu 0000:05:00.0: amdgpu: GPU reset begin!\n")
    node.write("/etc/environment", "HSA_ENABLE_SDMA=0\n")
    pattern = {"id": "reset", "where": "kernel", "words": ["reset"], "patterns": ["GPU reset begin"]}
    found = Sight(node.machine(), Wanted(log_patterns=(pattern,), setting_names=({"name": "HSA_ENABLE_SDMA", "kind": "environment"},))).take(
        ["log", "settings"])
    assert found.log and found.settings
    assert [(hit.id, hit.subject) for hit in found.log.hits] == [("reset", A)]
    assert [(one.name, one.value) for one in found.settings.settings] == [("HSA_ENABLE_SDMA", "0")]
