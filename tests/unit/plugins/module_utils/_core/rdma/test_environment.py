# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What programs are told of the NICs of a node."""

from __future__ import annotations

import dataclasses as dc
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma import environment as env
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.seen import Seen
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.shape import VerbsDevice
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.wish import Roce, Wish
from ansible_collections.instinct.fleet.tests.unit.support.rdma import (
    BOTH,
    CATALOGUE,
    GIDS,
    IONIC,
    MLX5,
    NOTHING,
    PLAIN,
    RXE,
    nic,
    port,
)

P2P = {"CONFIG_PCI_P2PDMA": "y", "CONFIG_DMABUF_MOVE_NOTIFY": "y"}
BNXT = dc.replace(MLX5, nics=(nic("0000:c3:00.0", "14e4:1760", "bnxt_en"),), devices=(VerbsDevice("bnxt_re0", "uverbs0", "bnxt_en", 1),),
                  ports=(port("bnxt_re0", "0000:c3:00.0"),))
STRANGER = dc.replace(NOTHING, devices=(VerbsDevice("x0", "uverbs0", None, 1),))


def ports(*changed: t.Any, of: Seen = IONIC) -> Seen:
    return dc.replace(of, ports=tuple(changed))


# What a family has on every node, whatever else is known of it.
ALWAYS = {"ionic": {"NCCL_GDR_FLUSH_DISABLE": "1", "NCCL_IB_USE_INLINE": "1", "IONIC_LOCKFREE": "all",
                    "RCCL_GDR_FLUSH_GPU_MEM_NO_RELAXED_ORDERING": "0"}}


def told(seen: Seen, wish: Wish = PLAIN) -> dict[str, str]:
    """Variables besides those of ALWAYS."""
    fixed = {name for of in ALWAYS.values() for name in of}
    return {name: value for name, value in env.environment(CATALOGUE, seen, wish).items() if name not in fixed}


@pytest.mark.parametrize(("seen", "wish", "variables"), [
    (MLX5, PLAIN, {"NCCL_IB_HCA": "=mlx5_0:1", "NCCL_IB_GID_INDEX": "3"}),
    (IONIC, PLAIN, {"NCCL_IB_HCA": "=ionic_0:1", "NCCL_IB_GID_INDEX": "3"}),
    (BOTH, PLAIN, {"NCCL_IB_HCA": "=mlx5_0:1,ionic_0:1", "NCCL_IB_GID_INDEX": "3"}),
    (BOTH, Wish("inbox", families=("mlx5",)), {"NCCL_IB_HCA": "=mlx5_0:1", "NCCL_IB_GID_INDEX": "3"}),
    (IONIC, Wish("inbox", environment={"NCCL_IB_TC": "104", "NCCL_IB_GID_INDEX": "1"}),
     {"NCCL_IB_HCA": "=ionic_0:1", "NCCL_IB_GID_INDEX": "1", "NCCL_IB_TC": "104"}),
    # Where the ports do not share an index none is told, and a link-local GID is better than none.
    (ports(port("ionic_0", "a"), port("ionic_0", "a", gids=GIDS[:2])), PLAIN,
     {"NCCL_IB_HCA": "=ionic_0:1,ionic_0:1"}),
    (ports(port("ionic_0", "a", gids=GIDS[:2])), PLAIN, {"NCCL_IB_HCA": "=ionic_0:1", "NCCL_IB_GID_INDEX": "1"}),
    (ports(port("ionic_0", "a", gids=GIDS[:1])), PLAIN, {"NCCL_IB_HCA": "=ionic_0:1"}),
    (ports(port("mlx5_0", "a", link_layer="InfiniBand", gids=()), of=MLX5), PLAIN, {"NCCL_IB_HCA": "=mlx5_0:1"}),
    # A port of InfiniBand has no GID of RoCE, and the variable is one for all ports.
    (ports(port("mlx5_0", "a"), port("mlx5_0", "b", link_layer="InfiniBand"), of=MLX5), PLAIN, {"NCCL_IB_HCA": "=mlx5_0:1,mlx5_0:1"}),
    (ports(port("ionic_0", "a", state="DOWN")), Wish("inbox", environment={"NCCL_IB_TC": "104"}), {}),
    (RXE, PLAIN, {}), (STRANGER, PLAIN, {}), (NOTHING, PLAIN, {}),
])
def test_environment(seen: Seen, wish: Wish, variables: dict[str, str]) -> None:
    assert told(seen, wish) == variables


