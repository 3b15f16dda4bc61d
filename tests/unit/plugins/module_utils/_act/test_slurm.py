# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is asked of Slurm's commands, and what is made of their answers."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._act.process import Done
from ansible_collections.instinct.fleet.plugins.module_utils._act.slurm import Slurm
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.slurm import Node
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
    assert len(of(FakeSlurm(jobs=jobs)).wait(20, 5)) == left


def test_a_controller_that_restarts_is_waited_for_and_one_that_stays_away_is_not() -> None:
    fake = FakeSlurm(jobs=(JOB, ""))
    fake.down = 5
    assert of(fake).wait(3600, 5) == ()
    fake.down = 1000
    with pytest.raises(FleetError, match=r"^slurm node n1: slurm_load_node error"):
        of(fake).wait(3600, 5)
    assert fake.down == 1000 - 120 // 5 - 1
