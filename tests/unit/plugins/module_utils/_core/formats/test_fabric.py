# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Outputs of the tools of RDMA and networks."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.fabric import devices, links, ports
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.host import RdmaPort

DEVINFO = """\
hca_id:\tmlx5_0
\tphys_port_cnt:\t2
\t\tport:\t1
\t\t\tstate:\t\t\tPORT_ACTIVE (4)
\t\t\tlink_layer:\t\tInfiniBand
\t\tport:\t2
\t\t\tlink_layer:\t\tEthernet
"""


@pytest.mark.parametrize(("text", "expected"), [
    ("link mlx5_0/1 state DOWN physical_state POLLING netdev ib0\n",
     (RdmaPort("mlx5_0", 1, state="DOWN", physical="Polling", net_device="ib0"),)),
    ('[{"ifname": "ionic_0", "port": 2, "state": "ACTIVE", "physical_state": "ODD"}, {"other": 1}]',
     (RdmaPort("ionic_0", 2, state="ACTIVE", physical="ODD"),)),
    ('[{"ifname": "mlx5_1/1", "state": ""}]', (RdmaPort("mlx5_1", 1),)),
    ('[{"ifname": "mlx5_1"}]', (RdmaPort("mlx5_1", 1),)),
    (DEVINFO, (RdmaPort("mlx5_0", 1, link_layer="InfiniBand", state="ACTIVE"), RdmaPort("mlx5_0", 2, link_layer="Ethernet"))),
    ("No IB devices found\n", ()),
])
def test_ports(text: str, expected: tuple[RdmaPort, ...]) -> None:
    assert ports(text) == expected


def test_devices() -> None:
    assert devices("    device   node GUID\n    ------   ----\n    mlx5_0   0011223344556677\n") == ("mlx5_0",)


def test_links_long_and_brief() -> None:
    assert links("1: lo: <LOOPBACK,UP> mtu 65536 state UNKNOWN mode\n2: ib0@if3: <UP> mtu 4092 qdisc mq state DOWN mode\n") == {
        "ib0": "DOWN"}
    assert links("lo  UNKNOWN  00:00\nenp1s0  UP  02:00\n") == {"enp1s0": "UP"}
