# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""NICs of a simulated node, as the collection reads them."""

from __future__ import annotations

from pathlib import Path

import pytest
from instinct_sim import faults, product, sync, tree
from instinct_sim.errors import SimError

from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma import fabric
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.environment import environment
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.seen import Seen
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.shape import VerbsDevice
from ansible_collections.instinct.fleet.plugins.module_utils._node import verbs
from ansible_collections.instinct.fleet.plugins.module_utils._node.machine import Machine
from ansible_collections.instinct.fleet.tests.unit.support.rdma import CATALOGUE, PLAIN


def node(folder: Path, **families: str) -> Seen:
    """A node with these NICs, as the collection reads it."""
    state = product.new_state("mi300x", 1)
    for family, abi in families.items():
        faults.inject(state, "nic", {"family": family, "abi": abi})
    sync._sysfs(folder / "sys", tree.render(state), folder / "record")
    machine = Machine(str(folder))
    return Seen(nics=verbs.nics(machine), devices=verbs.devices(machine), ports=verbs.ports(machine),
                modules=machine.names("/sys/module"))


def test_nics_are_what_the_catalogue_knows(tmp_path: Path) -> None:
    seen = node(tmp_path, mlx5="1", bnxt_re="6", ionic="4")
    assert {nic.bdf: family.name for nic, family in fabric.nics(CATALOGUE, seen)} == {
        "0000:c1:00.0": "mlx5", "0000:c2:00.0": "bnxt_re", "0000:c3:00.0": "ionic"}
    assert seen.devices == (VerbsDevice("bnxt_re0", "uverbs0", "bnxt_en", 6), VerbsDevice("ionic_0", "uverbs1", "ionic", 4),
                            VerbsDevice("mlx5_0", "uverbs2", "mlx5_core", 1))
    assert {name for family in CATALOGUE.families.values() if family.pci for name in family.modules} <= set(seen.modules)
    found = environment(CATALOGUE, seen, PLAIN)
    assert (found["NCCL_IB_HCA"], found["NCCL_IB_GID_INDEX"]) == ("=bnxt_re0:1,ionic_0:1,mlx5_0:1", "3")


def test_a_driver_without_its_half_offers_nothing(tmp_path: Path) -> None:
    seen = node(tmp_path, ionic="none")
    assert (seen.devices, fabric.state(CATALOGUE, seen)) == ((), fabric.UNBOUND)


def test_libibverbs_passes_over_what_has_no_device_node() -> None:
    state = product.new_state("mi300x", 1)
    for family, abi in (("bnxt_re", "6"), ("ionic", "none"), ("mlx5", "1")):
        faults.inject(state, "nic", {"family": family, "abi": abi})
    assert tree.device_nodes(state) == {"infiniband/uverbs0": (231, 192, "root"), "infiniband/uverbs2": (231, 194, "root")}


def test_a_family_that_is_none() -> None:
    with pytest.raises(SimError, match=r"^nic: there is no family 'efa'; there are mlx5, bnxt_re, ionic$"):
        faults.inject(product.new_state("mi300x", 1), "nic", {"family": "efa"})
