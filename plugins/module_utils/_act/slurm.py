# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Slurm's own commands: what a node is, what is on it, and taking it out of work and back."""

from __future__ import annotations

import contextlib
import typing as t

from .._core.errors import FleetError
from .._core.formats import slurm
from . import clock, process

_LIMIT = 60  # seconds for one command; a controller that is away is waited for by the commands themselves
# source: SchedMD/slurm:src/common/slurm_errno.c
_AWAY = ("unable to contact slurm controller", "socket timed out", "connection refused", "zero bytes were transmitted",
         "in standby mode")
_NO_JOB = "invalid job id"
_NO_OPTION = ("unrecognized option", "invalid option", "not supported", "unable to find plugin")
Run = t.Callable[[t.Sequence[str], float], process.Done]
Ticks = t.Callable[[float, float], t.Iterator[float]]


class Away(FleetError):
    """The controller does not answer."""


class Slurm:
    """One node, as the controller of Slurm knows it."""

    def __init__(self, name: str, run: Run = process.run, ticks: Ticks = clock.ticks) -> None:
        self._name = name
        self._run = run
        self._ticks = ticks

    def node(self) -> slurm.Node:
        """Its state and reason.

        Raises:
            FleetError: there is no such node, the controller does not answer, or not in a form that is known.
        """
        done = self._run(["scontrol", "--json", "show", "node", self._name], _LIMIT)
        if not done.code and done.out.lstrip().startswith("{"):
            return slurm.node_json(done.out, self._name)
        if done.code and not any(words in done.err.lower() for words in _NO_OPTION):
            raise self._refusal("scontrol", done)
        return slurm.node_text(self._said("scontrol", "--oneliner", "show", "node", self._name), self._name)

    def patient(self, seconds: int, pause: int) -> slurm.Node:
        """The same, where a controller that does not answer is waited for: one that restarts is no reason to fail.

        Raises:
            FleetError: it has not answered for so long, or it refuses.
        """
        for gone in self._ticks(seconds, pause):
            if gone >= seconds:
                break
            with contextlib.suppress(Away):
                return self.node()
        return self.node()

    def jobs(self) -> tuple[slurm.Job, ...]:
        """The jobs that are on it, ended ones that are cleaned up after included.

        Raises:
            FleetError: the controller does not answer, or not in a form that is known.
        """
        said = self._said("squeue", "--noheader", f"--nodelist={self._name}", f"--format={slurm.JOB_FORMAT}")
        return slurm.jobs(said, self._name)

    def restart(self, job: str) -> slurm.Restart | None:
        """Whether a job may be requeued, and how often it was; None if it is no longer known.

        Raises:
            FleetError: the controller does not answer, or not in a form that is known.
        """
        argv = ["squeue", "--noheader", "--states=all", f"--jobs={job}", f"--Format={slurm.RESTART_FORMAT}"]
        done = self._run(argv, _LIMIT)
        if done.code and _NO_JOB in done.err.lower():
            return None
        if done.code:
            raise self._refusal("squeue", done)
        return slurm.restart(done.out, job)

    def requeue(self, job: str) -> None:
        """Put a job back into the queue.

        Raises:
            FleetError: Slurm does not.
        """
        self._said("scontrol", "requeue", job)

    def cancel(self, job: str) -> None:
        """End a job.

        Raises:
            FleetError: Slurm does not.
        """
        self._said("scancel", job)

    def update(self, state: str, reason: str = "") -> None:
        """Give it a state, with a reason.

        Raises:
            FleetError: Slurm does not take it.
        """
        words = [f"NodeName={self._name}", f"State={state}", *([f"Reason={reason}"] if reason else [])]
        self._said("scontrol", "update", *words)

    def wait(self, seconds: int, pause: int, patience: int) -> tuple[slurm.Job, ...]:
        """Wait for its jobs to end, and return those that have not. A controller that does not answer is waited for.

        Raises:
            FleetError: it has not answered for longer than ``patience``.
        """
        left, answered = (), 0.0
        for gone in self._ticks(seconds + patience, pause):
            try:
                left, answered = self.jobs(), gone
            except FleetError:
                if gone - answered >= patience:
                    raise
                continue
            if not left or gone >= seconds:
                break
        return left

    def _said(self, *argv: str) -> str:
        done = self._run(argv, _LIMIT)
        if done.code:
            raise self._refusal(argv[0], done)
        return done.out

    def _refusal(self, command: str, done: process.Done) -> FleetError:
        said = " ".join((done.err or done.out).split())
        if done.timed_out:
            said = f"{command} did not end within {_LIMIT} s"
        hint = "look at slurmctld, and whether this user may change nodes (become: true)"
        if "not found" in said or "Invalid node name" in said:
            hint = "node_maintenance_scheduler_name says what Slurm calls the node"
        kind = Away if done.timed_out or any(words in said.lower() for words in _AWAY) else FleetError
        return kind(f"slurm node {self._name}", said or f"{command} ended with {done.code}", hint)
