# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which devices may serve one reservation together."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation import group
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.shape import Device, Wish
from ansible_collections.instinct.fleet.tests.unit.support.reservations import BDFS, CPX, MI100, MI300X, ids, node, wish

ALL = {"link": "all_to_all"}
# Two whose NUMA node is not told, beside one near node 0 and one near node 1.
PARTLY = tuple(dc.replace(one, numa_node=(0, None, 1, None)[at]) for at, one in enumerate(node(4)))
# Four GPUs in a ring, so that each is linked with two.
RING = tuple(dc.replace(one, peers=(BDFS[(at - 1) % 4], BDFS[(at + 1) % 4])) for at, one in enumerate(node(4)))
UNTOLD = tuple(dc.replace(one, peers=None, numa_node=None) for one in node(4))


def numbers(groups: tuple[frozenset[str], ...]) -> list[str]:
    return ["".join(str(BDFS.index(gpu)) for gpu in sorted(one)) for one in groups]


@pytest.mark.parametrize(("asked", "found"), [
    (wish("a", gpus=1), ["05-0 05-1 05-2 05-3 05-4 05-5 05-6 05-7", "26-0 26-1 26-2 26-3 26-4 26-5 26-6 26-7"]),
    (wish("a", partitions=1), [ids((device,)) for device in CPX]),
])
def test_units(asked: Wish, found: list[str]) -> None:
    assert [ids(unit) for unit in group.units(asked, CPX)] == found


@pytest.mark.parametrize(("devices", "how", "count", "found"), [
    (MI300X, {}, 2, ["01234567"]), (MI300X, {"one_numa": True}, 2, ["0123", "4567"]), (MI300X, {"one_numa": True}, 5, ["0123", "4567"]),
    # All-to-all is of one NUMA node where one has so many, unless that is asked for by itself.
    (MI300X, ALL, 4, ["0123", "4567"]), (MI300X, ALL, 5, ["01234567"]), (MI300X, {**ALL, "one_numa": True}, 5, ["0123", "4567"]),
    (MI100, ALL, 4, ["0123", "4567"]), (MI100, ALL, 5, ["0123", "4567"]), (MI100, {}, 8, ["01234567"]),
    (RING, ALL, 2, ["01", "03", "12", "23"]), (UNTOLD, ALL, 1, ["0", "1", "2", "3"]), (UNTOLD, {"one_numa": True}, 4, ["0123"]),
    (node(4, island=4, near=1), ALL, 2, ["0123"]),
    (PARTLY, {"one_numa": True}, 2, ["0", "2"]), (PARTLY, {}, 2, ["0123"]), (PARTLY, ALL, 2, ["0123"]),
    # Logical devices of one GPU are together.
    (CPX, {**ALL, "partitions": 9}, 9, ["01"]), (node(2, of=8, near=1), {**ALL, "partitions": 8}, 8, ["0", "1"]), ((), {}, 0, []),
])
def test_groups(devices: tuple[Device, ...], how: dict[str, object], count: int, found: list[str]) -> None:
    asked = wish("a", **{"gpus": None if "partitions" in how else count, **how})
    assert numbers(group.groups(asked, devices, count)) == found


@pytest.mark.parametrize(("links", "found"), [
    ({0: [1], 1: [0], 2: []}, ["01", "2"]), ({0: [1], 1: []}, ["0", "1"]),  # a link that one of them does not tell is none
    ({0: [1, 2], 1: [0, 2], 2: [0, 1, 3], 3: [2]}, ["012", "23"]), ({}, [""]), ({0: [7]}, ["0"]),
])
def test_cliques(links: dict[int, list[int]], found: list[str]) -> None:
    devices = [dc.replace(MI300X[gpu], peers=tuple(BDFS[peer] for peer in peers)) for gpu, peers in links.items()]
    assert sorted(numbers(group.cliques(devices))) == found
