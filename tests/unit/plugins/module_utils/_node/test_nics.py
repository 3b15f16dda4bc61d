# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Firmware of NICs from sysfs, and from ethtool where sysfs does not tell."""

from __future__ import annotations

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import NicFirmware
from ansible_collections.instinct.fleet.plugins.module_utils._node import nics
from ansible_collections.instinct.fleet.plugins.module_utils._node.command import Ran
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree

A, B, C = "0000:05:00.0", "0000:26:00.0", "0000:46:00.0"
MLX5, BNXT, IONIC = ("0x15b3", "mlx5_core"), ("0x14e4", "bnxt_en"), ("0x1dd8", "ionic")


def function(tree: Tree, bdf: str, kind: tuple[str, str], interface: str | None = None) -> None:
    """Put a NIC on the bus."""
    folder = f"/sys/bus/pci/devices/{bdf}"
    tree.write(f"{folder}/vendor", f"{kind[0]}\n")
    tree.link(f"{folder}/driver", f"../../../bus/pci/drivers/{kind[1]}")
    if interface:
        tree.folder(f"{folder}/net/{interface}")
        tree.link(f"/sys/class/net/{interface}/device", f"../../../{bdf}")


def rdma(tree: Tree, name: str, bdf: str, **files: str) -> None:
    """Put an RDMA device on a NIC."""
    tree.link(f"/sys/class/infiniband/{name}/device", f"../../../{bdf}")
    tree.fill({f"/sys/class/infiniband/{name}/{file}": f"{text}\n" for file, text in files.items()})


def test_sysfs_tells_of_rdma_devices_without_any_command(tree: Tree) -> None:
    function(tree, B, MLX5, "eth0")
    rdma(tree, "mlx5_0", B, fw_ver="28.46.3048", board_id="MT_0000000838")
    function(tree, A, IONIC)
    rdma(tree, "rocep5s0", A, fw_ver="1.117.5-a-45")
    assert nics.read(tree.machine()) == ((
        NicFirmware(A, "rocep5s0", "ionic", "ionic", None, "1.117.5-a-45", "sysfs"),
        NicFirmware(B, "mlx5_0", "mlx5_core", "mlx5", "MT_0000000838", "28.46.3048", "sysfs")), {})
    assert tree.asked == []


def test_an_interface_without_rdma_device_is_asked_by_ethtool(tree: Tree) -> None:
    function(tree, A, BNXT, "ens1")
    tree.commands["ethtool -i ens1"] = Ran(0, "driver: bnxt_en\nfirmware-version: 231.0.162.0/pkg 231.1\n", "")
    assert nics.read(tree.machine()) == ((NicFirmware(A, "ens1", "bnxt_en", "bnxt", None, "231.0.162.0", "ethtool"),), {})


def test_what_does_not_tell_its_version_says_why(tree: Tree) -> None:
    function(tree, A, BNXT, "ens1")
    function(tree, B, MLX5)
    rdma(tree, "mlx5_0", B)
    function(tree, C, IONIC, "ens3")
    tree.commands["ethtool -i ens3"] = Ran(0, "driver: ionic\nfirmware-version: \n", "")
    found, unknown = nics.read(tree.machine())
    assert [(nic.version, nic.source) for nic in found] == [(None, None)] * 3
    assert unknown == {
        f"{A}.version": "ethtool cannot be run: No such file or directory",
        f"{B}.version": "the RDMA device states no version, and there is no interface to ask",
        f"{C}.version": "ethtool -i ens3 states no version of the firmware"}


def test_after_an_interface_that_hangs_no_other_is_asked(tree: Tree) -> None:
    function(tree, A, BNXT, "ens1")
    function(tree, B, BNXT, "ens2")
    tree.commands["ethtool -i ens1"] = None
    assert nics.read(tree.machine())[1] == {
        f"{A}.version": "it did not end in 5 s", f"{B}.version": "not asked, since ethtool -i ens1 did not end"}
    assert tree.asked == ["ethtool -i ens1"]


def test_others_are_left_out(tree: Tree) -> None:
    function(tree, A, ("0x14e4", "tg3"), "eno1")  # a known vendor's other driver
    function(tree, B, MLX5, "eth1")
    tree.folder(f"/sys/bus/pci/devices/{B}/physfn")  # a virtual function has the firmware of its card
    tree.folder("/sys/class/net/lo")
    tree.link("/sys/class/net/eth2/device", "../../../virtio0")
    rdma(tree, "rxe0", "eth0")
    assert nics.read(tree.machine()) == ((), {})


def test_an_rdma_device_of_no_known_family_is_listed_without_one(tree: Tree) -> None:
    function(tree, A, ("0x1077", "qedr"))
    rdma(tree, "qedr0", A, fw_ver="8.59.1.0")
    assert nics.read(tree.machine())[0] == (NicFirmware(A, "qedr0", "qedr", None, None, "8.59.1.0", "sysfs"),)
