# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""NICs, verbs devices and ports, from files of sysfs."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.seen import Gid, Nic, Port
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.shape import VerbsDevice
from ansible_collections.instinct.fleet.plugins.module_utils._node import verbs
from ansible_collections.instinct.fleet.plugins.module_utils._node.apart import UnreadableError
from ansible_collections.instinct.fleet.plugins.module_utils._node.machine import Machine
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree

BDF = "0000:c1:00.0"
IPV4, NO_GID = "0000:0000:0000:0000:0000:ffff:c000:0201", "0000:0000:0000:0000:0000:0000:0000:0000"


def test_devices_with_driver_and_abi(tree: Tree) -> None:
    files = {f"/sys/class/infiniband_verbs/{name}/{key}": f"{text}\n" for name, key, text in (
        ("uverbs10", "ibdev", "rxe0"), ("uverbs10", "abi_version", "2"), ("uverbs2", "ibdev", "mlx5_0"), ("uverbs2", "abi_version", "1"),
        ("uverbs3", "ibdev", "x0"), ("uverbs4", "dev", "231:196"), ("abi", "version", "6"))}
    tree.fill({**files, "/sys/class/infiniband/rxe0/parent": "eth0\n"})
    tree.link("/sys/class/infiniband/mlx5_0/device", "../../../devices/card")
    tree.link("/sys/devices/card/driver", "../../bus/pci/drivers/mlx5_core")
    tree.link("/sys/class/infiniband/rxe0/device", "../../../devices/card")  # kernels before 5.11 put Soft-RoCE below a NIC
    assert verbs.devices(tree.machine()) == (
        VerbsDevice("mlx5_0", "uverbs2", "mlx5_core", 1), VerbsDevice("x0", "uverbs3", None, None),
        VerbsDevice("rxe0", "uverbs10", "rdma_rxe", 2))


def test_nics_are_controllers_of_networks(tree: Tree) -> None:
    tree.pci("0000:05:00.0")
    tree.pci(BDF, "0x1021", "mlx5_core", vendor="0x15b3", **{"class": "0x020000"})
    tree.pci("0000:c2:00.0", "0x101b", None, vendor="0x15b3", **{"class": "0x020700"})
    assert verbs.nics(tree.machine()) == (Nic(BDF, "15b3", "1021", "mlx5_core"), Nic("0000:c2:00.0", "15b3", "101b", None))


def test_functions_of_a_bond_and_virtual_ones(tree: Tree) -> None:
    for number, master in enumerate(("bond0", "bond0", "br0")):
        tree.pci(f"0000:c1:00.{number}", "0x1021", "mlx5_core", vendor="0x15b3", **{"class": "0x020000"})
        tree.folder(f"/sys/bus/pci/devices/0000:c1:00.{number}/net/eth{number}")
        tree.link(f"/sys/class/net/eth{number}/master", f"../{master}")
    tree.folder("/sys/class/net/bond0/bonding")
    tree.folder("/sys/class/net/br0/bridge")
    tree.link("/sys/bus/pci/devices/0000:c1:00.2/physfn", "../0000:c1:00.0")
    assert [(nic.bond, nic.virtual) for nic in verbs.nics(tree.machine())] == [("bond0", False), ("bond0", False), (None, True)]


@pytest.mark.parametrize("read", [verbs.ports, verbs.devices])
def test_a_nic_that_hangs_holds_up_nobody(tree: Tree, monkeypatch: pytest.MonkeyPatch, read: Callable[[Machine], object]) -> None:
    monkeypatch.setattr(verbs, "_PATIENCE", 0.1)
    monkeypatch.setattr(Machine, "names", lambda _self, _path: time.sleep(60))
    with pytest.raises(UnreadableError, match="no answer from the driver in 0 s"):
        read(tree.machine())


def test_ports_with_their_gids(tree: Tree) -> None:
    port = "/sys/class/infiniband/mlx5_0/ports/1"
    tree.fill({f"{port}/link_layer": "Ethernet\n", f"{port}/state": "4: ACTIVE\n", f"{port}/gids/0": f"{NO_GID}\n",
               f"{port}/gids/10": f"{IPV4}\n", f"{port}/gids/9": f"{IPV4}\n", f"{port}/gid_attrs/types/10": "RoCE v2\n",
               f"{port}/gid_attrs/ndevs/0": "eth0\n", "/sys/class/net/eth0/mtu": "9000\n",
               "/sys/class/infiniband/rxe0/ports/1/link_layer": "Ethernet\n"})
    tree.link("/sys/class/infiniband/mlx5_0/device", f"../../../devices/{BDF}")
    tree.link("/sys/class/infiniband/rxe0/device", "../../../devices/virtual")
    assert verbs.ports(tree.machine()) == (
        Port("mlx5_0", 1, BDF, "Ethernet", "ACTIVE", (Gid(9, IPV4, ""), Gid(10, IPV4, "RoCE v2")), "eth0", 9000),
        Port("rxe0", 1, None, "Ethernet"))


class WithoutAttributes(Machine):
    """A kernel that answers EINVAL to attributes of a GID which has none."""

    def word(self, path: str) -> str | None:
        """Fail as such a file does."""
        if "gid_attrs" in path:
            raise UnreadableError(f"{path}: Invalid argument")
        return super().word(path)


def test_a_gid_without_attributes(tree: Tree) -> None:
    port = "/sys/class/infiniband/ib0/ports/1"
    tree.fill({f"{port}/link_layer": "InfiniBand\n", f"{port}/gids/0": f"{IPV4}\n"})
    assert verbs.ports(WithoutAttributes(str(tree.root))) == (Port("ib0", 1, None, "InfiniBand", gids=(Gid(0, IPV4, ""),)),)
