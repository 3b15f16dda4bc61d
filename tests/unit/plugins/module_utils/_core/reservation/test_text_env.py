# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The environment of a tenant's programs."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation import share
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.shape import Record
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.text_env import environments, masked
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.text_now import standing
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.shape import Window
from ansible_collections.instinct.fleet.tests.unit.support.granted import (
    FIRST,
    HALF,
    RECORD,
    RESEARCH,
    SHARED,
    VISION,
    grant,
)

NIGHT = (Window(tuple(range(7)), 22 * 60, 6 * 60, 0),)
NOON, MIDNIGHT = 12 * 3600.0, 24 * 3600.0


def variables(record: Record, tenant: str = "vision") -> dict[str, str]:
    text = environments(record)[f"/etc/instinct/tenants/{tenant}.env"]
    return dict(line.split("=", 1) for line in text.splitlines() if not line.startswith("#"))  # type: ignore[misc]


def mask(record: Record, tenant: str = "vision") -> str | None:
    return variables(record, tenant).get("HSA_CU_MASK")


def placed(*grants: object, tenants: tuple = (RESEARCH, VISION)) -> Record:
    return share.placed(Record(tenants, grants), None)  # type: ignore[arg-type]


def test_devices_are_named_and_a_shared_one_has_a_mask() -> None:
    assert variables(RECORD) == {"ROCR_VISIBLE_DEVICES": "GPU-0,GPU-1,GPU-2", "HSA_CU_MASK": "2:0-227"}


def test_masks_of_one_device_do_not_overlap() -> None:
    record = placed(grant("much", "vision", SHARED, share=75), grant("rest", "research", SHARED, share=25))
    assert (mask(record), mask(record, "research")) == ("0:0-227", "0:228-303")


def test_a_window_that_turns_moves_no_mask() -> None:
    """The one that is of the night has the earlier name."""
    record = placed(grant("a_night", "research", SHARED, share=50, windows=NIGHT), grant("b", "vision", SHARED, share=50))
    night, noon = (standing(record, at, 0) for at in (MIDNIGHT, NOON))
    assert mask(night) == mask(noon) == "0:152-303"
    assert (mask(night, "research"), variables(noon, "research")) == ("0:0-151", {})


def test_several_shares_of_a_device_are_one_mask() -> None:
    assert mask(placed(grant("a", "vision", FIRST, SHARED, share=50), grant("b", "vision", SHARED, share=25))) == "0:0-151;1:0-227"


def test_who_has_all_of_a_device_as_well_has_no_mask() -> None:
    record = placed(grant("a", "vision", SHARED, share=50), grant("b", "vision", SHARED, windows=NIGHT))
    assert (mask(standing(record, NOON, 0)), mask(standing(record, MIDNIGHT, 0))) == ("0:0-151", None)


@pytest.mark.parametrize("spoilt", [dc.replace(FIRST, compute_units=None), dc.replace(FIRST, rocr_uuid=None), HALF])
def test_what_is_unknown_has_no_mask(spoilt: object) -> None:
    """Without names a mask would number devices in an order that nobody knows."""
    record = placed(grant("a", "vision", spoilt, share=50))  # type: ignore[arg-type]
    assert mask(record) is None and not masked(record, record.grants[0])


def test_a_share_that_no_units_were_set_apart_for_has_no_mask() -> None:
    record = Record((VISION,), (grant("a", "vision", FIRST, share=50),))
    assert mask(record) is None and not masked(record, record.grants[0])


def test_a_device_that_is_gone_is_not_named() -> None:
    record = placed(grant("a", "vision", dc.replace(FIRST, render_node=None), SHARED, share=50))
    assert variables(record) == {"ROCR_VISIBLE_DEVICES": "GPU-2", "HSA_CU_MASK": "0:0-151"}


@pytest.mark.parametrize(("record", "said"), [
    (Record((VISION,)), "# It has no device now."),
    (Record((VISION,), (grant("a", "vision", dc.replace(FIRST, rocr_uuid=None)),)),
     "# Not all devices have a name of their own in ROCr: its programs see those that they may open, and"),
])
def test_what_cannot_be_said_is_said(record: Record, said: str) -> None:
    assert said in environments(record)["/etc/instinct/tenants/vision.env"].splitlines() and variables(record) == {}
