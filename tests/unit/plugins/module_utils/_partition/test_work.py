# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A change as a whole: who is stopped, what is taken back, what is put back, whatever happens."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Gpus
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.shape import GpuWanted, Transition
from ansible_collections.instinct.fleet.plugins.module_utils._partition import holders, units
from ansible_collections.instinct.fleet.plugins.module_utils._partition.decide import decide
from ansible_collections.instinct.fleet.plugins.module_utils._partition.work import (
    Ended,
    Work,
    summary,
    summary_wanted,
    targets,
)
from ansible_collections.instinct.fleet.tests.unit.plugins.partition_world import (
    BUSY,
    INVAL,
    A,
    B,
    World,
    process,
    request,
)


def work(compute: str = "CPX", memory: str = "NPS1", **options: t.Any) -> Ended:
    """One change, from the look on."""
    asked = request(compute, memory, **options)
    decided = decide(asked)
    return Work(asked, decided.seen, decided.plan).run()


def told(ended: Ended) -> list[tuple[str, str | None, str]]:
    return [(one.result, one.after, one.reason) for one in ended.results]


def test_units_are_noted_before_they_are_stopped(world: World) -> None:
    noted: list[units.Note | None] = []
    world.at["stop a.service"] = lambda: noted.append(units.read())
    ended = work(stop_units=("a", "b", "c"))
    assert noted == [units.Note("b1", ("a.service",))]
    assert (ended.stopped, ended.started, ended.failed, units.read()) == (("a.service",), ["a.service"], {}, None)
    assert ended.actions == ["stop a.service", "set compute partition CPX on 2 GPUs (was SPX)", "start a.service"]
    assert ended.notes == ["there is no unit c.service to stop"]


def test_the_driver_is_noted_before_it_is_taken_out(world: World) -> None:
    noted: list[units.Note | None] = []
    world.at["reload amdgpu"] = lambda: noted.append(units.read())
    assert work("CPX", "NPS4").error is None
    assert noted == [units.Note("b1", (), units.OwedDriver("6.14.14", "AAAA", 2))]
    assert units.read() is None


def test_processes_of_units_that_are_stopped_do_not_count_and_others_do(world: World) -> None:
    world.processes = [process(7, "a.service"), process(8, "b.service")]
    with pytest.raises(FleetError) as error:
        work(stop_units=("a",))
    assert "pid 8 (python3, b.service)" in error.value.sentence and "pid 7" not in error.value.sentence
    assert (world.acts, units.read()) == ([], None)


def test_whether_gpus_are_held_must_be_known(world: World) -> None:
    world.untold = {"processes": "no such list"}
    with pytest.raises(FleetError, match="whether processes hold them is unknown: no such list"):
        work()


