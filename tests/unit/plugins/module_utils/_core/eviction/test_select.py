# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which devices are freed: each way to name them, and each name that this node does not have."""

from __future__ import annotations

import dataclasses as dc
import re

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.eviction.select import selected
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.shape import Record
from ansible_collections.instinct.fleet.tests.unit.support.evictions import DEVICES, RECORD, A, B, C

PARTS = tuple(dc.replace(DEVICES[0], id=f"{A}-{number}", partition=number, of=2, uuid=None) for number in (0, 1))
KNOWN = (*PARTS, *DEVICES[1:])


@pytest.mark.parametrize(("devices", "reservation", "tenant", "ids"), [
    ([B], "", "", (B,)), ([f"{A}-1"], "", "", (f"{A}-1",)), ([A], "", "", (f"{A}-0", f"{A}-1")),
    (["01FF-0000"], "", "", (B,)), ([C, A.upper()], "", "", (f"{A}-0", f"{A}-1", C)), ([], "night", "", (C,)), ([], "", "train", (C,)),
], ids=["an id", "a partition", "all of a GPU", "a UUID", "several, in the node's order", "a reservation", "a tenant"])
def test_what_is_named_is_chosen(devices: list[str], reservation: str, tenant: str, ids: tuple[str, ...]) -> None:
    assert selected(devices, reservation, tenant, RECORD, KNOWN) == ids


@pytest.mark.parametrize(("devices", "reservation", "tenant", "record", "said"), [
    ([], "", "", RECORD, "gpu_evict: not exactly one of devices, reservation and tenant is given; give one of them"),
    ([B], "night", "", RECORD, "gpu_evict: not exactly one of devices, reservation and tenant is given; give one of them"),
    (["0000:26:00.1"], "", "", RECORD, f"devices: this node has no '0000:26:00.1'; did you mean {B}"),
    (["0"], "", "", RECORD, f"devices: this node has no '0'; there is {A}-0, {A}-1, {B}, {C}, 0000:65:00.0"),
    ([], "nigth", "", RECORD, "reservation: this node has none named 'nigth'; did you mean night"),
    ([], "", "vision", RECORD, "tenant: this node has none named 'vision'; there is serve, train, dev, mixed"),
    ([], "", "vision", Record(), "tenant: this node has none named 'vision'; there is none at all"),
    ([], "inference", "", RECORD, f"reservation inference: has {A}, which this node does not show; reserve anew"),
])
def test_what_is_not_there_is_one_sentence(devices: list[str], reservation: str, tenant: str, record: Record, said: str) -> None:
    with pytest.raises(FleetError, match=f"^{re.escape(said)}$"):
        selected(devices, reservation, tenant, record, KNOWN)
