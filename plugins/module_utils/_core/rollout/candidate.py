# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""One node before the roll-out, from what the tasks of the pre-flight returned."""

from __future__ import annotations

import dataclasses as dc
import json
import typing as t

from ..act.check import REFUSED, UNKNOWN
from ..errors import DataError
from ..plan import tally
from ..plan.grid import plain
from . import note, shape, unnoted
from .shape import Candidate, Event, Note
from .target import target

Given = t.Mapping[str, t.Any]
Ends = t.Callable[[str, str], t.Optional[Event]]


def candidate(
    name: str, seen: Given | None, *, retry: bool = False, canary: bool = False, domain: str = "",
    checks: t.Sequence[Given] = (), error: str = "", ends: Ends = lambda _run, _node: None,
) -> Candidate:
    """One node.

    Args:
        name: its name in the inventory.
        seen: ``plan`` (the result of fleet_plan), ``note`` (its text; empty for none), ``stays`` (the snapshot
            that stays, where that is not the one of the note), ``standing``, ``checks``, ``seconds`` and ``partitions``
            of the inventory; or the result of what failed. None if nobody looked.
        retry: whether it is tried again if it failed before.
        canary: whether it is named as one.
        domain: its failure domain.
        checks: more than those of ``seen``: name, verdict (ok, refused, unknown) and words of each.
        error: why it failed, if that is known from elsewhere.
        ends: of a run and a node, how the run ended with it, if its log is there.
    """
    given = seen or {}
    first = Candidate(plain(name), shape.REFUSED, canary=canary, domain=plain(domain))
    plan = given.get("plan") or {}
    if "plans" not in plan or given.get("unreachable"):
        status, reason = tally.silence(given, error, "it was not looked at")
        status = shape.UNREACHABLE if status == tally.UNREACHABLE else shape.REFUSED
        return dc.replace(first, status=status, reason=reason or "it did not answer")
    try:
        kept = note.read(_text(given["note"]), note.PATH) if given.get("note") else None
    except DataError as broken:
        return dc.replace(first, reason=plain(broken.sentence))
    wanted = target(plan["release"], given.get("partitions") or "")
    place = given.get("standing") or {}
    kept, where = unnoted.heard(kept, ends(kept.run, name) if kept else None, _holder(place), place.get("reason") or "")
    same = kept if kept and kept.target == wanted else None
    going = same is not None and same.state == shape.GOING
    judged = [*given.get("checks", ()), *checks]
    status, reason = _status(plan, same, place, retry, judged)
    return dc.replace(
        first, status=status, reason=reason, release=plain(plan["release"]["name"]), target=wanted,
        found=plain(plan["report"].get("found", "")), steps=tuple(map(plain, plan["actions"])),
        reboot=any(one["reboot"] for one in plan["plans"].values()), standing=_holder(place),
        halfway=going, back=plain(same.reason) if same and going and same.step in shape.BACK and not retry else "",
        proven=same is not None and same.state == shape.DONE,
        seconds=int(given.get("seconds") or 0) or (kept and kept.seconds) or 0,
        snapshot=given.get("stays", kept.snapshot if kept else ""),
        noted=kept.updated if kept else "", notes=_notes(kept, where, wanted, place, plan, judged))


def _text(given: t.Any) -> str:
    """The text of the note. Templates of ansible-core 2.18 make data of what looks like some, and texts of numbers."""
    return given if isinstance(given, str) else json.dumps(given)


def _status(
    plan: Given, same: Note | None, place: Given, retry: bool, checks: t.Sequence[Given],
) -> tuple[str, str]:
    """Status and reason. A node that is not tried again is not asked whether it could be upgraded."""
    if same and same.state in shape.BAD and not retry:
        return shape.FAILED_BEFORE, plain(": ".join(filter(None, (same.state, same.reason))))
    due = plan["todo"] or any(one["reboot"] for one in plan["plans"].values())
    refused = "; ".join(plain(check["words"]) for check in checks if check["verdict"] == REFUSED)
    if place.get("failed") or place.get("unreachable"):  # which is among what refused where it was asked with all else
        return shape.REFUSED, refused or plain(place.get("msg", "")) or "its scheduler did not answer"
    if not due and _holder(place) != "ours" and (same is None or same.state == shape.DONE):
        return shape.WANTED, ""
    return (shape.REFUSED, refused) if refused else (shape.DUE, "")


def _holder(place: Given) -> str:
    """Who has it out of work now. A scheduler that was asked what a drain would do tells who had it before."""
    holder: str = place.get("before", place.get("standing", "open"))
    return holder


def _notes(
    kept: Note | None, where: str, wanted: str, place: Given, plan: Given, checks: t.Sequence[Given],
) -> tuple[str, ...]:
    notes = []
    if kept and where:
        notes.append(f"it took no note of its end; how it ended is known from {where}")
    if kept and kept.state == shape.GOING:
        other = "" if kept.target == wanted else f", on its way to {kept.target}"
        run = f" ({kept.run})" if kept.run else ""
        notes.append(f"an earlier run{run} was cut off on it at the step {kept.step}{other}")
    elif kept and kept.state in shape.BAD and kept.target == wanted:
        notes.append(f"it was tried before ({kept.attempt}): {kept.state}: {kept.reason}")
    holder, why = _holder(place), place.get("reason") or "no reason is known"
    if holder == "foreign":
        notes.append(f"somebody else took it out of work, and it stays so: {why}")
    elif holder == "ours":
        notes.append(f"it is out of work: {why}")
    notes += [f"{check['name']} is not known: {check['words']}" for check in checks if check["verdict"] == UNKNOWN]
    notes += [problem for one in plan["plans"].values() for problem in one["problems"]]
    return tuple(dict.fromkeys(map(plain, notes)))
