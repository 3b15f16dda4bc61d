# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""KFD topologies of real shape: one GPU, partitions numbered in either way, virtual functions."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import kfd

PROPERTIES = """cpu_cores_count 0
simd_count 304
vendor_id 4098
device_id 29857
location_id 1280
domain 0
drm_render_minor 128
hive_id 5438264347471328105
unique_id 12185337405268222537
"""


def test_parse_properties_reads_numbers_of_64_bits() -> None:
    assert kfd.parse_properties(PROPERTIES)["hive_id"] == 5438264347471328105


@pytest.mark.parametrize("text", ["location_id\n", "location_id 0x500\n", "name ip discovery\n"])
def test_parse_properties_refuses_another_form(text: str) -> None:
    with pytest.raises(DataError, match="KFD topology: line not understood"):
        kfd.parse_properties(text)


def gpu(number: int, location: int, minor: int | None = None, domain: int = 0) -> kfd.Node:
    """A GPU node at a location."""
    return kfd.Node(number, 1000 + number, domain, location, minor, 0, 0, 0x74A1)


def test_node_reads_what_the_look_needs() -> None:
    assert kfd.node(2, 24248, kfd.parse_properties(PROPERTIES), 5) == kfd.Node(
        number=2, gpu_id=24248, domain=0, location=1280, render_minor=128, hive=5438264347471328105,
        unique=12185337405268222537, device=29857, vram_bytes=5)


CPUS = [
    ("no gpu id", 0, {"simd_count": 304}),
    ("no SIMD units", 24248, {"simd_count": 0, "cpu_cores_count": 112}),
    ("nothing", 24248, {}),
]


@pytest.mark.parametrize(("gpu_id", "properties"), [c[1:] for c in CPUS], ids=[c[0] for c in CPUS])
def test_node_of_a_cpu_is_none(gpu_id: int, properties: dict[str, int]) -> None:
    assert kfd.node(0, gpu_id, properties) is None


def test_node_without_render_node_has_none_rather_than_zero() -> None:
    node = kfd.node(1, 7, {"simd_count": 4, "drm_render_minor": 0})
    assert node is not None
    assert node.render_minor is None


ADDRESSES = [
    ("bus 05", 1280, 0, "0000:05:00.0", "0000:05:00.0"),
    ("partition 3 in the function", 1283, 0, "0000:05:00.3", "0000:05:00.0"),
    ("partition 7 in the high bits", 0x70000500, 0, "0000:05:00.0", "0000:05:00.0"),
    ("device 2 and a domain", 0x8510, 2, "0002:85:02.0", "0002:85:02.0"),
    ("bus ff", 0xFF00, 0, "0000:ff:00.0", "0000:ff:00.0"),
]


@pytest.mark.parametrize(("location", "domain", "bdf", "gpu_bdf"), [c[1:] for c in ADDRESSES], ids=[c[0] for c in ADDRESSES])
def test_addresses_of_a_location(location: int, domain: int, bdf: str, gpu_bdf: str) -> None:
    node = gpu(1, location, domain=domain)
    assert (node.bdf, node.gpu_bdf) == (bdf, gpu_bdf)


A, B = "0000:05:00.0", "0000:80:00.0"
# id, nodes, PCI functions, address -> (partition, node number)
GROUPS = [
    ("two whole GPUs", [gpu(2, 0x500), gpu(3, 0x8000)], [A, B], {A: [(0, 2)], B: [(0, 3)]}),
    ("four partitions each, numbered in the function", [gpu(2 + i, 0x500 + i) for i in range(4)]
     + [gpu(6 + i, 0x8000 + i) for i in range(4)], [A, B],
     {A: [(i, 2 + i) for i in range(4)], B: [(i, 6 + i) for i in range(4)]}),
    ("eight partitions, numbered in the high bits", [gpu(1 + i, 0x500 | i << 28) for i in range(8)], [A],
     {A: [(i, 1 + i) for i in range(8)]}),
    ("partitions out of order", [gpu(9, 0x501), gpu(4, 0x502), gpu(7, 0x500)], [A], {A: [(0, 7), (1, 9), (2, 4)]}),
    ("partitions without a number", [gpu(5, 0x500), gpu(4, 0x500)], [A], {A: [(0, 4), (1, 5)]}),
    ("virtual functions are GPUs of their own", [gpu(1, 0x510), gpu(2, 0x511)], ["0000:05:02.0", "0000:05:02.1"],
     {"0000:05:02.0": [(0, 1)], "0000:05:02.1": [(0, 2)]}),
    ("same bus in two domains", [gpu(1, 0x500), gpu(2, 0x500, domain=1)], [A, "0001:05:00.0"],
     {A: [(0, 1)], "0001:05:00.0": [(0, 2)]}),
    ("nothing", [], [A], {}),
]


@pytest.mark.parametrize(("nodes", "bdfs", "groups"), [c[1:] for c in GROUPS], ids=[c[0] for c in GROUPS])
def test_partitions_are_grouped_by_gpu(
    nodes: list[kfd.Node], bdfs: list[str], groups: dict[str, list[tuple[int, int]]]
) -> None:
    found = kfd.partitions(nodes, bdfs)
    assert {bdf: [(number, node.number) for number, node in parts] for bdf, parts in found.items()} == groups


BANKS = [
    ("private and public frame buffer", ["heap_type 1\nsize_in_bytes 100\n", "heap_type 2\nsize_in_bytes 20\n"], 120),
    ("system memory is none", ["heap_type 0\nsize_in_bytes 100\n"], None),
    ("no bank", [], None),
]


@pytest.mark.parametrize(("banks", "size"), [c[1:] for c in BANKS], ids=[c[0] for c in BANKS])
def test_memory_sums_the_frame_buffer(banks: list[str], size: int | None) -> None:
    assert kfd.memory(banks) == size


def test_the_name_in_rocr() -> None:
    node = kfd.node(2, 9, kfd.parse_properties(PROPERTIES))
    assert node and node.rocr_uuid == "GPU-a91b03cf354ae249"
    bare = kfd.node(2, 9, {"simd_count": 304})
    assert bare and bare.rocr_uuid is None


@pytest.mark.parametrize(("links", "peers"), [
    ([], ()), (["type 2\nnode_to 3\nweight 20\n"], ()), (["type 11\nnode_to 3\nweight 15\n"], ("b",)), (["type 11\nnode_to 3\n"], ("b",)),
    # Two hops are no direct link, nor is that to a processor, and a partition is no peer of its own GPU.
    (["type 11\nnode_to 3\nweight 30\n", "type 11\nnode_to 0\nweight 15\n", "type 11\nnode_to 2\nweight 13\n"], ()),
    (["type 11\nnode_to 5\nweight 15\n", "type 11\nnode_to 4\nweight 15\n", "type 11\nnode_to 3\nweight 15\n"], ("b", "c")),
])
def test_peers(links: list[str], peers: tuple[str, ...]) -> None:
    assert kfd.peers(links, {1: "a", 2: "a", 3: "b", 4: "b", 5: "c"}, "a") == peers
