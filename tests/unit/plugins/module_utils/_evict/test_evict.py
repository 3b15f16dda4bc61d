# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Evictions of real processes: each way to end, what is proved of it, and who is never touched."""

from __future__ import annotations

import dataclasses as dc
import fcntl
import os
import re
import signal
import subprocess
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._act.outcome import Failed
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Process, Processes
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.shape import Checkpoint
from ansible_collections.instinct.fleet.plugins.module_utils._evict import work
from ansible_collections.instinct.fleet.tests.unit.plugins.eviction_world import World
from ansible_collections.instinct.fleet.tests.unit.support.evictions import GIB, RECORD, A, B, C, D


def results(values: t.Mapping[str, t.Any]) -> dict[int, str]:
    """pid -> what became of it."""
    return {one["pid"]: one["result"] for one in values["processes"]}


def failure(world: World, *devices: str, **given: t.Any) -> Failed:
    """How an eviction fails."""
    with pytest.raises(Failed) as raised:
        world.evict(*devices, **given)
    return raised.value


def saving(world: World, how: Checkpoint) -> None:
    """Let tenant dev save its state so."""
    tenants = tuple(dc.replace(one, checkpoint=how) if one.name == "dev" else one for one in RECORD.tenants)
    world.record = dc.replace(RECORD, tenants=tenants)


def test_what_holds_the_device_ends_and_gives_its_memory_back(world: World) -> None:
    pid, other = world.start("eve", D, "end"), world.start("carol", C, "end")
    outcome = world.evict(D)
    (one,) = outcome.values["processes"]
    assert (one["pid"], one["result"], one["user"], one["tenant"]) == (pid, "SIGTERM", "eve", None)
    assert 0 < one["seconds"] < 1 and one["seconds"] <= outcome.values["seconds"] < 5
    assert outcome.values["devices"] == [{
        "device": D, "released": True, "reason": "", "vram_bytes_before": 12 * GIB, "vram_bytes_after": 0, "driver_bytes_after": None,
        "pids_before": [pid], "pids_after": []}]
    assert (outcome.values["freed_bytes"], outcome.values["survivors"]) == (12 * GIB, [])
    assert re.fullmatch(rf"send SIGTERM to pid {pid} \(python3?[\d.]*, eve, of no tenant\), class P2, on {D} \(12\.0 GiB\)", outcome.actions[0])
    assert f'"to": "{outcome.actions[0]}", ' in world.journal()[0] and '"who": "ann"' in world.journal()[0]
    assert (outcome.diff[0]["after"], world.lives(other)) == ("", True)


def test_a_dry_run_says_what_a_run_does_and_touches_nobody(world: World) -> None:
    pids = [world.start("eve", C, "end"), world.start("carol", C, "end"), world.start("bob", C, "end")]
    saving(world, Checkpoint())
    foretold = world.evict(C, check=True, checkpoint="skipped")
    assert all(map(world.lives, pids)) and not (world.root / "journal.jsonl").exists()
    assert results(foretold.values) == dict.fromkeys(pids, "would_go")
    done = world.evict(C, checkpoint="skipped")
    assert [line.partition("; grace ")[0] for line in foretold.actions] == list(done.actions)
    assert results(done.values) == dict.fromkeys(pids, "SIGTERM")
    assert (foretold.diff, foretold.values["freed_bytes"]) == (done.diff, done.values["freed_bytes"])


def test_nothing_is_done_where_nobody_holds_the_device(world: World) -> None:
    outcome = world.evict(D)
    assert (outcome.actions, outcome.values["devices"][0]["released"]) == ((), True)
    assert outcome.diff[0]["before"] == outcome.diff[0]["after"] == ""


def test_a_program_that_saves_its_state_on_sigterm(world: World) -> None:
    saved = world.root / "saved"
    pid = world.start("eve", D, "save", str(saved))
    assert results(world.evict(D).values) == {pid: "SIGTERM"}
    assert saved.read_text(encoding="utf-8") == "SIGTERM"


