# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ports of RDMA devices, from files of sysfs."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import RdmaPort
from ansible_collections.instinct.fleet.plugins.module_utils._node import rdma
from ansible_collections.instinct.fleet.plugins.module_utils._node.apart import UnreadableError
from ansible_collections.instinct.fleet.plugins.module_utils._node.machine import Machine
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree


def port(tree: Tree, device: str, number: int = 1, **files: str) -> None:
    """Put a port under the class; __ in a name stands for /."""
    folder = f"/sys/class/infiniband/{device}/ports/{number}"
    tree.fill({f"{folder}/{name.replace('__', '/')}": f"{text}\n" for name, text in files.items()})


def test_ports(tree: Tree) -> None:
    port(tree, "mlx5_0", link_layer="InfiniBand", state="4: ACTIVE", phys_state="5: LinkUp", rate="400 Gb/sec (4X NDR)",
         counters__symbol_error="0", counters__link_downed="3", counters__port_rcv_errors="N/A (no PMA)")
    tree.link("/sys/class/infiniband/mlx5_0/device", "../../../devices/card")
    tree.link("/sys/devices/card/driver", "../../bus/pci/drivers/mlx5_core")
    port(tree, "rdma0", 2, link_layer="Ethernet", state="1: DOWN", phys_state="2: Polling", gid_attrs__ndevs__0="eth0")
    assert rdma.read(tree.machine()) == (
        RdmaPort("mlx5_0", 1, "mlx5_core", "InfiniBand", "ACTIVE", "LinkUp", 400, {"symbol_error": 0, "link_downed": 3}),
        RdmaPort("rdma0", 2, None, "Ethernet", "DOWN", "Polling", net_device="eth0"))


def test_no_device_needs_no_child(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = tree.machine()
    monkeypatch.setattr(machine, "apart", None)
    assert rdma.read(machine) == ()


def test_a_device_that_does_not_answer(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    port(tree, "mlx5_0", state="4: ACTIVE")
    machine = tree.machine(timeout=1)

    class Hung:
        """A child that does not end."""

        def __init__(self, function: t.Callable[[], t.Any]) -> None:
            pass

        def result(self, seconds: float) -> t.NoReturn:
            """Fail as the real one does."""
            assert 0 < seconds <= 1
            raise UnreadableError("no answer")

    monkeypatch.setattr(machine, "apart", Hung)
    with pytest.raises(UnreadableError, match=r"^no answer$"):
        rdma.read(machine)


class WithoutInterfaces(Machine):
    """A kernel that answers EINVAL where a port has no interface of the network, as those of InfiniBand."""

    def word(self, path: str) -> str | None:
        """Fail as such a file does."""
        if path.endswith("ndevs/0"):
            raise UnreadableError(f"{path}: Invalid argument")
        return super().word(path)


def test_a_port_without_an_interface_is_a_port(tree: Tree) -> None:
    port(tree, "mlx5_0", link_layer="InfiniBand", state="4: ACTIVE", gid_attrs__ndevs__0="")
    assert rdma.read(WithoutInterfaces(str(tree.root))) == (RdmaPort("mlx5_0", 1, None, "InfiniBand", "ACTIVE"),)
