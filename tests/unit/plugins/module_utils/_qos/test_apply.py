# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A run: what it sets, proves, takes back and remembers."""

from __future__ import annotations

import dataclasses as dc
import json
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._act.outcome import Failed
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.qos.shape import NODE
from ansible_collections.instinct.fleet.plugins.module_utils._qos import apply, data
from ansible_collections.instinct.fleet.plugins.module_utils._qos.request import ASSERTED, RESTORED
from ansible_collections.instinct.fleet.tests.unit.plugins.qos_world import FRESH, WATT, A, B, World, request

CAPS = [f"set power cap of {bdf} to 276 W (was 300 W)" for bdf in (A, B)]
ALL = ["set numa balancing to off (was on)", *CAPS]
BEFORE = {NODE: {"numa_balancing": "on"}, A: {"power_cap": 300 * WATT}, B: {"power_cap": 300 * WATT}}


def results(values: t.Mapping[str, t.Any]) -> dict[tuple[str, str], str]:
    """Target and setting -> what became of it."""
    return {(row["target"], row["setting"]): row["result"] for row in values["settings"]}


def test_check_mode_says_what_a_run_does(world: World) -> None:
    said = apply.run(request(check=True))
    assert said.actions == (*ALL, "remember what was before one")
    assert said.diff == ({"before_header": "settings", "after_header": "settings",
                          "before": f"node numa balancing: on\n{A} power cap: 300 W\n{B} power cap: 300 W\n",
                          "after": f"node numa balancing: off\n{A} power cap: 276 W\n{B} power cap: 276 W\n"},)
    assert (set(results(said.values).values()), said.values["as_wanted"]) == ({"would_change"}, False)
    assert (world.sets, data.remembered()) == ([], None)
    done = apply.run(request())
    assert (done.actions, done.diff) == (said.actions, said.diff)


def test_applied_and_restored(world: World) -> None:
    said = apply.run(request())
    assert (world.sets, said.values["as_wanted"], set(results(said.values).values())) == (ALL, True, {"applied"})
    kept = data.remembered()
    assert kept is not None
    assert (kept.profile, kept.before) == ("one", BEFORE)
    again = apply.run(request())
    assert (again.actions, again.diff, set(results(again.values).values())) == ((), (), {"unchanged"})
    back = apply.run(request(state=RESTORED))
    assert back.actions[-1] == "forget what was before profiles"
    assert (world.values[A], world.values[NODE], data.remembered()) == (FRESH, {"numa_balancing": "on"}, None)
    assert apply.run(request(state=RESTORED)).actions == ()


def test_a_profile_that_asks_for_what_is_there_is_remembered(world: World) -> None:
    wanted = request(profiles={"one": {"power_cap": "default"}})
    foreseen, done = apply.run(dc.replace(wanted, check=True)), apply.run(wanted)
    assert foreseen.actions == done.actions == ("remember what was before one",)
    assert foreseen.diff == done.diff == ()
    assert (world.sets, apply.run(wanted).actions) == ([], ())


def test_asserted_changes_nothing_and_does_not_fail(world: World) -> None:
    said = apply.run(request(state=ASSERTED))
    assert (said.actions, said.diff, said.values["as_wanted"], set(results(said.values).values())) == ((), (), False, {"differs"})
    assert world.sets == []


def test_windows(world: World) -> None:
    night = request(profiles={"one": {"process_isolation": "on"}, "night": {"power_cap": "275 W"}},
                    schedule=[{"profile": "night", "begins": "22:00", "ends": "06:00"}])
    for hour, name, cap, isolation in ((12, "one", 300, "on"), (23, "night", 275, "off"), (5, "night", 275, "off"), (7, "one", 300, "on")):
        world.hour = hour
        assert apply.run(night).values["profile"] == name
        assert (world.values[A]["power_cap"], world.values[A]["process_isolation"]) == (cap * WATT, isolation)
    world.hour = 23
    apply.run(night)
    world.hour = 8
    bare = request("", profiles={"night": {"power_cap": "275 W"}}, schedule=[{"profile": "night", "begins": "22:00", "ends": "06:00"}])
    assert apply.run(bare).values["profile"] == ""
    assert (world.values[A], data.remembered()) == (FRESH, None)


def test_gpus_that_are_meant(world: World) -> None:
    apply.run(request(gpus=(A,)))
    assert [world.values[bdf]["power_cap"] for bdf in (A, B)] == [276 * WATT, 300 * WATT]
    apply.run(request(gpus=(B,)))
    assert [world.values[bdf]["power_cap"] for bdf in (A, B)] == [300 * WATT, 276 * WATT]
    with pytest.raises(FleetError, match=r"^gpu 0000:99:00.0: is not on this node; name GPUs by their PCI address$"):
        apply.run(request(gpus=("0000:99:00.0",)))


def test_what_fails_is_taken_back(world: World, tmp_path: Path) -> None:
    world.refuses[B, "power_cap"] = "AMDSMI_STATUS_BUSY: Device busy"
    world.values["node"]["numa_balancing"] = "off"
    with pytest.raises(Failed) as error:
        apply.run(request())
    assert error.value.sentence == (f"gpu {B}: power cap is 300 W and not 276 W: AMDSMI_STATUS_BUSY: Device busy; read the kernel log "
                                    "(journalctl -k -g amdgpu)")
    assert results(error.value.values) == {(NODE, "numa_balancing"): "unchanged", (A, "power_cap"): "rolled_back",
                                           (B, "power_cap"): "rolled_back"}
    assert (error.value.values["changed"], world.values[A], data.remembered()) == (False, FRESH, None)
    assert json.loads((tmp_path / "journal.jsonl").read_text())["result"] == "failed"


def test_success_that_did_nothing_is_none(world: World) -> None:
    world.ignored.add("numa_balancing")
    with pytest.raises(Failed, match=r"^node: numa balancing is on and not off: no call failed; "):
        apply.run(request())
    assert world.values[A] == FRESH


def test_what_cannot_be_taken_back_stays_remembered(world: World) -> None:
    world.refuses[B, "power_cap"] = "AMDSMI_STATUS_BUSY"
    world.after = lambda: world.refuses.update({(A, "power_cap"): "AMDSMI_STATUS_IO"})
    with pytest.raises(Failed) as error:
        apply.run(request())
    assert results(error.value.values)[A, "power_cap"] == "not_restored"
    assert error.value.values["changed"] is True
    remembered = data.remembered()
    assert remembered is not None
    assert remembered.before[A] == {"power_cap": 300 * WATT}


def test_beyond_the_board_nothing_is_written(world: World) -> None:
    with pytest.raises(FleetError, match=r"^gpu 0000:03:00.0: power cap 400 W of profile one is beyond the board, which takes 0 to 300 W; "):
        apply.run(request(profiles={"one": {"power_cap": "400 W"}}))
    assert (world.sets, data.remembered()) == ([], None)


def test_what_is_left_out_is_said(world: World) -> None:
    profiles = {"one": {"power_cap": "50%", "soc_pstate": "1"}}
    with pytest.raises(FleetError, match="cannot have soc pstate 1 of profile one: it has no such setting"):
        apply.run(request(profiles=profiles))
    said = apply.run(request(profiles=profiles, refuse=False)).values
    assert said["as_wanted"] is True
    assert said["unsupported"] == [{"target": bdf, "setting": "soc_pstate", "wanted": "1", "reason": "it has no such setting"}
                                   for bdf in (A, B)]


def test_the_clock_is_that_of_the_node(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    now, zone = apply._clock()
    assert now > 0 and -14 * 60 <= zone <= 14 * 60