def test_what_the_library_alone_lists_counts_too(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from ansible_collections.instinct.fleet.plugins.module_utils._partition import holders

    world.others = [process(9)]
    monkeypatch.setattr(holders, "_named", lambda _machine, one: one)
    with pytest.raises(FleetError, match="pid 9"):
        work()


def test_a_process_that_outlives_its_unit_stops_the_change(world: World) -> None:
    world.processes = [process(7, "a.service")]
    ended = work(stop_units=("a",))
    assert ended.error is not None and "pid 7 (python3, a.service)" in ended.error.sentence
    assert (world.acts, world.active) == (["stop a.service", "start a.service"], {"a.service"})
    assert told(ended) == [("failed", "SPX/NPS1", ended.error.sentence)] * 2


def test_a_process_may_take_a_moment_to_end(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from ansible_collections.instinct.fleet.plugins.module_utils._partition import holders

    world.processes = [process(7, "a.service")]
    real = holders.listed
    looks = iter([None, None, world.processes.clear])

    def listed() -> t.Any:
        (next(looks, None) or (lambda: None))()
        return real()

    monkeypatch.setattr(holders, "listed", listed)
    monkeypatch.setattr(holders, "PATIENCE", 5)
    assert work(stop_units=("a",)).error is None


def test_a_unit_that_does_not_stop(world: World) -> None:
    world.fails["systemctl stop -- a.service"] = "Job failed."
    ended = work(stop_units=("a",))
    assert ended.error is not None
    assert ended.error.sentence == "systemctl stop a.service: Job failed; find out why they do not end"
    assert (world.acts, {one.result for one in ended.results}) == (["start a.service"], {"failed"})


def test_the_others_go_back_when_one_fails(world: World) -> None:
    world.answers[B] = [INVAL]
    ended = work()
    assert told(ended) == [("rolled_back", "SPX/NPS1", "other GPUs failed"),
                           ("rolled_back", "SPX/NPS1", "AMDSMI_STATUS_INVAL; reads back as SPX/NPS1")]
    assert world.acts == [f"compute CPX {A} {B}", f"compute SPX {A}"]


def test_a_gpu_that_does_not_go_back_is_told(world: World) -> None:
    world.answers = {A: [(0, ""), INVAL], B: [INVAL]}
    assert told(work()) == [
        ("not_restored", "CPX/NPS1", "other GPUs failed; not set back to SPX/NPS1: is CPX/NPS1"),
        ("rolled_back", "SPX/NPS1", "AMDSMI_STATUS_INVAL; reads back as SPX/NPS1")]


@pytest.mark.parametrize("stays", [True, False])
def test_who_came_after_the_look_is_named(world: World, monkeypatch: pytest.MonkeyPatch, stays: bool) -> None:
    def change(*asked: t.Any) -> t.Any:
        world.processes = [process(7, "late.service")] if stays else []
        return world.change(*asked)

    monkeypatch.setattr(holders.partition, "change", change)
    world.answers = {A: [BUSY], B: [BUSY]}
    said = [f"gpu {A}: is held by pid 7 (python3, late.service); drain the node first, or list what may be stopped meanwhile in "
            "gpu_partition_stop_units: late.service"]
    assert work().notes == (said if stays else [])


def test_nothing_is_taken_back_where_nothing_was_done(world: World) -> None:
    world.answers = {A: [INVAL], B: [INVAL]}
    ended = work()
    assert (world.acts, {one.result for one in ended.results}) == ([f"compute CPX {A} {B}"], {"failed"})
    assert ended.actions == []


def test_devices_that_are_missing_are_a_failure(world: World) -> None:
    world.fewer = {B: 7}
    world.modes[B][0] = "DPX"
    ended = work()
    assert ended.error is not None
    assert ended.error.sentence.startswith(f"gpu {B}: is not CPX/NPS1: KFD shows 7 of its 8 devices")


def test_memory_goes_back_too(world: World) -> None:
    world.ignored = {B}
    world.modes[A][0] = "DPX"
    ended = work("QPX", "NPS4")
    assert ended.error is not None and ended.error.where == f"gpu {B}"
    assert world.acts == [f"memory NPS4 {A} {B}", "reload amdgpu", f"compute QPX {A} {B}", f"memory NPS1 {A} {B}",
                          "reload amdgpu", f"compute DPX {A}"]
    assert [one.result for one in ended.results] == ["rolled_back"] * 2


def test_memory_stays_where_not_all_gpus_came_back(world: World) -> None:
    world.lost = {B}
    ended = work("CPX", "NPS4", stop_units=("a",))
    assert ended.error is not None and ended.error.sentence == "amdgpu: KFD shows 1 of 2 GPUs"
    assert "memory partitions are not rolled back: not all GPUs are there" in ended.notes
    assert [(one.result, one.after) for one in ended.results] == [("not_restored", "CPX/NPS4"), ("not_restored", None)]
    assert world.active == {"a.service"}


def test_a_way_back_that_fails_is_told(world: World) -> None:
    world.ignored = {B}

    def fail_next() -> None:
        world.at.clear()
        world.at["reload amdgpu"] = lambda: world.fails.update({"reload amdgpu": "in use"})

    world.at["reload amdgpu"] = fail_next
    ended = work("QPX", "NPS4")
    assert "rolling back: modprobe -r amdgpu: in use; drain the node first" in ended.notes
    assert [one.result for one in ended.results] == ["not_restored"] * 2


def test_a_request_that_stays_is_told(world: World) -> None:
    world.fails["reload amdgpu"] = "in use"
    ended = work("CPX", "NPS4")
    assert ended.notes == ["memory partition NPS4 stays requested: the driver takes it when it is next taken out, and forgets "
                           "it at a reboot"]
    assert told(ended) == [("rolled_back", "SPX/NPS1", "modprobe -r amdgpu: in use; drain the node first")] * 2


def test_a_request_that_the_way_back_leaves_is_told_and_one_that_it_spends_is_not(world: World) -> None:
    world.ignored = {B}
    world.at["reload amdgpu"] = lambda: world.answers.update({B: [INVAL]})
    ended = work("QPX", "NPS4")
    assert [note.partition(":")[0] for note in ended.notes] == ["rolling back", "memory partition NPS1 stays requested"]


def test_gpus_that_come_with_the_driver_in_the_end_are_looked_at_again(world: World) -> None:
    def lose() -> None:
        world.loaded = None
        world.fails["reload amdgpu"] = "no such file"

    world.at["reload amdgpu"] = lose
    ended = work("CPX", "NPS4")
    assert ended.actions == ["set memory partition NPS4 on 2 GPUs (was NPS1)", "load amdgpu"]
    assert (told(ended), ended.gpus) == ([("applied", "CPX/NPS4", "")] * 2, world.look(("gpus",)).gpus)


def test_a_driver_that_stayed_out_is_loaded_and_units_start_whatever_comes_of_it(world: World) -> None:
    def lose() -> None:
        world.loaded = None
        world.fails["reload amdgpu"] = "no such file"

    world.at["reload amdgpu"] = lose
    world.fails["load amdgpu"] = "no such file"
    ended = work("CPX", "NPS4", stop_units=("a",))
    assert ended.error is not None and ended.error.what == "no such file"
    assert (world.active, ended.started) == ({"a.service"}, ["a.service"])
    assert units.read() == units.Note("b1", (), units.OwedDriver("6.14.14", "AAAA", 2))


def test_units_that_do_not_come_back_fail_the_run_and_stay_owed(world: World) -> None:
    world.fails["systemctl start --no-block -- a.service"] = "Unit a.service is masked."
    ended = work(stop_units=("a",))
    assert ended.error is not None
    assert ended.error.sentence == ("a.service: was stopped for the change and does not come back: Unit a.service is masked; "
                                    "start it by hand")
    assert (units.read(), [one.result for one in ended.results]) == (units.Note("b1", ("a.service",)), ["applied"] * 2)


def test_units_that_cannot_be_asked_for_stay_owed(world: World) -> None:
    world.at["stop a.service"] = lambda: world.fails.update(
        {f"systemctl show --property={','.join(units._ASKED)} -- a.service": "no bus"})
    ended = work(stop_units=("a",))
    assert ended.error is not None and ended.error.what == "no bus"
    assert units.read() == units.Note("b1", ("a.service",))


class Stopped(BaseException):
    """Somebody ends the run."""


def test_a_run_that_is_ended_puts_back_what_it_took(world: World, tmp_path: Path) -> None:
    def end() -> t.NoReturn:
        raise Stopped

    world.at["reload amdgpu"] = end
    with pytest.raises(Stopped):
        work("CPX", "NPS4", stop_units=("a",))
    assert (world.active, units.read()) == ({"a.service"}, None)
    assert json.loads((tmp_path / "journal.jsonl").read_text().splitlines()[-1])["result"] == "failed"


def test_a_journal_that_cannot_be_written_is_a_failure_before_the_change(world: World, tmp_path: Path) -> None:
    (tmp_path / "journal.jsonl").mkdir()
    ended = work(stop_units=("a",))
    assert ended.error is not None and "cannot be written" in ended.error.sentence
    assert world.acts == ["stop a.service", "start a.service"]


def test_targets_are_all_gpus_that_a_reload_changes(world: World) -> None:
    seen = world.look(("gpus",)).gpus or Gpus()
    chosen = (GpuWanted(A, "CPX", "NPS1"),)
    assert targets(seen, Transition(chosen, touched=(A, B))) == chosen
    assert targets(seen, Transition(chosen, touched=(A, B), reload="why")) == (*chosen, GpuWanted(B, "SPX", "NPS1"))


def test_summaries_count(world: World) -> None:
    world.modes[B] = ["CPX", "NPS1"]
    assert summary(world.look(("gpus",)).gpus or Gpus()) == "1 x SPX/NPS1, 1 x CPX/NPS1"
    assert summary_wanted([GpuWanted(A, "CPX", "NPS4"), GpuWanted(B, "CPX", "NPS4")]) == "2 x CPX/NPS4"
