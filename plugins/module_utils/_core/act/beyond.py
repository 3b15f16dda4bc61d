# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Jobs that were waited for in vain: which may be put back into the queue, and whether they were."""

from __future__ import annotations

import typing as t

from ..errors import FleetError
from ..formats.slurm import Job, Restart

FAIL, LEAVE, REQUEUE, CANCEL = "fail", "leave", "requeue", "cancel"
# It ended, and is cleaned up after. source: squeue(1), JOB STATE CODES
_ENDED = frozenset({"COMPLETING", "COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL", "PREEMPTED", "BOOT_FAIL",
                    "DEADLINE", "OUT_OF_MEMORY"})
_HINT = "it stays drained: wait longer (node_maintenance_drain_timeout), or end them, then run again"


def whole(job: str) -> str:
    """What Slurm lets be moved: of a job with several parts the job, else the job or the task of an array itself."""
    return job.partition("+")[0]


def running(jobs: t.Sequence[Job]) -> dict[str, str]:
    """Jobs that have not ended, each once, with its user."""
    return {whole(job.id): job.user for job in jobs if job.state not in _ENDED}


def refuse_stuck(where: str, users: t.Mapping[str, str], seen: t.Mapping[str, Restart | None]) -> None:
    """Refuse before one is requeued if another cannot be: the node would not be free, and work lost for nothing.

    Raises:
        FleetError: names jobs, users and why.
    """
    why = {job: _hindrance(found) for job, found in seen.items() if found}
    stuck = [f"{job} of {users[job]}: {words}" for job, words in why.items() if words]
    if stuck:
        kind = "job cannot" if len(stuck) == 1 else "jobs cannot"
        raise FleetError(where, f"{len(stuck)} {kind} be requeued ({', '.join(stuck)}), so none was", _HINT)


def _hindrance(found: Restart) -> str:
    if not found.batch:
        return "no batch job"
    return "" if found.allowed else "submitted not to be requeued"


def refuse_unmoved(job: str, before: Restart | None, after: Restart | None) -> None:
    """A job that was requeued has been begun once more than before, or has come to its end meanwhile.

    Raises:
        FleetError: it was not.
    """
    if not before or not after or after.count > before.count or _ENDED.issuperset(after.states):
        return
    raise FleetError(f"slurm job {job}", f"is {'+'.join(after.states)} and was not requeued", "look at slurmctld's log")