@pytest.mark.parametrize(("seen", "name"), [(MLX5, "mlx5"), (IONIC, "ionic")])
def test_what_a_family_has_on_every_node(seen: Seen, name: str) -> None:
    fixed = ALWAYS.get(name, {})
    found = env.environment(CATALOGUE, seen, PLAIN)
    assert found == {**fixed, **told(seen)} and not set(fixed) & set(told(seen))


def dma_buf(seen: Seen = MLX5, peer: bool = False, modules: t.Collection[str] = (), **options: str) -> Seen:
    return dc.replace(seen, peer=peer, options={**P2P, **options}, modules={*seen.modules, *modules})


@pytest.mark.parametrize(("seen", "value"), [
    (dma_buf(IONIC), "1"), (dma_buf(), "1"), (dma_buf(CONFIG_PCI_P2PDMA="n"), None), (dma_buf(peer=True), None),
    (dc.replace(MLX5, peer=False), None),
    # The kernel's own driver needs an option more; that of DKMS does not ask the kernel for it.
    (dma_buf(modules=("amdgpu",)), None), (dma_buf(modules=("amdgpu",), CONFIG_HSA_AMD_P2P="y"), "1"),
    (dma_buf(modules=("amdgpu", "amdkcl")), "1"),
])
def test_dma_buf_is_told_where_it_is_the_only_way(seen: Seen, value: str | None) -> None:
    assert told(seen).get("NCCL_DMABUF_ENABLE") == value


@pytest.mark.parametrize(("roce", "data", "control"), [
    (Roce(9000, (3,), {24: 3, 46: 6}), "96", "184"), (Roce(pfc=(3,), dscp={26: 3, 48: 6}), "104", "192"),
    (Roce(pfc=(3,), dscp={24: 3}), "96", None), (Roce(dscp={24: 3}), "96", None), (Roce(dscp={24: 3, 46: 6}), None, None),
    (Roce(pfc=(), dscp={24: 3}), "96", None), (Roce(pfc=(), dscp={24: 3, 46: 6}), None, None), (Roce(pfc=(3,), dscp={24: 3, 26: 3, 46: 6}), None, "184"),
    (Roce(pfc=(3,), dscp={0: 3}), "0", None), (Roce(pfc=(3,)), None, None), (Roce(), None, None),
])
def test_traffic_classes_follow_from_what_the_network_asks(roce: Roce, data: str | None, control: str | None) -> None:
    for seen, has in ((MLX5, True), (IONIC, True), (BNXT, False)):
        found = told(seen, Wish("inbox", roce=roce))
        assert (found.get("NCCL_IB_TC"), found.get("NCCL_IB_FIFO_TC")) == (data, control if has else None)
    assert "NCCL_IB_TC" not in told(ports(port("mlx5_0", "a", link_layer="InfiniBand"), of=MLX5), Wish("inbox", roce=roce))


def test_families_that_want_one_variable_otherwise() -> None:
    ionic = CATALOGUE.families["ionic"]
    other = dc.replace(ionic, environment=(dc.replace(ionic.environment[0], value="ionic"),))
    catalogue = dc.replace(CATALOGUE, families={**CATALOGUE.families, "ionic": other})
    with pytest.raises(FleetError, match=r"^variable NCCL_IB_HCA: is =mlx5_0:1,ionic_0:1 for one .* and ionic for another; "
                                         r"name one family in rdma_stack_families$"):
        env.environment(catalogue, BOTH, PLAIN)
    site = Wish("inbox", environment={"NCCL_IB_HCA": "mlx5"})
    assert env.environment(catalogue, BOTH, site)["NCCL_IB_HCA"] == "mlx5"


def test_a_family_that_is_none() -> None:
    with pytest.raises(FleetError, match=r"^rdma_stack_families: the catalogue of RDMA has no 'mlx'; did you mean mlx5\?$"):
        env.environment(CATALOGUE, MLX5, Wish("inbox", families=("mlx",)))
