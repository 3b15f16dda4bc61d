# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From options to what is asked."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.health.sample import Wanted
from ansible_collections.instinct.fleet.plugins.module_utils._gate.options import request
from ansible_collections.instinct.fleet.plugins.plugin_utils import gate_data

GIVEN: dict[str, t.Any] = {
    "profile": "burn_in", "profile_data": gate_data.profile((), "burn_in"), "fault_data": gate_data.faults(()), "timeout": 30, "wait": None,
    "wanted": None, "actor": None, "baseline": "compare", "active": False, "record": True, "quarantine": None,
}


def test_request_without_wishes() -> None:
    asked = request(GIVEN)
    assert (asked.profile.id, asked.wait, asked.interval, asked.actor, asked.wanted) == ("burn_in", 0, 5, "gpu_health_gate", Wanted())
    assert len(asked.faults.faults) > 60
    assert ("74a1",) in [product.pci_ids[:1] for product in asked.products]


@pytest.mark.parametrize(("wait", "expected"), [
    ({"timeout": None, "interval": 3}, (600, 3)), ({"timeout": 7, "interval": 3}, (7, 3)), ({"timeout": -7, "interval": 3}, (0, 3))])
def test_request_waits_as_the_profile_says_or_as_told(wait: dict[str, int], expected: tuple[int, int]) -> None:
    asked = request({**GIVEN, "wait": wait})
    assert (asked.wait, asked.interval) == expected


def test_request_with_wishes() -> None:
    asked = request({**GIVEN, "wanted": {"gpus": 4, "compute_partition": "CPX", "memory_partition": None}, "actor": "bob"})
    assert (asked.wanted, asked.actor) == (Wanted(4, "CPX", None), "bob")


@pytest.mark.parametrize(("change", "sentence"), [
    ({"profile_data": None}, "gpu_health_gate: has no profile; call it by its full name: its action plugin brings it"),
    ({"fault_data": None}, "gpu_health_gate: has no profile; call it by its full name: its action plugin brings it"),
    ({"fault_data": {"documents": [], "also": [], "products": [{"name": "MI300X", "pci_ids": "74a1", "vf_ids": []}]}},
     "fault_data.products[0].pci_ids: is text, not a list; write it as a list"),
    ({"timeout": 0}, "timeout: 0 is too short; give at least 1 second"),
])
def test_request_refuses(change: dict[str, t.Any], sentence: str) -> None:
    with pytest.raises(FleetError) as error:
        request({**GIVEN, **change})
    assert error.value.sentence == sentence
