# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The KFD topology on disk."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.kfd import Node
from ansible_collections.instinct.fleet.plugins.module_utils._node import topology
from ansible_collections.instinct.fleet.plugins.module_utils._node.apart import UnreadableError
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree


def test_read_gpu_nodes_by_number(tree: Tree) -> None:
    tree.kfd_cpu(0)
    tree.kfd_cpu(1)
    for number in (10, 2):
        tree.kfd_node(number, 0x500 * number, 126 + number)
    assert topology.read(tree.machine()) == tuple(
        Node(number, 40000 + number, 0, 0x500 * number, 126 + number, 0, 0, 0, 206141652992) for number in (2, 10))


def test_no_kfd_is_no_node(tree: Tree) -> None:
    assert topology.read(tree.machine()) == ()


def test_damaged_properties_are_refused(tree: Tree) -> None:
    tree.kfd_node(2, 0x500, 128)
    tree.write("/sys/class/kfd/kfd/topology/nodes/2/properties", "simd_count many\n")
    with pytest.raises(DataError, match="line not understood: 'simd_count many'"):
        topology.read(tree.machine())


def test_links_of_a_node(tree: Tree) -> None:
    with pytest.raises(UnreadableError, match=r"there is no link in /sys/.*/nodes/2/io_links"):
        topology.links(tree.machine(), 2)
    for number in (0, 1):
        tree.write(f"/sys/class/kfd/kfd/topology/nodes/2/io_links/{number}/properties", f"type 11\nnode_to {number}\n")
    tree.folder("/sys/class/kfd/kfd/topology/nodes/2/io_links/2")
    assert topology.links(tree.machine(), 2) == ("type 11\nnode_to 0\n", "type 11\nnode_to 1\n", "")
