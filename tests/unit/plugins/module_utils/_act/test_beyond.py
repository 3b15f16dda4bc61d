# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs are moved together or not at all, and gone only when squeue says so."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._act.beyond import move
from ansible_collections.instinct.fleet.plugins.module_utils._act.slurm import Slurm
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.slurm import Job
from ansible_collections.instinct.fleet.tests.unit.support.slurm import FakeSlurm

LEFT = (Job("7", "RUNNING", "alice"), Job("8+1", "RUNNING", "bob"), Job("9", "COMPLETING", "eve"))
STILL = "7|RUNNING|alice\n"


def moved(fake: FakeSlurm, how: str = "requeue") -> tuple[str, ...]:
    slurm = Slurm("n1", fake, lambda timeout, pause: iter((0.0, timeout)))
    return move(slurm, "slurm node n1", LEFT, {"beyond": how, "pause": 1, "patience": 5})


def site(jobs: str = "", **book: list[str]) -> FakeSlurm:
    fake = FakeSlurm(jobs=(jobs,))
    fake.book = {"7": ["RUNNING", "1", "1", "0"], "8": ["RUNNING", "1", "1", "0"], **{name[1:]: entry for name, entry in book.items()}}
    return fake


@pytest.mark.parametrize("how", ["requeue", "cancel"])
def test_what_runs_is_moved_and_what_ends_is_waited_for(how: str) -> None:
    fake = site()
    assert moved(fake, how) == (f"{how} job 7 of alice", f"{how} job 8 of bob")
    assert fake.moves == [(how, "7"), (how, "8")]


def test_a_job_that_had_ended_before_it_was_asked_is_gone_too() -> None:
    assert moved(site(_7=["COMPLETED", "1", "1", "0"])) == ("requeue job 7 of alice", "requeue job 8 of bob")


@pytest.mark.parametrize(("fake", "said"), [
    (site(_8=["RUNNING", "1", "0", "0"]), "slurm node n1: 1 job cannot be requeued (8 of bob: no batch job), so none was; "),
    (site(STILL), "slurm node n1: 1 job is still on it after 120 s (7 of alice); "),
    (site(STILL, _7=["COMPLETED", "1", "1", "0"]), "slurm node n1: Job/step already completing or completed for job 7; "),
], ids=["one may not", "one stays", "one stays and was not taken"])
def test_what_stays_is_one_sentence(fake: FakeSlurm, said: str) -> None:
    with pytest.raises(FleetError) as refused:
        moved(fake)
    assert refused.value.sentence.startswith(said)


def test_a_return_code_is_no_proof() -> None:
    fake = site()
    fake.stubborn = True
    with pytest.raises(FleetError, match=r"^slurm job 7: is RUNNING and was not requeued; "):
        moved(fake)


def test_one_that_may_not_keeps_the_others() -> None:
    fake = site(_8=["RUNNING", "0", "1", "0"])
    with pytest.raises(FleetError):
        moved(fake)
    assert fake.moves == []
