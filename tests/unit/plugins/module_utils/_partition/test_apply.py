# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One run as a whole: asserted, predicted, applied, refused, and what it says."""

from __future__ import annotations

import dataclasses as dc
import fcntl
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._act import lock
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.claims import Claim
from ansible_collections.instinct.fleet.plugins.module_utils._partition import units
from ansible_collections.instinct.fleet.plugins.module_utils._partition.apply import run
from ansible_collections.instinct.fleet.tests.unit.plugins.partition_world import DISK, A, B, World, process, request


def test_what_is_wanted_is_done_in_order_with_one_look_before(world: World) -> None:
    done = run(request("QPX", "NPS4"))
    assert world.log == ["look", "look", f"memory NPS4 {A} {B}", "reload amdgpu", "look", f"compute QPX {A} {B}", "look"]
    assert done.actions == ("set memory partition NPS4 on 2 GPUs (was NPS1)", "reload amdgpu",
                            "set compute partition QPX on 2 GPUs (was CPX)")
    assert (done.values["as_wanted"], len(done.values["devices"]), len(done.values["devices_before"])) == (True, 8, 2)
    assert [entry["after"].splitlines()[0] for entry in done.diff] == ["0000:05:00.0/0 MI300X QPX/NPS4 2 XCDs 49148 MiB NUMA 0"]


def test_a_node_that_is_as_wanted_costs_one_look(world: World) -> None:
    done = run(request("SPX", "NPS1"))
    assert (world.log, done.actions, done.diff, done.values["as_wanted"]) == (["look"], (), (), True)


@pytest.mark.parametrize("options", [{"state": "asserted"}, {"check": True}], ids=["asserted", "check mode"])
def test_what_only_reports_takes_no_lock_and_touches_nothing(world: World, options: dict[str, t.Any]) -> None:
    said = run(request("CPX", "NPS4", **options))
    assert (world.log, said.values["as_wanted"]) == (["look"], False)
    assert bool(said.actions) is bool(said.diff) is ("check" in options)


def test_one_run_at_a_time(world: World) -> None:
    with open(lock.LOCK, "w", encoding="utf-8") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(FleetError, match="another run acts on this node"):
            run(request(lock_timeout=0))
        assert run(request(check=True)).values["as_wanted"] is False
    assert world.acts == []
    assert run(request(lock_timeout=0)).values["as_wanted"] is True


def test_check_mode_says_who_is_in_the_way(world: World) -> None:
    world.processes = [process(7)]
    notes = run(request(check=True)).values["notes"]
    assert notes == [f"would be refused now: gpu {A}: is held by pid 7 (python3); drain the node first"]
    world.processes = [process(7, "a.service")]
    assert run(request(check=True, stop_units=("a",))).values["notes"] == []


def test_export_is_one_look(world: World) -> None:
    assert run(dc.replace(request(), state="exported", profile=None, name="now")).values["profile"]["name"] == "now"
    assert world.log == ["look"]


def test_without_a_profile_there_is_nothing_to_apply(world: World) -> None:
    with pytest.raises(FleetError, match="neither profile nor gpus is given"):
        run(dc.replace(request(), profile=None))


def test_what_needs_a_reload_that_is_not_allowed_waits(world: World) -> None:
    said = run(request("CPX", "NPS4", reload_allowed=False))
    assert (world.acts, said.actions, said.values["as_wanted"]) == ([], (), False)
    assert {(one["result"], one["reason"]) for one in said.values["gpus"]} == {("would_change", said.values["reboot_required"])}


REFUSED: dict[str, tuple[t.Callable[[World], t.Any], dict[str, t.Any], str]] = {
    "a unit that is none": (lambda w: None, {"stop_units": ("rm -rf",)}, "stop_units: 'rm -rf' is no name of a unit"),
    "a reservation": (lambda w: None, {"claims": (Claim("blue", (), 17),)}, "reservation of blue: wants 17 devices"),
    "another driver on disk": (
        lambda w: setattr(w, "disk", dc.replace(DISK, kind="in_tree", version="", srcversion="CC")), {"memory": "NPS4"},
        f"{DISK.path}: modprobe would load the in-tree module, wanted is the DKMS one"),
}


@pytest.mark.parametrize(("arrange", "options", "sentence"), REFUSED.values(), ids=REFUSED)
@pytest.mark.parametrize("check", [True, False])
def test_refused_alike_in_check_mode(
    world: World, check: bool, arrange: t.Callable[[World], t.Any], options: dict[str, t.Any], sentence: str,
) -> None:
    arrange(world)
    with pytest.raises(FleetError) as error:
        run(request(check=check, **options))
    assert (error.value.sentence.startswith(sentence), world.acts) == (True, [])


@pytest.mark.parametrize("options", [{"state": "asserted"}, {"check": True}, {}], ids=["asserted", "check mode", "done"])
def test_what_an_earlier_run_owes_is_foreseen(world: World, options: dict[str, t.Any]) -> None:
    units.write(units.Note("b1", ("b.service", "gone.service"), units.OwedDriver("6.14.14", "AAAA", 2)))
    said = run(request(**options))
    assert said.actions == (() if "state" in options else ("start b.service", "set compute partition CPX on 2 GPUs (was SPX)"))
    assert said.values["notes"][0] == "an earlier run was ended in the middle of a change"
    assert said.values["units"]["started"] == ([] if options else ["b.service"])
    assert (units.read() is None) is (not options)


def test_what_was_healed_is_said_though_the_change_is_refused(world: World) -> None:
    units.write(units.Note("b1", ("b.service",)))
    world.processes = [process(7)]
    with pytest.raises(FleetError, match="pid 7") as error:
        run(request())
    values = error.value.values  # type: ignore[attr-defined]
    assert (values["changed"], values["actions"]) == (True, ["start b.service"])
    assert values["notes"] == ["an earlier run was ended in the middle of a change"]


def test_a_failure_has_return_values(world: World) -> None:
    world.ignored = {B}
    with pytest.raises(FleetError) as error:
        run(request())
    values = error.value.values  # type: ignore[attr-defined]
    assert (values["changed"], values["as_wanted"], values["diff"]) == (True, False, [])
    assert values["actions"] == ["set compute partition CPX on 2 GPUs (was SPX)", "set compute partition SPX on 1 GPU"]
    assert [one["result"] for one in values["gpus"]] == ["rolled_back"] * 2


def test_no_compute_mode_is_asked_for_while_the_memory_mode_is_another(world: World) -> None:
    world.ignored = {A, B}
    with pytest.raises(FleetError, match="reads back as SPX/NPS1, although no call failed"):
        run(request("CPX", "NPS4"))
    assert world.acts == [f"memory NPS4 {A} {B}", "reload amdgpu"]


def test_what_a_way_back_that_fails_leaves_is_looked_at_anew(world: World) -> None:
    world.ignored = {B}

    def lose_next() -> None:
        world.at["reload amdgpu"] = lambda: world.lost.add(A)

    world.at["reload amdgpu"] = lose_next
    with pytest.raises(FleetError) as error:
        run(request("QPX", "NPS4"))
    gpus = error.value.values["gpus"]  # type: ignore[attr-defined]
    assert [(one["result"], one["after"]) for one in gpus] == [("not_restored", None), ("rolled_back", "SPX/NPS1")]
