# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is asked of Slurm's commands, and what is made of their answers."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._act.process import Done
from ansible_collections.instinct.fleet.plugins.module_utils._act.slurm import Away, Slurm
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.slurm import Job, Node, Restart
from ansible_collections.instinct.fleet.tests.unit.support.slurm import DOWN, FakeSlurm

JOB = "7|RUNNING|alice\n"


def ticks(timeout: float, pause: float) -> t.Iterator[float]:
    yield from range(0, int(timeout) + 1, int(pause))


def of(fake: t.Callable[..., Done], name: str = "n1") -> Slurm:
    return Slurm(name, fake, ticks)


@pytest.mark.parametrize("knows_json", [True, False])
def test_the_node_is_read_from_what_the_version_has(knows_json: bool) -> None:
    fake = FakeSlurm(("IDLE", "DRAIN"), "instinct.fleet: x", knows_json=knows_json)
    assert of(fake).node() == Node("n1", ("IDLE", "DRAIN"), "instinct.fleet: x")


def test_an_option_that_is_taken_and_says_nothing_is_as_good_as_none() -> None:
    fake = FakeSlurm(("DOWN",))
    assert of(lambda argv, limit: Done(0, "", "", 0) if "--json" in argv else fake(argv, limit)).node().states == ("DOWN",)


@pytest.mark.parametrize("knows_json", [True, False])
@pytest.mark.parametrize("ask", ["node", "jobs"])
def test_a_name_that_slurm_does_not_know(ask: str, knows_json: bool) -> None:
    with pytest.raises(FleetError, match=r"^slurm node n2: .*n2.*; node_maintenance_scheduler_name says what Slurm calls the node$"):
        getattr(of(FakeSlurm(knows_json=knows_json), "n2"), ask)()


@pytest.mark.parametrize("ask", ["node", "jobs"])
def test_a_controller_that_does_not_answer(ask: str) -> None:
    fake = FakeSlurm()
    fake.down = 9
    with pytest.raises(FleetError) as refused:
        getattr(of(fake), ask)()
    assert refused.value.sentence == (
        f"slurm node n1: {DOWN}; look at slurmctld, and whether this user may change nodes (become: true)")


def test_a_state_that_slurm_does_not_take() -> None:
    with pytest.raises(FleetError, match=r"^slurm node n1: slurm_update error: Invalid node state specified; "):
        of(FakeSlurm()).update("SLEEPY")


def test_what_hangs_is_named() -> None:
    with pytest.raises(FleetError, match=r"^slurm node n1: squeue did not end within 60 s; "):
        of(lambda argv, limit: Done(-9, "", "", 60, timed_out=True)).jobs()
    with pytest.raises(FleetError, match=r"^slurm node n1: squeue ended with 3; "):
        of(lambda argv, limit: Done(3, "", "", 0)).jobs()


@pytest.mark.parametrize(("jobs", "left"), [((JOB, JOB, ""), 0), ((JOB,), 1), (("",), 0)])
def test_jobs_are_waited_for(jobs: tuple[str, ...], left: int) -> None:
    assert len(of(FakeSlurm(jobs=jobs)).wait(20, 5, 60)) == left


def test_a_controller_that_restarts_is_waited_for_and_one_that_stays_away_is_not() -> None:
    fake = FakeSlurm(jobs=(JOB, ""))
    fake.down = 5
    assert of(fake).wait(3600, 5, 120) == ()
    fake.down = 1000
    with pytest.raises(FleetError, match=r"^slurm node n1: slurm_load_node error"):
        of(fake).wait(3600, 5, 120)
    assert fake.down == 1000 - 120 // 5 - 1


def test_a_controller_that_is_away_at_the_end_of_the_time_does_not_make_a_node_empty() -> None:
    fake = FakeSlurm(jobs=(JOB,))
    fake.down = 6
    assert of(fake).wait(20, 5, 60) == (Job("7", "RUNNING", "alice"),)
    fake.down = 1000
    with pytest.raises(Away):
        of(fake).wait(0, 5, 20)


def test_nobody_waits_longer_than_jobs_last() -> None:
    fake, asked = FakeSlurm(jobs=(JOB, JOB, "")), []
    assert of(lambda argv, limit: asked.append(argv) or fake(argv, limit)).wait(3600, 5, 120) == ()
    assert len(asked) == 3


def test_a_controller_that_is_away_now_and_then_is_waited_for_each_time_anew() -> None:
    away, asked = iter([False, True, True, False, True, True, False, False]), FakeSlurm(jobs=(JOB, JOB, ""))
    assert of(lambda argv, limit: Done(1, "", DOWN, 9) if next(away) else asked(argv, limit)).wait(3600, 5, 15) == ()


@pytest.mark.parametrize(("down", "patience", "answers"), [(0, 0, True), (1, 0, False), (4, 20, True), (5, 20, False)])
def test_a_first_answer_is_waited_for(down: int, patience: int, answers: bool) -> None:
    fake = FakeSlurm()
    fake.down = down
    if answers:
        assert of(fake).patient(patience, 5).name == "n1"
    else:
        with pytest.raises(Away):
            of(fake).patient(patience, 5)
    fake.down = 0
    with pytest.raises(FleetError, match=r"^slurm node n2: .*not found"):  # a refusal is no reason to wait
        of(fake, "n2").patient(patience, 5)


@pytest.mark.parametrize("said", [
    "slurm_load_jobs error: Zero Bytes were transmitted or received", "scontrol: error: Socket timed out on send/recv operation",
    "slurm_load_node error: Slurm backup controller in standby mode", "error: Connection refused"])
def test_what_says_that_the_controller_is_away(said: str) -> None:
    with pytest.raises(Away):
        of(lambda argv, limit: Done(1, "", said, 0)).node()


def test_jobs_are_requeued_and_ended() -> None:
    fake = FakeSlurm()
    fake.book = {"7": ["RUNNING", "1", "1", "2"]}
    slurm = of(fake)
    assert slurm.restart("7") == Restart(("RUNNING",), True, True, 2)
    slurm.requeue("7")
    assert slurm.restart("7") == Restart(("PENDING",), True, True, 3)
    slurm.cancel("7")
    assert (fake.moves, slurm.restart("8")) == ([("requeue", "7"), ("cancel", "7")], None)
    for ask in (slurm.requeue, slurm.cancel):
        with pytest.raises(FleetError, match=r"^slurm node n1: .* job"):
            ask("8")
    fake.down = 1
    with pytest.raises(Away):
        slurm.restart("7")
