# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Why a wish does not fit, in one sentence: whoever is refused, allocation ends with it."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.allocate import allocate
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.shape import Device, Wish
from ansible_collections.instinct.fleet.tests.unit.support.reservations import BDFS, MI300X, demand, node, wish

ALL = {"link": "all_to_all"}


@pytest.mark.parametrize(("devices", "wishes", "spares", "sentence"), [
    (MI300X, (wish("a", "nobody", gpus=1),), 0, "reservation a: is for nobody, and no such tenant is known; add it to gpu_reservation_tenants"),
    # Overlapping exact devices.
    (MI300X, (wish("a", devices=BDFS[:1]), wish("b", "train", devices=BDFS[:2])), 0,
     "reservation b of train: wants devices 0000:05:00.0, 0000:26:00.0: 0000:05:00.0 is reserved by a of chat; correct one of them"),
    # A share that is no whole number of compute units.
    (MI300X[:2], (wish("a", gpus=1, share=30),), 0, "reservation a of chat: wants 30 % of 1 GPU, and free are none: 0000:05:00.0, 0000:26:00.0 "
     "are of 304 compute units, of which 30 % is no whole number; choose a share that is a multiple of 25"),
    (MI300X[:1], (wish("a", devices=BDFS[:1], share=30),), 0, "reservation a of chat: wants 30 % of device 0000:05:00.0: 0000:05:00.0 "
     "is of 304 compute units, of which 30 % is no whole number; choose a share that is a multiple of 25"),
    ((dc.replace(MI300X[0], compute_units=None),), (wish("a", gpus=1, share=50),), 0,
     "reservation a of chat: wants 50 % of 1 GPU, and free are none: 0000:05:00.0 is of an unknown number of compute units, "
     "of which 50 % is no whole number; ask for less, or of another node"),
    # GPUs of several kinds: what is right for each of them.
    ((dc.replace(MI300X[0], compute_units=10), dc.replace(MI300X[1], compute_units=4)), (wish("a", gpus=2, share=20),), 0,
     "reservation a of chat: wants 20 % of 2 GPUs, and free are 1 (0000:05:00.0): 0000:26:00.0 is of 4 compute units, of which 20 % is no whole "
     "number; choose a share that is a multiple of 50"),
    (MI300X[:2], (wish("a", gpus=2, memory_gib=256),), 0, "reservation a of chat: wants 2 GPUs with 256 GiB, and free are none: "
     "0000:05:00.0, 0000:26:00.0 are of 192 GiB; ask for less, or of another node"),
    ((dc.replace(MI300X[0], memory_bytes=None), dc.replace(MI300X[1], render_node=None)), (wish("a", gpus=1, memory_gib=1),), 0,
     "reservation a of chat: wants 1 GPU with 1 GiB, and free are none: 0000:05:00.0 is of unknown memory, "
     "0000:26:00.0 is without a known render node; ask for less, or of another node"),
    (node(2), (wish("a", gpus=1), wish("b", gpus=2)), 0, "reservation b of chat: wants 2 GPUs, and free are 1 (0000:26:00.0): "
     "0000:05:00.0 is reserved by a of chat; ask for less, or of another node"),
    (node(2), (wish("b", gpus=3),), 0, "reservation b of chat: wants 3 GPUs, and free are 2 (0000:05:00.0, 0000:26:00.0); "
     "ask for less, or of another node"),
    (node(2), (wish("a", gpus=2),), 1, "reservation a of chat: wants 2 GPUs, and 1 GPU of the node must stay spare; "
     "ask for less, or set gpu_reservation_spares"),
    (node(2, of=2), (wish("a", partitions=3, one_numa=True),), 1, "reservation a of chat: wants 3 devices near one NUMA node, "
     "and 1 GPU of the node must stay spare; ask for less, or set gpu_reservation_spares"),
    # No group of GPUs is linked so: which are free, and how many of them are.
    (node(4, island=2), (wish("x", devices=BDFS[:1]), wish("a", gpus=2, priority="P0", memory_gib=1), wish("b", gpus=2, **ALL)), 0,
     "reservation b of chat: wants 2 GPUs linked each with each by XGMI, and free are 1 (0000:65:00.0): 0000:05:00.0 is reserved by x "
     "of chat, 0000:26:00.0, 0000:46:00.0 are reserved by a of chat; ask for less, or of another node"),
    (node(4, island=2), (wish("b", gpus=3, **ALL),), 0, "reservation b of chat: wants 3 GPUs linked each with each by XGMI, and of those that "
     "are free, 4 (0000:05:00.0, 0000:26:00.0, 0000:46:00.0, 0000:65:00.0), at most 2 (0000:05:00.0, 0000:26:00.0) are so; "
     "ask for less, or for any link"),
    (node(4, island=2), (wish("b", devices=(BDFS[1], BDFS[2]), **ALL),), 0, "reservation b of chat: wants devices 0000:26:00.0, 0000:46:00.0 "
     "linked each with each by XGMI, and at most 1 (0000:26:00.0) are so; name others"),
])
def test_refusals(devices: tuple[Device, ...], wishes: tuple[Wish, ...], spares: int, sentence: str) -> None:
    with pytest.raises(FleetError) as caught:
        allocate(demand(devices, *wishes, spares=spares))
    assert caught.value.sentence == sentence


def test_what_is_set_aside_is_told() -> None:
    asked = dc.replace(demand(node(2), wish("a", gpus=2), spares=0), aside={BDFS[1]: "set aside (quarantine set by ann)"})
    with pytest.raises(FleetError) as caught:
        allocate(asked)
    assert caught.value.sentence == ("reservation a of chat: wants 2 GPUs, and free are 1 (0000:05:00.0): 0000:26:00.0 is set aside "
                                     "(quarantine set by ann); ask for less, or of another node")
