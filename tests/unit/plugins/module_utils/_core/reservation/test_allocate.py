# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a node is told."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.allocate import allocate
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.shape import Device, Grant, Record, Wish
from ansible_collections.instinct.fleet.tests.unit.support.reservations import (
    CPX,
    MI300X,
    TENANTS,
    demand,
    shown,
    wish,
)

ALL = {"link": "all_to_all"}


@pytest.mark.parametrize(("devices", "wishes", "spares", "found"), [
    (MI300X, (wish("train", "train", gpus=3), wish("serve", priority="P0", gpus=4, **ALL)), 1,
     {"serve": "05 26 46 65", "train": "85 a6 c6", "spare": "e5", "pool": ""}),
    (MI300X, (), 2, {"spare": "c6 e5", "pool": "05 26 46 65 85 a6"}),
    (CPX, (wish("a", partitions=3),), 1,
     {"a": "05-0 05-1 05-2", "spare": "26-0 26-1 26-2 26-3 26-4 26-5 26-6 26-7", "pool": "05-3 05-4 05-5 05-6 05-7"}),
    # What no program can open is given to nobody.
    ((dc.replace(MI300X[0], render_node=None), *MI300X[1:3]), (wish("a", gpus=1),), 0, {"a": "26", "spare": "", "pool": "46"}),
    (MI300X[:2], (wish("a", gpus=1, share=25), wish("b", gpus=1, share=75)), 1, {"a": "05", "b": "05", "spare": "26", "pool": ""}),
])
def test_records(devices: tuple[Device, ...], wishes: tuple[Wish, ...], spares: int, found: dict[str, str]) -> None:
    record = allocate(demand(devices, *wishes, spares=spares))
    assert shown(record) == found
    assert record.tenants == tuple(one for one in TENANTS if one.name in {asked.tenant for asked in wishes})
    assert [grant.wish for grant in record.grants] == sorted(wishes, key=lambda one: one.name)
    assert allocate(demand(tuple(reversed(devices)), *reversed(wishes), spares=spares)) == record
    assert allocate(demand(devices, *wishes, spares=spares, before=record)) == record


def test_spares_stay() -> None:
    before = Record((), (Grant(wish("a", gpus=2), MI300X[6:]),), (MI300X[1], MI300X[3]))
    assert shown(allocate(demand(MI300X, wish("a", gpus=3), spares=2, before=before))) == {
        "a": "85 c6 e5", "spare": "26 65", "pool": "05 46 a6"}
    assert shown(allocate(demand(MI300X, wish("a", gpus=2), spares=1, before=before)))["spare"] == "65"
    assert shown(allocate(demand(MI300X, wish("a", gpus=2), spares=3, before=before)))["spare"] == "26 65 a6"


@pytest.mark.parametrize(("devices", "spares", "before", "sentence"), [
    (MI300X[:2], 3, None, "is 3, and the node has 2 GPUs; ask for at most 2"),
    (MI300X[:2], 3, Record(pool=MI300X[:2]), "is 3, and the node has 2 GPUs; ask for at most 2"),
    # One of which nothing can be opened is no spare; where it is known as lost the others are kept.
    ((*MI300X[:2], dc.replace(MI300X[2], render_node=None)), 3, None, "is 3, and the node has free 2 GPUs; ask for at most 2"),
    ((*MI300X[:2], dc.replace(MI300X[2], render_node=None)), 3, Record(spares=MI300X[:3]), None),
    (MI300X[:2], 3, Record((), (Grant(wish("a", gpus=1), MI300X[2:3]),), MI300X[:2]), None),
])
def test_more_spares_than_gpus(devices: tuple[Device, ...], spares: int, before: Record | None, sentence: str | None) -> None:
    if sentence is None:
        assert shown(allocate(demand(devices, spares=spares, before=before))) == {"spare": "05 26", "pool": ""}
        return
    with pytest.raises(FleetError) as caught:
        allocate(demand(devices, spares=spares, before=before))
    assert caught.value.sentence == f"gpu_reservation_spares: {sentence}"


def test_refusals() -> None:
    """Wishes of no node are refused before it is looked for places; without one nothing is given to anybody."""
    with pytest.raises(FleetError, match="reservation a: is there twice"):
        allocate(demand(MI300X, wish("a", gpus=9), wish("a", gpus=9)))
    with pytest.raises(FleetError, match="reservation b of chat: wants 8 GPUs, and free are 7"):
        allocate(demand(MI300X, wish("a", gpus=1), wish("b", gpus=8), wish("c", gpus=9)))
