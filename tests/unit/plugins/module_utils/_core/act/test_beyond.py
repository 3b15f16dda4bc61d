# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs beyond the time: which are moved, what hinders it, and what proves it."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.act import beyond
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.slurm import Job, Restart

WELL, TERMINAL, KEPT = (Restart(("RUNNING",), True, True, 1), Restart(("RUNNING",), False, True, 0), Restart(("RUNNING",), True, False, 0))
MOVED: dict[str, tuple[Restart | None, Restart | None]] = {
    "begun once more": (WELL, Restart(("PENDING",), True, True, 2)),
    "held after it": (WELL, Restart(("REQUEUE_HOLD",), True, True, 2)),
    "at its end meanwhile": (WELL, Restart(("COMPLETED",), True, True, 1)),
    "all parts at their end": (WELL, Restart(("COMPLETED", "CANCELLED"), True, True, 1)),
    "forgotten": (WELL, None), "forgotten before": (None, None),
}


@pytest.mark.parametrize(("job", "whole"), [("12", "12"), ("12_3", "12_3"), ("12+0", "12"), ("12+1", "12")])
def test_whole(job: str, whole: str) -> None:
    assert beyond.whole(job) == whole


def test_jobs_that_have_ended_are_not_moved_and_parts_of_one_only_once() -> None:
    jobs = [Job("7", "RUNNING", "a"), Job("8", "COMPLETING", "b"), Job("9+0", "RUNNING", "c"), Job("9+1", "RUNNING", "c"), Job("10_2", "SUSPENDED", "d")]
    assert beyond.running(jobs) == {"7": "a", "9": "c", "10_2": "d"}


def test_one_that_cannot_be_requeued_keeps_all_where_they_are() -> None:
    users = {"7": "a", "8": "b", "9": "c", "10": "d"}
    beyond.refuse_stuck("slurm node n1", users, {"7": WELL, "8": None})
    with pytest.raises(FleetError) as refused:
        beyond.refuse_stuck("slurm node n1", users, {"7": WELL, "8": TERMINAL, "9": KEPT, "10": None})
    assert refused.value.sentence == (
        "slurm node n1: 2 jobs cannot be requeued (8 of b: no batch job, 9 of c: submitted not to be requeued), so none was; "
        "it stays drained: wait longer (node_maintenance_drain_timeout), or end them, then run again")


@pytest.mark.parametrize(("before", "after"), MOVED.values(), ids=MOVED)
def test_a_job_that_was_moved(before: Restart | None, after: Restart | None) -> None:
    beyond.refuse_unmoved("7", before, after)


@pytest.mark.parametrize("states", [("RUNNING",), ("COMPLETED", "RUNNING")])
def test_a_job_that_was_not_moved(states: tuple[str, ...]) -> None:
    with pytest.raises(FleetError) as refused:
        beyond.refuse_unmoved("7", WELL, Restart(states, True, True, 1))
    assert refused.value.sentence == f"slurm job 7: is {'+'.join(states)} and was not requeued; look at slurmctld's log"
