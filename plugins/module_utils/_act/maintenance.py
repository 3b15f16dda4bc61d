# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Taking a node out of work in its scheduler, and giving it back: what is ours alone, proved by asking again."""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t

from .._core.act import drain
from .._core.errors import FleetError
from .._core.formats.slurm import Job, Node
from .outcome import Outcome
from .slurm import Slurm

Given = t.Mapping[str, t.Any]
_PURPOSE = re.compile(r"[a-z][a-z0-9_-]{0,30}")


def turn(slurm: Slurm, given: Given, check: bool) -> Outcome:
    """Drain or resume a node, by the options of the module slurm_node.

    Raises:
        FleetError: an option is wrong, Slurm refuses or does not answer, or jobs are left.
    """
    if not _PURPOSE.fullmatch(given["purpose"]):
        raise FleetError("purpose", f"{given['purpose']!r} is not one word", "use small letters, digits, - and _")
    if given["pause"] < 1 or given["timeout"] < 0:
        raise FleetError("pause" if given["pause"] < 1 else "timeout", "is too short", "give whole seconds")
    before = slurm.node()
    found = drain.standing(before.out, before.reason, given["purpose"])
    if given["state"] == "drained":
        return _drained(slurm, before, found, given, check)
    after = before
    if found == drain.OURS:
        after = Node(before.name, tuple(state for state in before.states if state != "DRAIN"))
        if not check:
            slurm.update("RESUME")
            after = _proved(slurm, given["purpose"], drain.OPEN)
    return _outcome("give the node back to Slurm", before, after, (), found, given["purpose"])


def _drained(slurm: Slurm, before: Node, found: str, given: Given, check: bool) -> Outcome:
    reason, after = drain.mark(given["purpose"], given["reason"]), before
    if found == drain.OPEN or (found == drain.OURS and before.reason != reason and given["reason"]):
        after = dc.replace(before, states=tuple(dict.fromkeys((*before.states, "DRAIN"))), reason=reason)
        if not check:
            slurm.update("DRAIN", reason)
            after = _proved(slurm, given["purpose"], drain.OURS)
    left = slurm.jobs()
    if left and given["wait"] and not check:
        left = slurm.wait(given["timeout"], given["pause"])
        drain.refuse_jobs(f"slurm node {before.name}", left, given["timeout"])
        after = slurm.node()
    return _outcome(f"drain the node in Slurm ({reason})", before, after, left, found, given["purpose"])


def _proved(slurm: Slurm, purpose: str, wanted: str) -> Node:
    """The node as it is now.

    Raises:
        FleetError: Slurm took the change and did not make it.
    """
    node = slurm.node()
    if drain.standing(node.out, node.reason, purpose) != wanted:
        raise FleetError(f"slurm node {node.name}", f"is {node.text} after the change", "look at slurmctld's log")
    return node


def _outcome(words: str, before: Node, after: Node, jobs: t.Sequence[Job], found: str, purpose: str) -> Outcome:
    changed = (before.out, before.reason) != (after.out, after.reason)
    texts = {"before": f"{before.text}\n", "after": f"{after.text}\n"}
    headers = {f"{side}_header": f"slurm node {before.name}" for side in texts}
    return Outcome((words,) if changed else (), ({**texts, **headers},) if changed else (), {
        "standing": drain.standing(after.out, after.reason, purpose), "before": found, "reason": after.reason,
        "states": list(after.states), "jobs": [dc.asdict(job) for job in jobs]})
