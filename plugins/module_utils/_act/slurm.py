# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Slurm's own commands: what a node is, what is on it, and taking it out of work and back."""

from __future__ import annotations

import typing as t

from .._core.errors import FleetError
from .._core.formats import slurm
from . import clock, process

_LIMIT = 60  # seconds for one command; a controller that is away is waited for by the commands themselves
_LOST = 120  # seconds without an answer while jobs are waited for: a controller that restarts
_NO_OPTION = ("unrecognized option", "invalid option", "not supported", "unable to find plugin")
Run = t.Callable[[t.Sequence[str], float], process.Done]
Ticks = t.Callable[[float, float], t.Iterator[float]]


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
        done = self._run(["scontrol", "--oneliner", "show", "node", self._name], _LIMIT)
        if done.code:
            raise self._refusal("scontrol", done)
        return slurm.node_text(done.out, self._name)

    def jobs(self) -> tuple[slurm.Job, ...]:
        """The jobs that are on it, ended ones that are cleaned up after included.

        Raises:
            FleetError: the controller does not answer, or not in a form that is known.
        """
        done = self._run(["squeue", "--noheader", f"--nodelist={self._name}", f"--format={slurm.JOB_FORMAT}"], _LIMIT)
        if done.code:
            raise self._refusal("squeue", done)
        return slurm.jobs(done.out, self._name)

    def update(self, state: str, reason: str = "") -> None:
        """Give it a state, with a reason.

        Raises:
            FleetError: Slurm does not take it.
        """
        words = [f"NodeName={self._name}", f"State={state}", *([f"Reason={reason}"] if reason else [])]
        done = self._run(["scontrol", "update", *words], _LIMIT)
        if done.code:
            raise self._refusal("scontrol", done)

    def wait(self, seconds: int, pause: int) -> tuple[slurm.Job, ...]:
        """Wait for its jobs to end, and return those that have not.

        Raises:
            FleetError: the controller has not answered for some time.
        """
        left, answered = (), 0.0
        for gone in self._ticks(seconds, pause):
            try:
                left, answered = self.jobs(), gone
            except FleetError:
                if gone - answered >= min(_LOST, seconds):
                    raise
                continue
            if not left:
                break
        return left

    def _refusal(self, command: str, done: process.Done) -> FleetError:
        said = " ".join((done.err or done.out).split())
        if done.timed_out:
            said = f"{command} did not end within {_LIMIT} s"
        hint = "look at slurmctld, and whether this user may change nodes (become: true)"
        if "not found" in said or "Invalid node name" in said:
            hint = "node_maintenance_scheduler_name says what Slurm calls the node"
        return FleetError(f"slurm node {self._name}", said or f"{command} ended with {done.code}", hint)
