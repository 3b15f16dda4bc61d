# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A controller of Slurm with one node: takes what scontrol and squeue are asked, as strictly as they do."""

from __future__ import annotations

import json
import typing as t

from ansible_collections.instinct.fleet.plugins.module_utils._act.process import Done

DOWN = "slurm_load_node error: Unable to contact slurm controller (connect failure)"


class FakeSlurm:
    """Its state, and the commands that were given.

    Attributes:
        jobs: what squeue says, one text for each time it is asked; the last is repeated.
        down: how often from now no controller answers.
        deaf: an update is taken and changes nothing.
        knows_json: whether scontrol has the option.
    """

    def __init__(self, states: t.Sequence[str] = ("IDLE",), reason: str = "", jobs: t.Sequence[str] = ("",),
                 knows_json: bool = True) -> None:
        self.states, self.reason, self.jobs, self.knows_json = list(states), reason, list(jobs), knows_json
        self.down, self.deaf = 0, False
        self.updates: list[tuple[str, ...]] = []

    def __call__(self, argv: t.Sequence[str], timeout: float) -> Done:
        if self.down:
            self.down -= 1
            return Done(1, "", DOWN, 9)
        said = self._squeue(*argv[1:]) if argv[0] == "squeue" else self._scontrol(*argv[1:])
        return Done(0, said, "", 0) if isinstance(said, str) else said

    def _squeue(self, head: str, node: str, form: str) -> str | Done:
        assert (head, form) == ("--noheader", "--format=%i|%T|%u")
        if node != "--nodelist=n1":
            return Done(1, "", "squeue: error: Invalid node name " + node, 0)
        return self.jobs.pop(0) if len(self.jobs) > 1 else self.jobs[0]

    def _scontrol(self, *words: str) -> str | Done:
        if words[0] == "update":
            return self._update(*words[1:])
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
