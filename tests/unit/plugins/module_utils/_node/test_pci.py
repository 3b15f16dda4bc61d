# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Accelerators on the bus."""

from __future__ import annotations

from ansible_collections.instinct.fleet.plugins.module_utils._node import pci
from ansible_collections.instinct.fleet.plugins.module_utils._node.pci import Function
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree

WORDS = {"device": "0x74a1", "numa_node": "0", "current_link_width": "16", "max_link_width": "16",
         "current_link_speed": "32.0 GT/s PCIe", "max_link_speed": "32.0 GT/s PCIe"}


def test_read_only_amd_accelerators_in_pci_order(tree: Tree) -> None:
    tree.pci("0000:26:00.0", driver="vfio-pci")
    tree.pci("0000:05:00.0")
    tree.pci("0000:c6:00.0", "0x740f", None, **{"class": "0x038000"})
    tree.pci("0000:03:00.0", **{"class": "0x030000"})  # a Radeon with a screen
    tree.pci("0000:04:00.0", vendor="0x10de")
    tree.pci("0000:00:00.0", **{"class": "0x060000"})  # AMD's own bridge
    assert [(f.bdf, f.attributes.get("driver")) for f in pci.read(tree.machine())] == [
        ("0000:05:00.0", "amdgpu"), ("0000:26:00.0", "vfio-pci"), ("0000:c6:00.0", None)]


def test_read_what_the_bus_says(tree: Tree) -> None:
    tree.pci("0000:05:00.0")
    assert pci.read(tree.machine()) == (Function("0000:05:00.0", {**WORDS, "driver": "amdgpu"}, False, False),)


def test_sleep_and_virtual_functions_are_seen(tree: Tree) -> None:
    folder = tree.pci("0000:05:02.0", **{"power/runtime_status": "suspended"})
    tree.folder("/sys/bus/pci/devices/0000:05:00.0")
    tree.link(f"{folder}/physfn", "../0000:05:00.0")
    assert [(f.asleep, f.virtual) for f in pci.read(tree.machine())] == [(True, True)]


def test_no_bus_is_no_gpu(tree: Tree) -> None:
    assert pci.read(tree.machine()) == ()
