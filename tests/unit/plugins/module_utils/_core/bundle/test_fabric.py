# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""States of NICs, links and tests: healthy, failed or unknown."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.bundle import fabric
from ansible_collections.instinct.fleet.plugins.module_utils._core.bundle.facts import Facts, Handler

STATES: list[tuple[Handler, str, str]] = [
    (fabric.rdma, "link mlx5_0/1 state ACTIVE physical_state LINK_UP\nlink mlx5_1/1 state DOWN\n",
     "RDMA ports: failed: mlx5_1/1 not active"),
    (fabric.rdma, "link mlx5_0/1 state ACTIVE physical_state LINK_UP\n", "RDMA ports: healthy: 1"),
    (fabric.rdma, "", "RDMA ports: unknown: none is named"),
    (fabric.ibv_devices, "    device   node GUID\n", "RDMA devices: failed: none"),
    (fabric.ibv_devices, "    mlx5_0   0011223344556677\n", "RDMA devices: unknown: 1 without a state"),
    (fabric.ip_links, "2: ib0: <UP> mtu 1 state DOWN mode\n3: en1: <UP> mtu 1 state UP mode\n", "links: failed: ib0 down"),
    (fabric.ip_links, "3: en1: <UP> mtu 1 state UP mode\n", "links: healthy: 1"),
    (fabric.ip_links, "", "links: unknown: none is named"),
    (fabric.ethtool, "NIC statistics:\n     frames_rx_bad_fcs: 3\n     rx_packets: 9\n", "NIC counters: failed: frames_rx_bad_fcs"),
    (fabric.ethtool, "NIC statistics:\n     rx_packets: 9\n", "NIC counters: healthy: 1"),
    (fabric.ethtool, "NIC statistics:\n", "NIC counters: unknown: none"),
    (fabric.nicctl, "ionic0: 1.117.5\nionic1: 1.117.6\n", "NIC cards: failed: firmware 1.117.5, 1.117.6"),
    (fabric.nicctl, "ionic0: 1.117.5\n", "NIC cards: healthy: firmware 1.117.5"),
    (fabric.nicctl, "words\n", "NIC cards: unknown: nothing was printed"),
    (fabric.nicctl, '{"nic": [{"status": {"oper_state": "down"}}, {"oper_state": "up"}]}', "NIC cards: failed: 1 of 2 states are down"),
    (fabric.nicctl, '{"nic": [{"oper_state": "up", "operational_status": 1}]}', "NIC cards: healthy: 1 states are up"),
    (fabric.nicctl, '{"nic": [3]}', "NIC cards: unknown: without a state"),
    (fabric.rccl_report, '{"communicators": [{"missing_ranks_count": 1, "ranks": []}]}', "RCCL: failed: 1 ranks missing, 0 with errors"),
    (fabric.rccl_report, '{"communicators": [{"ranks": [{"status": {"async_error": 2}}, {"status": 1}]}]}',
     "RCCL: failed: 0 ranks missing, 1 with errors"),
    (fabric.rccl_report, '{"communicators": [{"ranks": [{"status": {"abort_flag": false}}]}]}', "RCCL: healthy: 1 communicators"),
    (fabric.rccl_report, '{"nccl_version": "2.28.9"}', "RCCL: unknown: 0 communicators"),
    (fabric.rccl_report, "    0  1  1  8  8  8  RUNNING  OK\n    1  1  1  8  8  8  RUNNING  MISMATCH\n", "RCCL: failed: MISMATCH"),
    (fabric.rccl_report, "    0  1  1  8  8  8  RUNNING  OK\n", "RCCL: healthy: 1 groups"),
    (fabric.rccl_report, "RCCL version 2\n", "RCCL: unknown: no group is named"),
    (fabric.rccl_test, "# Avg bus bandwidth    : 300.1\n", "RCCL test: healthy: 300.1 GB/s"),
    (fabric.rccl_test, "# Avg bus bandwidth    : 3.1\nFAILED\n", "RCCL test: failed"),
    (fabric.rccl_test, "comm 1 - Init COMPLETE\n", "RCCL test: healthy: 1 communicators complete"),
    (fabric.rccl_test, "starting\n", "RCCL test: unknown: it ended without a result"),
    (fabric.write_bandwidth, "RDMA_Write BW Test\nCouldn't create QP\n", "RDMA test: failed: Couldn't create QP"),
    (fabric.write_bandwidth, " 65536  5000  391.0  388.4  0.74\n", "RDMA test: healthy: 388.4 Gb/s"),
    (fabric.write_bandwidth, "RDMA_Write BW Test\n", "RDMA test: unknown: it ended without a result"),
    (fabric.buffer, "Calling ibv_reg_dmabuf_mr\n", "RDMA test: healthy: GPU memory is registered over dma-buf"),
]


@pytest.mark.parametrize(("handler", "text", "told"), STATES)
def test_state(handler: Handler, text: str, told: str) -> None:
    assert handler(Facts(), text) == told


def test_ports_go_into_the_look() -> None:
    facts = Facts()
    fabric.rdma(facts, "link mlx5_0/1 state DOWN physical_state POLLING netdev ib0\n")
    assert [(port.device, port.state, port.physical) for port in facts.rdma] == [("mlx5_0", "DOWN", "Polling")]
