# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a node is as far as RDMA goes, and what programs are told of it."""

from __future__ import annotations

import dataclasses as dc
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma import environment as env
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.seen import Seen
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.shape import VerbsDevice
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.wish import Wish
from ansible_collections.instinct.fleet.tests.unit.support.rdma import (
    BOTH,
    CATALOGUE,
    GIDS,
    IONIC,
    MLX5,
    NOTHING,
    PLAIN,
    RXE,
    port,
)

P2P = {"CONFIG_PCI_P2PDMA": "y", "CONFIG_DMABUF_MOVE_NOTIFY": "y"}
STRANGER = dc.replace(NOTHING, devices=(VerbsDevice("x0", "uverbs0", None, 1),))


@pytest.mark.parametrize(("seen", "state"), [
    (MLX5, env.HARDWARE), (BOTH, env.HARDWARE), (RXE, env.SOFTWARE), (NOTHING, env.NONE), (STRANGER, env.HARDWARE),
    (dc.replace(MLX5, devices=(), ports=()), env.UNBOUND), (dc.replace(RXE, nics=MLX5.nics), env.UNBOUND),
])
def test_state(seen: Seen, state: str) -> None:
    assert env.state(CATALOGUE, seen) == state


def ports(*changed: t.Any, of: Seen = IONIC) -> Seen:
    return dc.replace(of, ports=tuple(changed))


@pytest.mark.parametrize(("seen", "wish", "variables"), [
    (MLX5, PLAIN, {"NCCL_IB_HCA": "=mlx5_0:1"}),
    (IONIC, PLAIN, {"NCCL_IB_HCA": "=ionic_0:1", "NCCL_IB_GID_INDEX": "3"}),
    (BOTH, PLAIN, {"NCCL_IB_HCA": "=mlx5_0:1,ionic_0:1", "NCCL_IB_GID_INDEX": "3"}),
    (BOTH, Wish("inbox", families=("mlx5",)), {"NCCL_IB_HCA": "=mlx5_0:1"}),
    (IONIC, Wish("inbox", environment={"NCCL_IB_TC": "104", "NCCL_IB_GID_INDEX": "1"}),
     {"NCCL_IB_HCA": "=ionic_0:1", "NCCL_IB_GID_INDEX": "1", "NCCL_IB_TC": "104"}),
    # Where the ports do not share an index none is told, and a link-local GID is better than none.
    (ports(port("ionic_0", "a"), port("ionic_0", "a", gids=GIDS[:2])), PLAIN,
     {"NCCL_IB_HCA": "=ionic_0:1,ionic_0:1"}),
    (ports(port("ionic_0", "a", gids=GIDS[:2])), PLAIN, {"NCCL_IB_HCA": "=ionic_0:1", "NCCL_IB_GID_INDEX": "1"}),
    (ports(port("ionic_0", "a", gids=GIDS[:1])), PLAIN, {"NCCL_IB_HCA": "=ionic_0:1"}),
    (ports(port("ionic_0", "a", link_layer="InfiniBand", gids=())), PLAIN, {"NCCL_IB_HCA": "=ionic_0:1"}),
    (ports(port("ionic_0", "a", state="DOWN")), Wish("inbox", environment={"NCCL_IB_TC": "104"}), {}),
    (dc.replace(IONIC, peer=False, options=P2P), PLAIN, {"NCCL_IB_HCA": "=ionic_0:1", "NCCL_IB_GID_INDEX": "3", "NCCL_DMABUF_ENABLE": "1"}),
    (dc.replace(MLX5, peer=False, options=P2P), PLAIN, {"NCCL_IB_HCA": "=mlx5_0:1", "NCCL_DMABUF_ENABLE": "1"}),
    (dc.replace(MLX5, peer=False, options={**P2P, "CONFIG_PCI_P2PDMA": "n"}), PLAIN, {"NCCL_IB_HCA": "=mlx5_0:1"}),
    (dc.replace(MLX5, peer=False), PLAIN, {"NCCL_IB_HCA": "=mlx5_0:1"}),
    (dc.replace(MLX5, peer=True, options=P2P), PLAIN, {"NCCL_IB_HCA": "=mlx5_0:1"}),
    (RXE, PLAIN, {}), (STRANGER, PLAIN, {}), (NOTHING, PLAIN, {}),
])
def test_environment(seen: Seen, wish: Wish, variables: dict[str, str]) -> None:
    assert env.environment(CATALOGUE, seen, wish) == variables


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
