# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One look, and all that follows from it."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.claims import Claim
from ansible_collections.instinct.fleet.plugins.module_utils._partition import eyes
from ansible_collections.instinct.fleet.plugins.module_utils._partition.decide import decide
from ansible_collections.instinct.fleet.tests.unit.plugins.partition_world import A, World, request


def test_devices_before_and_after(world: World) -> None:
    decided = decide(request("CPX", "NPS4"))
    assert (len(decided.before), len(decided.after), world.log) == (2, 16, ["look"])
    assert [change.action for change in decided.plan.changes] == ["memory", "reload"]
    assert decided.gpus is decided.seen.gpus


def test_the_library_decides_who_reloads(world: World) -> None:
    world.library = "25.5.1"
    assert [change.action for change in decide(request("CPX", "NPS4")).plan.changes] == ["memory"]


@pytest.mark.parametrize("options", [{"compute": "SPX"}, {"state": "asserted"}], ids=["nothing changes", "asserted"])
def test_a_reservation_is_asked_only_where_something_changes(world: World, options: dict[str, str]) -> None:
    assert decide(request(claims=(Claim("blue", (), 99),), **options)).plan.reboot == ""  # type: ignore[arg-type]


def test_a_reservation_that_a_reboot_would_take_is_refused(world: World) -> None:
    with pytest.raises(FleetError, match="reservation of blue"):
        decide(request("CPX", "NPS4", reload_allowed=False, claims=(Claim("blue", (), 99),)))


def test_what_could_not_be_applied_now_is_asserted_all_the_same(world: World) -> None:
    world.library = ""
    with pytest.raises(FleetError, match="amdsmi: did not answer"):
        decide(request())
    plan = decide(request(state="asserted")).plan
    assert ([one.text for one in plan.wanted], plan.changes) == (["CPX/NPS1"] * 2, ())
    assert plan.notes[0].startswith("could not be applied now: amdsmi: did not answer")


def test_what_is_not_known_is_not_asserted(world: World) -> None:
    world.modes[A][1] = None  # type: ignore[call-overload]
    with pytest.raises(FleetError, match="memory partition unknown"):
        decide(request(state="asserted"))


def test_nothing_seen_is_a_refusal(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(eyes, "look", lambda *_asked: lk.Look())
    with pytest.raises(FleetError, match="the node has no GPU"):
        decide(request())


def test_nothing_wanted_is_a_refusal(world: World) -> None:
    with pytest.raises(FleetError) as error:
        decide(dc.replace(request(), profile=None))
    assert (error.value.sentence, world.log) == ("gpu_partition: neither profile nor gpus is given; give one of them", [])
