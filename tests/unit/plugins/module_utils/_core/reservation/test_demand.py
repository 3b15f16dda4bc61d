# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is asked of a node, held against what it is."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.demand import (
    named,
    refuse_unknown,
    spares_of,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.shape import Device, Grant, Record, Wish
from ansible_collections.instinct.fleet.tests.unit.support.reservations import (
    BDFS,
    CPX,
    MI300X,
    demand,
    ids,
    node,
    wish,
)


def test_what_a_node_had() -> None:
    """A reservation that goes, or that is another tenant's now, has nothing."""
    before = Record((), tuple(Grant(wish(name, tenant), MI300X[at:at + 2]) for at, (name, tenant) in enumerate(
        [("a", "chat"), ("b", "chat"), ("c", "chat")])), MI300X[7:])
    asked = demand(MI300X, wish("a"), wish("b", "train"), before=before)
    assert (asked.held, asked.spared) == ({"a": frozenset(BDFS[:2])}, frozenset(BDFS[7:]))
    assert (demand().held, demand().spared) == ({}, frozenset())


@pytest.mark.parametrize(("wishes", "sentence"), [
    ((wish("a"), wish("a")), "reservation a: is there twice; give each a name of its own"),
    ((wish("a", "trian"),), "reservation a: is for trian, and no such tenant is known; did you mean train"),
    ((wish("a", "nobody"),), "reservation a: is for nobody, and no such tenant is known; add it to gpu_reservation_tenants"),
])
def test_wishes_of_no_node(wishes: tuple[Wish, ...], sentence: str) -> None:
    with pytest.raises(FleetError) as caught:
        refuse_unknown(demand(MI300X, *wishes))
    assert caught.value.sentence == sentence


@pytest.mark.parametrize(("devices", "wishes", "spares", "kept"), [
    (MI300X, (), 2, 2), (MI300X, (wish("a", gpus=7),), 1, 1), (MI300X, (wish("a", gpus=7), wish("new", gpus=1)), 1, 1),
    # Of seven that a has and eight that were there one is lost, then another.
    (MI300X[1:], (wish("a", gpus=7),), 1, 0), (MI300X[2:], (wish("a", gpus=7),), 1, 0), (MI300X[1:], (wish("a", gpus=6),), 1, 1),
    # What goes, or is another tenant's now, has no claim to a spare.
    (MI300X[1:], (wish("a", "train", gpus=7),), 1, 1), (MI300X[1:], (wish("a", devices=BDFS[1:8]),), None, 0),
    (MI300X[1:], (wish("a", devices=BDFS[1:8]),), 3, 0),
])
def test_spares_step_in(devices: tuple[Device, ...], wishes: tuple[Wish, ...], spares: int | None, kept: int) -> None:
    before = Record((), (Grant(wish("a", gpus=7), MI300X[:7]),), MI300X[7:])
    assert spares_of(demand(devices, *wishes, spares=spares, before=before)) == kept
    assert spares_of(demand(devices, *wishes, spares=spares)) == (spares or 0)


def test_wishes_that_may_be() -> None:
    refuse_unknown(demand(MI300X, wish("a"), wish("b", "train")))


@pytest.mark.parametrize(("names", "found"), [
    ((), ""), (("0000:26:00.0",), "26"), (("0000:05:00.0-3", "0000:26:00.0"), "05-3 26-0 26-1 26-2 26-3 26-4 26-5 26-6 26-7"),
    (("uuid-1-2", "gpu-03"), "26-2 05-3"), (("0000:26:00.0-0",), "26-0"),
])
def test_names_of_devices(names: tuple[str, ...], found: str) -> None:
    devices = CPX if "-" in found else MI300X
    assert ids(named(wish("a", devices=names), devices)) == found


@pytest.mark.parametrize(("names", "sentence"), [
    (("0",), "reservation a of chat: names device 0, which is not on the node: it has 0000:05:00.0, 0000:26:00.0; "
             "name one by PCI address, or by the UUID of this node's"),
    (("0000:05:00.0", "GPU-00"), "reservation a of chat: names device 0000:05:00.0 twice; remove one"),
])
def test_names_of_no_device(names: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(FleetError) as caught:
        named(wish("a", devices=names), node(2))
    assert caught.value.sentence == sentence


def test_names_on_a_node_without_devices() -> None:
    with pytest.raises(FleetError, match="it has none"):
        named(wish("a", devices=("0000:05:00.0",)), ())