def test_a_job_that_is_stopped_goes_on_to_its_end(world: World) -> None:
    pid = world.start("eve", D, "stop")
    assert results(world.evict(D).values) == {pid: "SIGTERM"}


def test_a_signal_to_save_comes_first_and_its_time_is_given(world: World) -> None:
    saved = world.root / "saved"
    pid = world.start("carol", D, "save", str(saved))
    saving(world, Checkpoint(signal="SIGUSR1", seconds=1))
    outcome = world.evict(D)
    assert outcome.actions[0] == f"send SIGUSR1 to pid {pid} of tenant dev to save its state, and wait at most 1 s"
    assert (results(outcome.values), outcome.values["seconds"] >= 1) == ({pid: "SIGTERM"}, True)


def test_what_ends_of_saving_is_not_told_again(world: World) -> None:
    pid = world.start("carol", D, "end")
    saving(world, Checkpoint(signal="SIGUSR1", seconds=5))
    outcome = world.evict(D)
    assert (results(outcome.values), len(outcome.actions)) == ({pid: "checkpoint"}, 1)
    assert outcome.values["processes"][0]["seconds"] < 1


def test_a_command_that_saves_knows_whom(world: World) -> None:
    pid, saved = world.start("carol", D, "end"), world.root / "saved"
    saving(world, Checkpoint(("/bin/sh", "-c", f'echo "$INSTINCT_TENANT $INSTINCT_PIDS" > {saved}'), seconds=5))
    outcome = world.evict(D)
    assert saved.read_text(encoding="utf-8") == f"dev {pid}\n"
    assert outcome.actions[0] == f"run the checkpoint of tenant dev for pid {pid} (/bin/sh, at most 5 s)"
    assert results(outcome.values) == {pid: "SIGTERM"}


@pytest.mark.parametrize(("command", "seconds", "problem"), [
    (("/bin/sh", "-c", "echo disk full >&2; exit 3"), 5, "it ended with 3: disk full"), (("/bin/false",), 5, "it ended with 1"),
    (("/bin/sleep", "9"), 0, "it did not end within 0 s"), (("/nowhere/save",), 5, "/nowhere/save: is not installed; install it first"),
])
def test_without_its_state_a_program_stays_unless_that_is_taken(
        world: World, command: tuple[str, ...], seconds: int, problem: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "SHORTEST", 0.1)
    pid = world.start("carol", D, "end")
    saving(world, Checkpoint(command, seconds=seconds))
    error = failure(world, D)
    assert error.values["kept"][0]["reason"] == f"its state is not saved: {problem}"
    assert (world.lives(pid), error.values["processes"], error.values["devices"][0]["released"]) == (True, [], False)
    assert results(world.evict(D, checkpoint="attempted").values) == {pid: "SIGTERM"}


def test_who_ignores_it_stays_and_is_named(world: World) -> None:
    pid = world.start("eve", D, "ignore")
    error = failure(world, D, grace={"P2": 0})
    assert re.fullmatch(rf"gpu_evict: 1 device not released: {D}: pid {pid} \(.*, eve, of no tenant\) stays; allow more "
                        r"\(kill_allowed, reset_allowed\), or wait and run again", error.sentence)
    assert (world.lives(pid), error.values["survivors"], error.values["freed_bytes"]) == (True, [pid], 0)
    assert error.values["changed"] is True and len(error.values["actions"]) == 1


def test_who_stays_is_killed_if_that_is_allowed(world: World) -> None:
    pid = world.start("eve", D, "ignore")
    outcome = world.evict(D, grace={"P2": 0}, kill_allowed=True)
    assert [line.split()[1] for line in outcome.actions] == ["SIGTERM", "SIGKILL"]
    assert (results(outcome.values), world.lives(pid), outcome.values["freed_bytes"]) == ({pid: "SIGKILL"}, False, 12 * GIB)


