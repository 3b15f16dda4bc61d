# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From options to what is asked; each bad one is one sentence."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.claims import Claim
from ansible_collections.instinct.fleet.plugins.module_utils._partition.request import from_options

RULES = [{"gpus": "all", "compute": "CPX", "memory": "NPS4"}]
DOCUMENT = {"version": "v1", "kind": "partition_profile", "name": "mine", "gpus": RULES}
CAPABILITIES: dict[str, t.Any] = {"documents": [], "products": [{"name": "MI300X", "pci_ids": ["74a1"], "vf_ids": []}]}
OPTIONS: dict[str, t.Any] = {
    "state": "applied", "profile": "", "gpus": [], "accept": ["documented"], "stop_units": ["a"], "reload_allowed": False,
    "reservations": [{"tenant": "blue", "devices": [], "count": 3, "of": "device"}], "timeout": 9, "lock_timeout": 1,
    "name": "exported", "actor": None, "profile_data": {"path": "p.yml", "data": DOCUMENT, "layer": 0},
    "capability_data": CAPABILITIES}


def test_all_of_it() -> None:
    asked = from_options(OPTIONS, True)
    assert asked.profile is not None and asked.profile.name == "mine"
    assert (asked.stop_units, asked.reload_allowed, asked.timeout, asked.lock_timeout) == (("a",), False, 9, 1)
    assert (asked.claims, asked.actor, asked.check) == ((Claim("blue", (), 3),), "gpu_partition", True)
    assert [product.name for product in asked.known.products] == ["MI300X"]


def test_rules_instead_of_a_profile() -> None:
    asked = from_options({**OPTIONS, "profile_data": None, "gpus": RULES}, False)
    assert asked.profile is not None and asked.profile.rules[0].memory == "NPS4"


def test_nothing_is_wanted_of_what_is_exported() -> None:
    assert from_options({**OPTIONS, "state": "exported", "profile_data": None}, False).profile is None


REFUSED: dict[str, tuple[dict[str, t.Any], str]] = {
    "called without its action": ({"capability_data": None}, (
        "gpu_partition: does not know what products can be; call it by its full name: its action plugin brings it")),
    "nothing is wanted": ({"profile_data": None}, "gpu_partition: neither profile nor gpus is given; give one of them"),
    "twice": ({"gpus": RULES}, "gpu_partition: both profile and gpus are given; give one of them"),
    "more time than there is": ({"timeout": 10**12}, f"timeout: {10**12} is too long; give at most 86400 seconds, which are a day"),
    "no time for a lock": ({"lock_timeout": -1}, "lock_timeout: -1 is too short; give at least 0 seconds"),
    "no time": ({"timeout": 0}, "timeout: 0 is too short; give at least 1 second"),
    "a mode that is none": (
        {"profile_data": None, "gpus": [{**RULES[0], "compute": "XPX"}]},
        "gpus[0].compute: is 'XPX'; choose one of SPX, DPX, TPX, QPX, CPX"),
    "a profile that is none": (
        {"profile_data": {"path": "p.yml", "data": {**DOCUMENT, "kind": "x"}}},
        "p.yml: kind: is 'x'; choose one of partition_profile"),
    "a document that is none": ({"profile_data": {"path": "p.yml"}}, "profile: data: is missing; add it"),
    "a reservation of nothing": (
        {"reservations": [{"tenant": "blue", "devices": [], "count": None, "of": "gpu"}]},
        "reservations[0]: has both or neither of devices and count; say which, or how many"),
    "a reservation that is none": ({"reservations": ["x"]}, "reservations[0]: is text, not a mapping; write it as a mapping"),
    "data of another form": ({"capability_data": {"x": 1}}, "capability_data: documents: is missing; add it"),
}


@pytest.mark.parametrize(("options", "sentence"), REFUSED.values(), ids=REFUSED)
def test_refused(options: dict[str, t.Any], sentence: str) -> None:
    with pytest.raises(FleetError) as error:
        from_options({**OPTIONS, **options}, False)
    assert error.value.sentence == sentence
