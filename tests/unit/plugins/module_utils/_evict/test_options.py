# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of an eviction: what is wrong is one sentence, before anything is looked at."""

from __future__ import annotations

import re
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.eviction.shape import EVICTABLE
from ansible_collections.instinct.fleet.plugins.module_utils._evict.eyes import View
from ansible_collections.instinct.fleet.plugins.module_utils._evict.options import asked
from ansible_collections.instinct.fleet.plugins.modules.gpu_evict import SPEC
from ansible_collections.instinct.fleet.tests.unit.support.evictions import DATA, DEVICES, RECORD, RULES, A, C, holder

STALLS = {"compute": [90, 0, 0, 0] * 4 + [90], "bandwidth": [100, 10, 10, 400] * 4 + [100]}
VIEW = View(RECORD, DEVICES, (holder(7, "train", C),), {})


def options(**given: t.Any) -> dict[str, t.Any]:
    """As the module gives them."""
    return {**{name: spec.get("default") for name, spec in SPEC.items()}, "rules_data": {"path": "r.yml", "data": DATA}, **given}


@pytest.mark.parametrize(("given", "said"), [
    ({"rules_data": None}, "gpu_evict: does not know its rules; call it by its full name: its action plugin brings them"),
    ({"classes": ["P0"]}, "classes: has P0, which is never evicted; choose of P1, P2"),
    ({"grace": {"P1": -1}}, "P1: is -1; give 0 to 86400 whole seconds"),
    ({"grace": {"P1": "15"}}, "P1: is '15'; give 0 to 86400 whole seconds"),
    ({"grace": {"P1": True}}, "P1: is True; give 0 to 86400 whole seconds"),
    ({"lock_timeout": 90000}, "lock_timeout: is 90000; give 0 to 86400 whole seconds"),
    ({"samples": [{"device": A}]}, "gpu_evict: samples[0].compute: is missing; add it"),
])
def test_what_is_wrong(given: dict[str, t.Any], said: str) -> None:
    with pytest.raises(FleetError, match=f"^{re.escape(said)}$"):
        asked(options(**given))


def test_samples_tell_which_devices_are_protected() -> None:
    found = asked(options(samples=[{"device": A, "interval": 1, **STALLS}, {"device": C, "interval": 20, **STALLS}]))
    assert (found.rules, found.recognised) == (RULES, {A})


def test_what_is_asked_of_a_node() -> None:
    given = options(reservation="night", whom="all", grace={"P1": 5}, kill_allowed=True)
    request, decided = asked(given).decide(VIEW)
    assert (request.devices, request.whom, request.classes, request.grace) == ((C,), "all", EVICTABLE[::-1], {"P1": 5})
    assert (request.kill_allowed, request.reset_allowed, request.protection, request.checkpoint) == (True, False, True, "required")
    assert [(wave.priority, wave.grace) for wave in decided.waves] == [("P1", 5)]


def test_samples_protect_on_the_node() -> None:
    found = asked(options(devices=[C], whom="all", samples=[{"device": C, "interval": 1, **STALLS}]))
    _request, decided = found.decide(VIEW)
    assert (decided.waves, len(decided.kept)) == ((), 1)
