# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the inventory says of RDMA, and what it cannot say."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.wish import Roce, Wish

RAW: dict[str, t.Any] = {"stack": "inbox", "versions": {}, "families": [], "names": "", "environment": {}, "drivers": {}, "firmware": {},
                         "ignored": [], "roce": None}


def test_nothing_is_asked() -> None:
    assert Wish.read(RAW) == Wish("inbox")
    assert Wish.read({**RAW, "roce": {"mtu": None, "pfc": None, "dscp": None}}) == Wish("inbox")


def test_everything_is_asked() -> None:
    raw = {"stack": "doca", "versions": {"rdma-core": "1:2410mlnx54-1~x"}, "families": ["ionic"], "names": "pci",
           "environment": {"NCCL_IB_TC": "104"}, "roce": {"mtu": 9000, "pfc": [4, 3], "dscp": {"24": 3}}, "state": "present",
           "drivers": {"ionic_rdma": "25.08.1.003"}, "firmware": {"15b3:1021": "28.46.3048", "ionic": "1.117.5-a-56"},
           "ignored": ["0000:c1:00.1"]}
    assert Wish.read(raw) == Wish("doca", {"rdma-core": "1:2410mlnx54-1~x"}, ("ionic",), "pci", {"NCCL_IB_TC": "104"},
                                  Roce(9000, (3, 4), {24: 3}), {"ionic_rdma": "25.08.1.003"}, {"15b3:1021": "28.46.3048", "ionic": "1.117.5-a-56"},
                                  ("0000:c1:00.1",))


@pytest.mark.parametrize(("changed", "sentence"), [
    ({"versions": {"perftest": "latest"}}, "rdma_stack_versions.perftest: 'latest' is no version; name the one that the node should have"),
    ({"versions": {"perftest": "4.*"}}, "rdma_stack_versions.perftest: '4.*' is not one exact value; name one version"),
    ({"versions": {"perftest": 4.5}}, "rdma_stack_versions.perftest: 4.5 is not one exact value; name one version"),
    ({"versions": {"perf test": "4"}}, "rdma_stack_versions: 'perf test' is no name that can stand there; correct it"),
    ({"environment": {"NCCL_IB_TC": "1 2"}}, "rdma_stack_environment.NCCL_IB_TC: '1 2' is not one exact value; write it in quotes"),
    ({"environment": {"nccl": "1"}}, "rdma_stack_environment: 'nccl' is no name that can stand there; correct it"),
    ({"drivers": {"ionic-rdma": "1"}}, "rdma_stack_drivers: 'ionic-rdma' is no name that can stand there; correct it"),
    ({"drivers": {"ionic_rdma": "any"}}, "rdma_stack_drivers.ionic_rdma: 'any' is no version; name the one that the node should have"),
    ({"drivers": {"ionic_rdma": 25.8}}, "rdma_stack_drivers.ionic_rdma: 25.8 is not one exact value; name one version"),
    ({"firmware": {"15B3:1021": "28.46.3048"}}, "rdma_stack_firmware: '15B3:1021' is no name that can stand there; correct it"),
    ({"ignored": ["c1:00.1"]}, "rdma_stack.ignored[0]: is 'c1:00.1', which does not match"),
    ({"roce": {"pfc": [8]}}, "rdma_stack_roce: 8 is no priority; priorities are 0 to 7"),
    ({"roce": {"dscp": {"24": 9}}}, "rdma_stack_roce: 9 is no priority; priorities are 0 to 7"),
    ({"roce": {"dscp": {"64": 3}}}, "rdma_stack_roce: 64 is no DSCP; DSCPs are 0 to 63"),
    ({"roce": {"dscp": {"af31": 3}}}, "rdma_stack_roce: 'af31' is no number; DSCPs are 0 to 63"),
    ({"stack": "In box"}, "rdma_stack.stack: is 'In box', which does not match"),
])
def test_what_cannot_be(changed: dict[str, t.Any], sentence: str) -> None:
    with pytest.raises(FleetError) as caught:
        Wish.read({**RAW, **changed})
    assert caught.value.sentence.startswith(sentence)
