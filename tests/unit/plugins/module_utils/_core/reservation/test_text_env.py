# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The environment of a tenant's programs."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.shape import Record
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.text_env import environments, mask
from ansible_collections.instinct.fleet.tests.unit.support.granted import FIRST, RECORD, SHARED, VISION, grant

PATH = "/etc/instinct/tenants/vision.env"


def variables(text: str) -> dict[str, str]:
    return dict(line.split("=", 1) for line in text.splitlines() if not line.startswith("#"))  # type: ignore[misc]


def test_devices_are_named_and_a_shared_one_has_a_mask() -> None:
    assert variables(environments(RECORD)[PATH]) == {"ROCR_VISIBLE_DEVICES": "GPU-0,GPU-1,GPU-2", "HSA_CU_MASK": "2:0-227"}


def test_masks_of_one_device_do_not_overlap() -> None:
    assert (mask(RECORD, "vision"), mask(RECORD, "research")) == ("2:0-227", "0:228-303")


def test_several_shared_devices() -> None:
    record = Record((VISION,), (grant("a", "vision", FIRST, SHARED, share=50), grant("b", "vision", SHARED, share=25)))
    assert mask(record, "vision") == "0:0-151;1:0-151;1:152-227"


def test_a_device_whose_compute_units_are_unknown_has_no_mask() -> None:
    assert mask(Record((VISION,), (grant("a", "vision", dc.replace(FIRST, compute_units=None), share=50),)), "vision") == ""


@pytest.mark.parametrize(("record", "said"), [
    (Record((VISION,)), "# It has no device now."),
    (Record((VISION,), (grant("a", "vision", dc.replace(FIRST, rocr_uuid=None)),)),
     "# Not all devices have a name of their own in ROCr: its programs see those that they may open."),
])
def test_what_cannot_be_said_is_said(record: Record, said: str) -> None:
    text = environments(record)[PATH]
    assert said in text.splitlines() and variables(text) == {}
