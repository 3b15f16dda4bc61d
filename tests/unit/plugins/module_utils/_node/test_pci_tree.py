# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""GPUs and what is above them, from files of sysfs."""

from __future__ import annotations

import struct

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Link, PciDevice
from ansible_collections.instinct.fleet.plugins.module_utils._node import pci, pci_tree
from ansible_collections.instinct.fleet.plugins.module_utils._node.notes import Notes
from ansible_collections.instinct.fleet.tests.unit.plugins.config_space import EXPRESS_AT, config_space
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree

GPU, SECOND, SWITCH, PORT = "0000:03:00.0", "0000:04:00.0", "0000:02:00.0", "0000:00:01.1"
PLACED = "0x0000020000000000 0x0000023fffffffff 0x000000000014220c\n"
FULL = Link(16, 16, 32000, 32000)


def bridge(tree: Tree, bdf: str, place: str, **space: int) -> None:
    """Put a bridge at a place under /sys/devices and on the bus."""
    tree.fill({f"{place}/vendor": "0x1022\n", f"{place}/device": "0x14ab\n"})
    tree.write(f"{place}/config", bytes(config_space(header=1, **space)))
    tree.link(f"/sys/bus/pci/devices/{bdf}", f"../../../{place.removeprefix('/sys/')}")


def gpu(tree: Tree, bdf: str, place: str, config: bytes) -> None:
    """Put a GPU at a place under /sys/devices and on the bus."""
    folder = tree.pci(bdf)
    (tree.root / folder.lstrip("/")).rename(tree.root / "moved")
    (tree.root / place.lstrip("/")).parent.mkdir(parents=True, exist_ok=True)
    (tree.root / "moved").rename(tree.root / place.lstrip("/"))
    tree.link(folder, f"../../../{place.removeprefix('/sys/')}")
    tree.write(f"{place}/config", config)
    tree.fill({f"{place}/resource": PLACED, f"{place}/aer_dev_correctable": "BadTLP 2\nTOTAL_ERR_COR 2\n",
               f"{place}/aer_dev_fatal": "TOTAL_ERR_FATAL 0\n", f"{place}/aer_dev_nonfatal": "TOTAL_ERR_NONFATAL 1\n"})


def node(tree: Tree, config: bytes) -> None:
    """Two GPUs below one switch, which is below one root port."""
    above = f"/sys/devices/pci0000:00/{PORT}/{SWITCH}"
    gpu(tree, GPU, f"{above}/{GPU}", config)
    gpu(tree, SECOND, f"{above}/{SECOND}", config)
    bridge(tree, SWITCH, above, port=5, atomics=0x40, acs=0x1D)
    bridge(tree, PORT, f"/sys/devices/pci0000:00/{PORT}", port=4, atomics=0x3C0, acs=0)


def read(tree: Tree, **options: int) -> tuple[tuple[PciDevice, ...], Notes]:
    """The devices and what could not be read of them."""
    machine, notes = tree.machine(**options), Notes()
    return pci_tree.read(machine, pci.read(machine), notes), notes


def test_a_node_with_a_switch(tree: Tree) -> None:
    node(tree, bytes(config_space()))
    devices, unknown = read(tree)
    shape = {"vendor": "1002", "device": "74a1", "kind": "gpu", "above": SWITCH, "link": FULL, "bars": (256 << 30,), "atomics": 0x180,
             "atomics_requested": True, "aer_correctable": 2, "aer_fatal": 1}
    assert devices == (
        PciDevice(bdf=GPU, **shape), PciDevice(bdf=SECOND, **shape),
        PciDevice(PORT, "1022", "14ab", "root_port", None, FULL, acs=0, atomics=0x3C0, atomics_requested=True),
        PciDevice(SWITCH, "1022", "14ab", "bridge", PORT, FULL, acs=0x1D, atomics=0x40, atomics_requested=True))
    assert unknown == {}


def test_a_gpu_without_a_bridge(tree: Tree) -> None:
    gpu(tree, GPU, f"/sys/devices/pci0000:00/{GPU}", bytes(config_space()))
    devices, unknown = read(tree)
    assert [(device.bdf, device.kind, device.above) for device in devices] == [(GPU, "gpu", None)]
    assert unknown == {}


SHORT = "configuration space beyond its header needs root"


@pytest.mark.parametrize(("config", "width", "unknown"), [
    (bytes(config_space(bars=(0xC,)))[:64], 16, {f"devices.{GPU}.{name}": SHORT for name in ("acs", "atomics", "atomics_requested")}),
    (bytes(config_space())[:256], 16, {f"devices.{GPU}.acs": "the kernel cannot read extended configuration space"}),
    (b"\xff" * 64, None, {f"devices.{GPU}": "the GPU does not answer on the bus: it reads as all ones"}),
], ids=["others than root", "no extended space", "off the bus"])
def test_what_cannot_be_read(tree: Tree, config: bytes, width: int | None, unknown: dict[str, str]) -> None:
    gpu(tree, GPU, f"/sys/devices/pci0000:00/{GPU}", config)
    (device,), notes = read(tree)
    assert (device.link.width, device.acs, device.bars) == (width, None, (256 << 30,))
    assert notes == unknown


def test_a_link_as_the_bus_tells_it_and_as_the_device_does(tree: Tree) -> None:
    config = config_space()
    struct.pack_into("<H", config, EXPRESS_AT + 18, 8 << 4 | 3)
    gpu(tree, GPU, f"/sys/devices/pci0000:00/{GPU}", bytes(config))
    assert read(tree)[0][0].link == Link(8, 16, 8000, 32000)
    tree.write(f"/sys/devices/pci0000:00/{GPU}/config", bytes(config[:64]))
    assert read(tree)[0][0].link == FULL


def test_a_suspended_gpu_is_not_woken(tree: Tree) -> None:
    gpu(tree, GPU, f"/sys/devices/pci0000:00/{GPU}", bytes(config_space(acs=1)))
    tree.write(f"/sys/devices/pci0000:00/{GPU}/power/runtime_status", "suspended\n")
    (device,), notes = read(tree)
    assert (device.link, device.acs, device.atomics) == (Link(), None, None)
    assert notes == {f"devices.{GPU}": "it is suspended, reading this would wake it"}


def test_no_time_is_left(tree: Tree) -> None:
    node(tree, bytes(config_space()))
    machine, notes = tree.machine(), Notes()
    functions = pci.read(machine)
    devices = pci_tree.read(tree.machine(timeout=0), functions, notes)
    assert [(device.bdf, device.kind, device.above) for device in devices] == [
        (GPU, "gpu", SWITCH), (SECOND, "gpu", SWITCH), (PORT, "root_port", None), (SWITCH, "bridge", PORT)]
    assert set(notes.values()) == {"the time of 0 s is used up"}
