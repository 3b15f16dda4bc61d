# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Moving jobs of Slurm that were waited for in vain, proved by asking again: a return code is no proof."""

from __future__ import annotations

import typing as t

from .._core.act import beyond, drain
from .._core.errors import FleetError
from .._core.formats.slurm import Job
from .slurm import Slurm

_GOING = 120  # seconds for a job to go: Slurm gives it KillWait, and the site's epilog runs then
Given = t.Mapping[str, t.Any]
_DONE = {beyond.REQUEUE: "requeue job", beyond.CANCEL: "cancel job"}


def move(slurm: Slurm, where: str, left: t.Sequence[Job], given: Given) -> tuple[str, ...]:
    """Requeue or cancel these jobs, as the option beyond says, and return what was done in words.

    Jobs that have ended, and are cleaned up after, are only waited for.

    Raises:
        FleetError: one cannot be requeued, and none was; or one is still there.
    """
    how = given["beyond"]
    users = beyond.running(left)
    seen = {job: slurm.restart(job) for job in users}
    if how == beyond.REQUEUE:
        beyond.refuse_stuck(where, users, seen)
    ask = slurm.requeue if how == beyond.REQUEUE else slurm.cancel
    refusals = [refusal for job in users for refusal in _asked(ask, job)]
    left = slurm.wait(_GOING, given["pause"], given["patience"])
    if left and refusals:  # else it had ended before it was asked to
        raise refusals[0]
    drain.refuse_jobs(where, left, _GOING)
    if how == beyond.REQUEUE:
        for job, before in seen.items():
            beyond.refuse_unmoved(job, before, slurm.restart(job))
    return tuple(f"{_DONE[how]} {job} of {user}" for job, user in users.items())


def _asked(ask: t.Callable[[str], None], job: str) -> tuple[FleetError, ...]:
    try:
        ask(job)
    except FleetError as error:
        return (error,)
    return ()
