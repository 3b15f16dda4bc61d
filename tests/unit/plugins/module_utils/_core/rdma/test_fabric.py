# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a node is as far as RDMA goes."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma import fabric
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.seen import Gid, Seen
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.shape import VerbsDevice
from ansible_collections.instinct.fleet.tests.unit.support.rdma import (
    BOTH,
    CATALOGUE,
    GIDS,
    IPV4,
    LINK,
    MLX5,
    NOTHING,
    RXE,
    V1,
    V2,
    port,
)

STRANGER = dc.replace(NOTHING, devices=(VerbsDevice("x0", "uverbs0", None, 1),))
IPV6 = "2001:0db8:0000:0000:0000:0000:0000:0001"
P2P = {"CONFIG_PCI_P2PDMA": "y", "CONFIG_DMABUF_MOVE_NOTIFY": "y"}


@pytest.mark.parametrize(("seen", "state"), [
    (MLX5, fabric.HARDWARE), (BOTH, fabric.HARDWARE), (RXE, fabric.SOFTWARE), (NOTHING, fabric.NONE), (STRANGER, fabric.HARDWARE),
    (dc.replace(MLX5, devices=(), ports=()), fabric.UNBOUND), (dc.replace(RXE, nics=MLX5.nics), fabric.UNBOUND),
])
def test_state(seen: Seen, state: str) -> None:
    assert fabric.state(CATALOGUE, seen) == state


@pytest.mark.parametrize(("gids", "index"), [
    (GIDS, 3), ((Gid(1, LINK, V2), Gid(3, IPV6, V2)), 3), ((Gid(3, IPV6, V2), Gid(5, IPV4, V2)), 5), ((Gid(4, IPV4, V2), Gid(3, IPV4, V2)), 3),
    ((Gid(0, LINK, V1), Gid(1, LINK, V2)), 1), ((Gid(2, IPV4, V1),), None), ((), None)])
def test_the_gid_of_an_address_that_is_routed_comes_first(gids: tuple[Gid, ...], index: int | None) -> None:
    found = fabric.gid(port("mlx5_0", "a", gids=gids))
    assert (found.index if found else None) == index
    assert fabric.gid(port("mlx5_0", "a", gids=gids, link_layer="InfiniBand")) is None


def test_an_address_of_the_link_is_not_routed() -> None:
    assert [fabric.routed(Gid(0, value, V2)) for value in (LINK, IPV4, IPV6)] == [False, True, True]


@pytest.mark.parametrize(("seen", "absent"), [
    (MLX5, None), (dc.replace(MLX5, options=P2P), ()), (dc.replace(MLX5, options={}), tuple(P2P)),
    (dc.replace(MLX5, options=P2P, modules={"amdgpu"}), ("CONFIG_HSA_AMD_P2P",)), (dc.replace(MLX5, options=P2P, modules={"amdgpu", "amdkcl"}), ()),
])
def test_what_a_kernel_lacks_for_dma_buf(seen: Seen, absent: tuple[str, ...] | None) -> None:
    assert fabric.lacking(seen) == absent
