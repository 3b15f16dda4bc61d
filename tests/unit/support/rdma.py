# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""RDMA for tests: what is known of it, and a node with one good NIC of each of two families."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ansible_collections.instinct.fleet.plugins.module_utils._core.act.fileset import Seen as SeenFile
from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.ibv_devinfo import Listed, Said
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.catalogue import Catalogue
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.plan import PATHS
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.seen import Gid, Nic, Port, Seen
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.shape import VerbsDevice
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.wish import Wish
from ansible_collections.instinct.fleet.plugins.plugin_utils import rdma_data

CATALOGUE = Catalogue.from_documents(rdma_data.documents())
VERSIONS = {"rdma-core": "44.0-2", "perftest": "4.5-1"}
PINNED = {name: VERSIONS[source] for source, names in CATALOGUE.stacks["inbox"].packages["apt"].items() for name in names}
PLAIN, WISH = Wish("inbox"), Wish("inbox", VERSIONS)
V1, V2 = "IB/RoCE v1", "RoCE v2"
LINK, IPV4 = "fe80:0000:0000:0000:0202:c9ff:fe00:0001", "0000:0000:0000:0000:0000:ffff:c000:0201"
GIDS = (Gid(0, LINK, V1), Gid(1, LINK, V2), Gid(2, IPV4, V1), Gid(3, IPV4, V2))
MODULES = frozenset({"mlx5_core", "mlx5_ib", "ionic", "ionic_rdma", "ib_uverbs"})


def nic(bdf: str, ident: str, driver: str) -> Nic:
    """A NIC by vendor and device."""
    vendor, _colon, device = ident.partition(":")
    return Nic(bdf, vendor, device, driver)


def port(device: str, bdf: str | None, **other: t.Any) -> Port:
    """An active port on Ethernet."""
    return Port(device, 1, bdf, **{"link_layer": "Ethernet", "state": "ACTIVE", "gids": GIDS, "interface": f"eth-{device}",
                                   "mtu": 9000, **other})


MLX5 = Seen(
    "apt", PINNED, frozenset(PINNED), MODULES, (nic("0000:c1:00.0", "15b3:1021", "mlx5_core"),),
    (VerbsDevice("mlx5_0", "uverbs0", "mlx5_core", 1),), (port("mlx5_0", "0000:c1:00.0"),),
    Said({"mlx5_0": Listed("mlx5_0", {"fw_ver": "28.46.3048"}, {})}), peer=True, memlock={"slurmd": -1},
    files={path: SeenFile() for path in PATHS},
)
IONIC = dc.replace(
    MLX5, nics=(nic("0000:c2:00.0", "1dd8:1002", "ionic"),), devices=(VerbsDevice("ionic_0", "uverbs0", "ionic", 4),),
    ports=(port("ionic_0", "0000:c2:00.0"),), said=Said({"ionic_0": Listed("ionic_0", {}, {})}))
RXE = dc.replace(MLX5, nics=(), devices=(VerbsDevice("rxe0", "uverbs0", "rdma_rxe", 2),), ports=(port("rxe0", None),),
                 said=Said({"rxe0": Listed("rxe0", {}, {})}))
NOTHING = dc.replace(MLX5, nics=(), devices=(), ports=(), said=None)
BOTH = dc.replace(MLX5, nics=MLX5.nics + IONIC.nics, devices=MLX5.devices + IONIC.devices, ports=MLX5.ports + IONIC.ports)
