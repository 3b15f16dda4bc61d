# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Taking a node out of work in its scheduler, and giving it back: what is ours alone, proved by asking again."""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t

from .._core.act import beyond, drain
from .._core.errors import FleetError
from .._core.formats.slurm import Job, Node
from .beyond import move
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
    for name, least in (("pause", 1), ("timeout", 0), ("patience", 0)):
        if given[name] < least:
            raise FleetError(name, "is too short", "give whole seconds")
    before = slurm.node() if check else slurm.patient(given["patience"], given["pause"])
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
    left, moved = slurm.jobs(), ()
    if left and given["wait"] and not check:
        left, moved = _waited(slurm, f"slurm node {before.name}", given)
        after = slurm.node()
        drain.refuse_open(f"slurm node {before.name}", drain.standing(after.out, after.reason, given["purpose"]))
    return _outcome(f"drain the node in Slurm ({reason})", before, after, left, found, given["purpose"], moved)


def _waited(slurm: Slurm, where: str, given: Given) -> tuple[tuple[Job, ...], tuple[str, ...]]:
    """Jobs that are left when the time is over and may be, and what was done with those that may not."""
    left = slurm.wait(given["timeout"], given["pause"], given["patience"])
    if not left or given["beyond"] == beyond.LEAVE:
        return left, ()
    if given["beyond"] == beyond.FAIL:
        drain.refuse_jobs(where, left, given["timeout"])
    return (), move(slurm, where, left, given)


def _proved(slurm: Slurm, purpose: str, wanted: str) -> Node:
    """The node as it is now.

    Raises:
        FleetError: Slurm took the change and did not make it.
    """
    node = slurm.node()
    if drain.standing(node.out, node.reason, purpose) != wanted:
        raise FleetError(f"slurm node {node.name}", f"is {node.text} after the change", "look at slurmctld's log")
    return node


def _outcome(words: str, before: Node, after: Node, jobs: t.Sequence[Job], found: str, purpose: str,
             moved: tuple[str, ...] = ()) -> Outcome:
    changed = (before.out, before.reason) != (after.out, after.reason)
    texts = {"before": f"{before.text}\n", "after": f"{after.text}\n"}
    headers = {f"{side}_header": f"slurm node {before.name}" for side in texts}
    return Outcome((*((words,) if changed else ()), *moved), ({**texts, **headers},) if changed else (), {
        "standing": drain.standing(after.out, after.reason, purpose), "before": found, "reason": after.reason,
        "states": list(after.states), "jobs": [dc.asdict(job) for job in jobs],
        "waiting": drain.waiting(jobs)})
