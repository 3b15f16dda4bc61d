# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run is asked, of options and of files."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._qos.request import from_options
from ansible_collections.instinct.fleet.tests.unit.support.qos_data import profile

DATA = {"documents": [], "products": []}
OPTIONS: dict[str, t.Any] = {
    "state": "applied", "profile": "mine", "schedule": [], "gpus": ["0000:AF:00.0"], "unsupported": "say", "timeout": 60, "lock_timeout": 0,
    "actor": None, "product_data": DATA, "profile_data": [{"path": "p", "data": profile(power_cap="50%"), "layer": 0}]}


def test_what_is_asked() -> None:
    asked = from_options(OPTIONS, True)
    assert (asked.base, list(asked.profiles), asked.gpus, asked.refuse, asked.actor, asked.check) == (
        "mine", ["mine"], ("0000:af:00.0",), False, "gpu_qos", True)


@pytest.mark.parametrize(("change", "sentence"), [
    ({"product_data": None}, "gpu_qos: does not know what products take; call it by its full name: its action plugin brings it"),
    ({"profile_data": []}, "profile: there is no profile 'mine' in what was given; call it by its full name: its action plugin brings it"),
    ({"schedule": [{"profile": "other", "begins": "22:00", "ends": "06:00"}]},
     "profile: there is no profile 'other' in what was given; call it by its full name: its action plugin brings it"),
    ({"timeout": 0}, "timeout: is 0; give 1 to 86400 seconds"), ({"lock_timeout": 86401}, "lock_timeout: is 86401; give 0 to 86400 seconds"),
    ({"product_data": {**DATA, "more": 1}}, "product_data: more: is not a known key; remove it"),
])
def test_what_is_wrong_is_one_sentence(change: dict[str, t.Any], sentence: str) -> None:
    with pytest.raises(FleetError) as error:
        from_options({**OPTIONS, **change}, False)
    assert error.value.sentence == sentence
