# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan as a table, and as plain data."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation import overview, record
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.fleet import Planned
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.shape import Grant, Record, Tenant, Wish
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.shape import Window
from ansible_collections.instinct.fleet.tests.unit.support.reservations import MI300X, wish

TOLD = Record((Tenant("chat"),), (Grant(wish("a", priority="P0", gpus=2), MI300X[:2]),), MI300X[3:4], MI300X[2:3])
PLANS = (Planned("n1", None, TOLD), Planned("n2", TOLD, TOLD, notes=("keeps 1 of 2 spares",)), Planned("n3", TOLD, None, "x: no room"),
         Planned("n4", None, None, "x: no room"))
LEFT = {"n0": ("not seen", "no route"), "n5": ("unasked", "")}


def test_nodes() -> None:
    nodes = overview.to_dict(PLANS, LEFT)
    assert {name: (said["status"], said["reason"]) for name, said in nodes.items()} == {
        "n0": ("not seen", "no route"), "n1": ("reserved", ""), "n2": ("as reserved", ""), "n3": ("refused", "x: no room"),
        "n4": ("refused", "x: no room"), "n5": ("unasked", "")}
    assert nodes["n1"]["changes"] == ["a of chat gets 0000:05:00.0, 0000:26:00.0", "spare gets 0000:65:00.0"]
    assert [nodes[name]["changes"] for name in ("n0", "n2", "n3")] == [[], [], []]
    assert [nodes[name]["notes"] for name in ("n0", "n1", "n2")] == [[], [], ["keeps 1 of 2 spares"]]
    assert overview.counts(nodes) == {"not seen": 1, "reserved": 1, "as reserved": 1, "refused": 2, "unasked": 1}
    assert overview.summary(nodes) == "6 nodes: 1 not seen, 1 reserved, 1 as reserved, 2 refused, 1 unasked"
    assert overview.records(PLANS) == {"n1": record.plain(TOLD), "n2": record.plain(TOLD)}
    assert (overview.refusal(PLANS), overview.refusal(PLANS[:2])) == ("n3, n4: x: no room", "")


def test_table() -> None:
    assert overview.table(PLANS, overview.to_dict(PLANS, LEFT), 100).splitlines() == [
        "node  reservation  tenant  class  devices                     terms",
        "----  -----------  ------  -----  --------------------------  -----",
        "n1    a            chat    P0     0000:05:00.0, 0000:26:00.0  -",
        "n1    (spare)      -       -      0000:65:00.0                -",
        "n1    (pool)       -       -      0000:46:00.0                -",
        "n2    a            chat    P0     0000:05:00.0, 0000:26:00.0  -",
        "n2    (spare)      -       -      0000:65:00.0                -",
        "n2    (pool)       -       -      0000:46:00.0                -",
        "", "changes of n1:", "  a of chat gets 0000:05:00.0, 0000:26:00.0", "  spare gets 0000:65:00.0",
        "", "notes on n2:", "  keeps 1 of 2 spares", "", "left out: n0:", "  not seen: no route", "", "left out: n3, n4:", "  refused: x: no room",
        "", "6 nodes: 1 not seen, 1 reserved, 1 as reserved, 2 refused, 1 unasked"]
    assert overview.table((), {}, 100).strip() == "no nodes"


@pytest.mark.parametrize(("asked", "words"), [
    (wish("a"), "-"), (wish("a", share=50), "50 % of the compute units"),
    (wish("a", windows=(Window((0, 1, 2, 3, 4, 5, 6), 480, 1200),)), "daily 08:00-20:00"),
    (wish("a", link="all_to_all", one_numa=True, windows=(Window((0, 1), 60, 120), Window((6,), 0, 0, 60))),
     "all to all, one NUMA node, mon/tue 01:00-02:00, sun 00:00-00:00+01:00"),
])
def test_terms(asked: Wish, words: str) -> None:
    assert overview.terms(asked) == words
