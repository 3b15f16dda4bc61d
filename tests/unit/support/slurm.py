# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A controller of Slurm with one node: takes what scontrol and squeue are asked, as strictly as they do."""

from __future__ import annotations

import json
import typing as t

from ansible_collections.instinct.fleet.plugins.module_utils._act.process import Done

RESTART = "State,Requeue,BatchFlag,RestartCnt"
DOWN = "slurm_load_node error: Unable to contact slurm controller (connect failure)"


class FakeSlurm:
    """Its state, and the commands that were given.

    Attributes:
        jobs: what squeue says, one text for each time it is asked; the last is repeated.
        down: how often from now no controller answers.
        deaf: an update is taken and changes nothing.
        knows_json: whether scontrol has the option.
        book: state, requeue, batch and count of jobs, by id, as squeue shows them.
        stubborn: a requeue is taken and changes nothing.
        resumed: somebody gives the node back as soon as its jobs are asked for.
    """

    def __init__(self, states: t.Sequence[str] = ("IDLE",), reason: str = "", jobs: t.Sequence[str] = ("",),
                 knows_json: bool = True) -> None:
        self.states, self.reason, self.jobs, self.knows_json = list(states), reason, list(jobs), knows_json
        self.down, self.deaf, self.stubborn, self.resumed = 0, False, False, False
        self.book: dict[str, list[str]] = {}
        self.moves: list[tuple[str, ...]] = []
        self.updates: list[tuple[str, ...]] = []

    def __call__(self, argv: t.Sequence[str], timeout: float) -> Done:
        if self.down:
            self.down -= 1
            return Done(1, "", DOWN, 9)
        said = {"squeue": self._squeue, "scontrol": self._scontrol, "scancel": self._cancel}[argv[0]](*argv[1:])
        return Done(0, said, "", 0) if isinstance(said, str) else said

    def _squeue(self, head: str, *rest: str) -> str | Done:
        assert head == "--noheader"
        if rest[0] == "--states=all":
            return self._restart(*rest[1:])
        node, form = rest
        assert form == "--format=%i|%T|%u"
        if node != "--nodelist=n1":
            return Done(1, "", "squeue: error: Invalid node name " + node, 0)
        if self.resumed:
            self.states, self.reason = ["IDLE"], ""
        return self.jobs.pop(0) if len(self.jobs) > 1 else self.jobs[0]

    def _restart(self, job: str, form: str) -> str | Done:
        assert form == f"--Format={RESTART}"
        name = job.partition("=")[2]
        if name not in self.book:
            return Done(1, "", "slurm_load_jobs error: Invalid job id specified", 0)
        return "".join(f"{field:20}" for field in self.book[name]) + "\n"

    def _cancel(self, job: str) -> str | Done:
        self.moves.append(("cancel", job))
        return "" if job in self.book else Done(1, "", f"scancel: error: Kill job error on job id {job}: Invalid job id specified", 0)

    def _requeue(self, job: str) -> str | Done:
        self.moves.append(("requeue", job))
        state, allowed, batch, count = self.book.get(job, ["COMPLETED", "1", "1", "0"])
        if state == "COMPLETED":
            return Done(1, "", f"Job/step already completing or completed for job {job}", 0)
        assert (allowed, batch) == ("1", "1")
        if not self.stubborn:
            self.book[job] = ["PENDING", "1", "1", str(int(count) + 1)]
        return ""

    def _scontrol(self, *words: str) -> str | Done:
        if words[0] == "update":
            return self._update(*words[1:])
        if words[0] == "requeue":
            return self._requeue(*words[1:])
        how, *rest = words
        if how == "--json" and not self.knows_json:
            return Done(1, "", "scontrol: unrecognized option '--json'\nTry \"scontrol --help\" for more information", 0)
        if rest != ["show", "node", "n1"]:
            return Done(1, "", f"Node {rest[-1]} not found", 0)
        if how == "--json":
            return json.dumps({"nodes": [{"name": "n1", "state": self.states, "reason": self.reason}]})
        reason = f" Reason={self.reason} [root@2026-11-30T02:37:44]" if self.reason else ""
        return f"NodeName=n1 Arch=x86_64 State={'+'.join(self.states)} Partitions=main {reason}\n"

    def _update(self, node: str, state: str, reason: str = "") -> str | Done:
        assert node == "NodeName=n1"
        self.updates.append((state, *([reason] if reason else [])))
        if self.deaf:
            return ""
        if state == "State=DRAIN":
            assert reason.startswith("Reason=")
            self.states, self.reason = list(dict.fromkeys((*self.states, "DRAIN"))), reason[7:]
        elif state == "State=RESUME":
            self.states, self.reason = ["IDLE"], ""
        else:
            return Done(1, "", "slurm_update error: Invalid node state specified", 0)
        return ""