def test_what_forks_is_followed(world: World) -> None:
    pid = world.start("eve", D, "fork")
    outcome = world.evict(D)
    (first, how), (child, then) = results(outcome.values).items()
    assert (first, how, then, world.lives(child)) == (pid, "SIGTERM", "SIGTERM", False)
    assert outcome.values["devices"][0]["released"] is True


def test_who_is_gone_before_the_signal_is_told_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    pid, run = world.start("eve", D, "end"), work.Work.run

    def late(self: work.Work, plan: t.Any) -> None:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        run(self, plan)

    monkeypatch.setattr(work.Work, "run", late)
    outcome = world.evict(D)
    assert (results(outcome.values), outcome.actions) == ({pid: "gone"}, ())


def test_who_lets_go_while_others_end_need_not_end(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    first, train = world.start("eve", C, "end"), world.start("bob", C, "end")
    told = work.Work._tell

    def meanwhile(self: work.Work, *given: t.Any) -> t.Any:
        world.write(f"/sys/class/kfd/kfd/proc/{train}/vram_53", "0")
        return told(self, *given)

    monkeypatch.setattr(work.Work, "_tell", meanwhile)
    world.write(f"/sys/class/kfd/kfd/proc/{train}/queues/.keep", "")
    outcome = world.evict(C)
    assert (results(outcome.values), world.lives(train)) == ({first: "SIGTERM", train: "gone"}, True)


def test_once_somebody_stays_those_of_the_next_class_need_not_go(world: World) -> None:
    stays, train = world.start("eve", C, "ignore"), world.start("bob", C, "end")
    error = failure(world, C, grace={"P2": 0}, checkpoint="skipped")
    assert (results(error.values), world.lives(train)) == ({stays: "stays"}, True)
    assert [(one["pid"], one["reason"]) for one in error.values["kept"]] == [(train, work.NOT_REACHED)]


def test_a_class_that_is_kept_is_no_failure_and_said(world: World) -> None:
    train, dev = world.start("bob", D, "end"), world.start("eve", D, "end")
    outcome = world.evict(D, classes=["P2"])
    assert (results(outcome.values), world.lives(train)) == ({dev: "SIGTERM"}, True)
    assert outcome.values["devices"][0]["reason"].endswith("stays: class P1 is not among those that may be evicted")


def test_trespassers_go_and_who_belongs_there_stays(world: World) -> None:
    mine, theirs = world.start("alice", A, "end"), world.start("bob", A, "end")
    outcome = world.evict(reservation="inference", whom="trespassers", checkpoint="skipped")
    assert (results(outcome.values), world.lives(mine)) == ({theirs: "SIGTERM"}, True)
    assert [(one["device"], one["released"]) for one in outcome.values["devices"]] == [(A, True), (B, True)]


def test_p0_is_refused_before_anybody_is_told(world: World) -> None:
    stranger, served = world.start("eve", A, "end"), world.start("alice", A, "end")
    with pytest.raises(FleetError, match=rf"^device {A}: is held by pid {served} .* class P0 is never evicted"):
        world.evict(A)
    assert world.lives(stranger) and world.lives(served) and not (world.root / "journal.jsonl").exists()


def test_this_run_and_all_above_it_are_left_alone(world: World) -> None:
    for pid in (os.getpid(), os.getppid()):
        world.write(f"/sys/class/kfd/kfd/proc/{pid}/vram_54", "5")
        world.owners[pid] = "eve"
    outcome = world.evict(D)
    assert {one["reason"] for one in outcome.values["kept"]} == {"it is of the system, or runs this eviction"}
    assert outcome.actions == ()


def test_memory_that_nobody_holds_is_no_success_and_a_reset_frees_it(world: World) -> None:
    world.start("eve", D, "end")
    world.used(D, 60 * GIB)
    error = failure(world, D, release=0)
    assert (error.values["devices"][0]["reason"], error.values["devices"][0]["released"]) == (
        "61440 MiB are in use that no process holds", False)
    outcome = world.evict(D, reset_allowed=True, release=0)
    assert (world.resets, outcome.actions) == ([D], (f"reset {D}",))
    assert outcome.values["devices"][0]["driver_bytes_after"] == 284 << 20


def test_a_reset_of_one_gpu_is_one_of_all_that_are_linked_with_it(world: World) -> None:
    world.start("carol", C, "end")
    world.used(C, 60 * GIB)
    world.used(D, 60 * GIB)
    outcome = world.evict(B, C, D, reset_allowed=True, checkpoint="skipped", release=0)
    assert (world.resets, [one["released"] for one in outcome.values["devices"]]) == ([C], [True, True, True])


def test_a_process_that_ended_and_that_the_driver_still_has(world: World) -> None:
    dead = subprocess.Popen(["true"])
    dead.wait()
    world.write(f"/sys/class/kfd/kfd/proc/{dead.pid}/vram_54", "5")
    world.dead.add(dead.pid)
    error = failure(world, D, release=0)
    assert (error.values["devices"][0]["reason"], error.values["actions"]) == (
        f"pid {dead.pid} (of no tenant) ended, and the driver still has it", [])
    assert world.evict(D, reset_allowed=True, release=0).actions == (f"reset {D}",)


@pytest.mark.parametrize(("neighbour", "library", "refusal", "said"), [
    (True, Processes(), "", r"pid \d+ \(.*, tenant serve\) is on a GPU that the reset would reach"),
    (False, Processes((Process(os.getpid(), gpus=(B,)),)), "", r"pid \d+ is on a GPU that the reset would reach"),
    (False, Processes((), {"processes": "no library"}), "", "whether anybody else is on it is unknown: no library"),
    (False, Processes(), "AMDSMI_STATUS_NOT_SUPPORTED", "AMDSMI_STATUS_NOT_SUPPORTED"),
], ids=["a process on a neighbour", "a client of the library", "nobody knows", "the library does not"])
def test_what_speaks_against_a_reset(world: World, neighbour: bool, library: Processes, refusal: str, said: str) -> None:
    world.start("eve", D, "end")
    world.used(D, 60 * GIB)
    if neighbour:
        world.start("alice", A, "end")
    world.library, world.refuses_reset = library, refusal
    error = failure(world, D, reset_allowed=True, release=0)
    assert re.fullmatch(rf"61440 MiB are in use that no process holds, and {D} is not reset: {said}",
                        error.values["devices"][0]["reason"])
    assert world.resets == []


def test_one_run_at_a_time_acts_on_a_node(world: World) -> None:
    pid = world.start("eve", D, "end")
    with open(world.root / "lock", "w", encoding="utf-8") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(FleetError, match=r"another run acts on this node"):
            world.evict(D, lock_timeout=0)
        assert len(world.evict(D, lock_timeout=0, check=True).actions) == 1
    assert world.lives(pid)


def test_who_holds_the_devices_must_be_known(world: World) -> None:
    world.unknown = {"processes": "no /sys"}
    with pytest.raises(FleetError, match=r"^this node: who holds its devices is unknown: no /sys; mend that on the node$"):
        world.evict(D)


def test_without_a_record_nobody_trespasses(world: World) -> None:
    world.record = None
    with pytest.raises(FleetError, match=r"^this node: was never told of reservations, so nobody trespasses; reserve first"):
        world.evict(D, whom="trespassers")
    pid = world.start("alice", D, "end")
    assert results(world.evict(D).values) == {pid: "SIGTERM"}


def test_a_failure_under_way_comes_with_what_was_done(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    pid = world.start("eve", D, "end")
    told = work.Work._tell

    def blind(self: work.Work, *given: t.Any) -> t.Any:
        world.unknown = {"processes": "no /sys"}
        return told(self, *given)

    monkeypatch.setattr(work.Work, "_tell", blind)
    error = failure(world, D)
    assert error.what == "who holds its devices is unknown: no /sys"
    assert (results(error.values), len(error.values["actions"])) == ({pid: "SIGTERM"}, 1)
