# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How real processes leave: each way to save its state, to end, or not to."""

from __future__ import annotations

import os
import signal
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.shape import Checkpoint
from ansible_collections.instinct.fleet.plugins.module_utils._evict import eyes, work
from ansible_collections.instinct.fleet.tests.unit.plugins.eviction_world import DOORS, KFD, World, results
from ansible_collections.instinct.fleet.tests.unit.support.evictions import GIB, C, D


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
    world.saving(Checkpoint(signal="SIGUSR1", seconds=1))
    outcome = world.evict(D)
    assert outcome.actions[0] == f"send SIGUSR1 to pid {pid} of tenant dev to save its state, and wait at most 1 s"
    assert (results(outcome.values), outcome.values["seconds"] >= 1) == ({pid: "SIGTERM"}, True)


def test_what_ends_of_saving_is_not_told_again(world: World) -> None:
    pid = world.start("carol", D, "save", str(world.root / "saved"))
    world.saving(Checkpoint(signal="SIGTERM", seconds=5))
    outcome = world.evict(D)
    assert (results(outcome.values), len(outcome.actions)) == ({pid: "checkpoint"}, 1)
    assert outcome.values["processes"][0]["seconds"] < 5


def test_a_program_that_would_die_of_the_signal_to_save_is_not_saved(world: World) -> None:
    pid, saves = world.start("carol", D, "end"), world.start("carol", D, "save", str(world.root / "saved"))
    world.saving(Checkpoint(signal="SIGUSR1", seconds=0))
    error = world.failure(D)
    assert {one["pid"]: one["reason"] for one in error.values["kept"]} == dict.fromkeys(
        (pid, saves), f"its state is not saved: pid {pid} does not catch SIGUSR1")
    assert world.lives(pid) and world.lives(saves)
    assert results(world.evict(D, checkpoint="attempted").values) == {pid: "SIGTERM", saves: "SIGTERM"}


def test_who_ends_while_it_is_looked_has_not_let_go(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    pid, look = world.start("eve", D, "ignore"), world.look

    def late(machine: t.Any) -> t.Any:
        if (world.root / "journal.jsonl").exists():
            os.kill(pid, signal.SIGKILL)
            world.write(f"{KFD}/{pid}/vram_54", "0")
        return look(machine)

    monkeypatch.setattr(eyes.seen, "look", late)
    assert results(world.evict(D).values) == {pid: "SIGTERM"}


@pytest.mark.parametrize("kill", [False, True])
def test_who_gives_the_device_back_lives_on(world: World, kill: bool) -> None:
    """It is not killed, the grace is not waited for, and those of the next class have their turn."""
    give = f"sh -c 'echo 0 > {world.root}{KFD}/{{pid}}/vram_54'"
    pid, train = world.start("eve", D, "release", give), world.start("bob", D, "end")
    outcome = world.evict(D, checkpoint="skipped", kill_allowed=kill)
    assert (results(outcome.values), world.lives(pid)) == ({pid: "let_go", train: "SIGTERM"}, True)
    assert (outcome.values["devices"][0]["released"], outcome.values["survivors"], outcome.values["seconds"] < 4) == (True, [], True)


def test_who_has_not_opened_the_device_is_never_signalled(world: World, tmp_path: Path) -> None:
    """KFD has its number, for a process that ended had it before; and whose that was cannot be told."""
    for name in ("dev/kfd", f"dev/dri/{DOORS[C].rpartition('/')[2]}"):  # it works on a GPU itself, but on another one
        (tmp_path / "none" / name).parent.mkdir(parents=True, exist_ok=True)
        os.link(world.root / name, tmp_path / "none" / name)
    pid = world.start("bob", D, "end", GPU_ROOT=str(tmp_path / "none"))
    outcome = world.evict(D, kill_allowed=True)
    (kept,) = outcome.values["kept"]
    assert (kept["pid"], world.lives(pid), outcome.actions, outcome.values["devices"][0]["released"]) == (pid, True, (), False)
    assert kept["reason"].startswith(f"whose it is is unknown: process {pid} has not opened {DOORS[D]}: ")


def test_a_command_that_saves_knows_whom(world: World) -> None:
    pid, saved = world.start("carol", D, "end"), world.root / "saved"
    world.saving(Checkpoint(("/bin/sh", "-c", f'echo "$INSTINCT_TENANT $INSTINCT_PIDS" > {saved}'), seconds=5))
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
    world.saving(Checkpoint(command, seconds=seconds))
    error = world.failure(D)
    assert error.values["kept"][0]["reason"] == f"its state is not saved: {problem}"
    assert (world.lives(pid), error.values["processes"], error.values["devices"][0]["released"]) == (True, [], False)
    assert results(world.evict(D, checkpoint="attempted").values) == {pid: "SIGTERM"}


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
    outcome = world.evict(C)
    assert (results(outcome.values), world.lives(train)) == ({first: "SIGTERM", train: "gone"}, True)


def test_once_somebody_stays_those_of_the_next_class_need_not_go(world: World) -> None:
    stays, train = world.start("eve", C, "ignore"), world.start("bob", C, "end")
    error = world.failure(C, grace={"P2": 0}, checkpoint="skipped")
    assert (results(error.values), world.lives(train)) == ({stays: "stays"}, True)
    assert [(one["pid"], one["reason"]) for one in error.values["kept"]] == [(train, work.NOT_REACHED)]
