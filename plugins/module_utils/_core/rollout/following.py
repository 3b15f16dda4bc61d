# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""From one note of an upgrade to the next: which may follow on which, and what of it the journal tells."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..errors import FleetError
from . import note as notes
from .shape import BACK, BAD, BEGIN, DONE, END, FAILED, GOING, ROLLED_BACK, STEP, STEPS, Note

EVENTS = (BEGIN, STEP, END)
ANOTHER = "another run"


@dc.dataclass(frozen=True)
class Event:
    """What happens to the upgrade of a node: as the options of node_progress, empty where one was not given.

    Attributes: those of the note; of ``run``, the name of the run, ``noted`` tells when the note was last written that
    this run found before it began.
    """

    event: str
    target: str = ""
    release: str = ""
    step: str = ""
    state: str = ""
    reason: str = ""
    snapshot: str = ""
    run: str = ""
    noted: str = ""


def after(before: Note | None, event: Event, when: str, seconds: int | None = None, recorded: str = "") -> Note:
    """The note after the event; ``before`` itself where it says so already. ``when`` is UTC in ISO 8601, ``seconds`` is
    how long ago the upgrade began, None where the note does not tell. ``recorded``: release of the node's record.

    Raises:
        FleetError: the event cannot follow on what the note says, or another run wrote it since this one found it.
    """
    _refuse_another(before, event)
    begins = event.event == BEGIN
    new = _begun(before, event, when, recorded) if begins else _went_on(_known(before), event, when, seconds)
    new = dc.replace(new, run=event.run or new.run)
    return before if before and dc.replace(new, updated=before.updated) == before else new


def _refuse_another(before: Note | None, event: Event) -> None:
    """A run that was killed wrote its note before this one found it, and one that is at the node writes on."""
    if before and event.run and before.run != event.run and before.updated != event.noted:
        going = before.state == GOING
        where = f"at the step {before.step}" if going else before.state
        raise FleetError(
            ANOTHER, f"has taken this node since this one looked at it: {before.run or 'one without a name'}, {where} "
            f"since {before.updated}", f"{'wait until it ended, then ' if going else ''}run again")


def _begun(before: Note | None, event: Event, when: str, recorded: str) -> Note:
    if event.step not in STEPS:
        raise FleetError(f"step {event.step}", "is none that an upgrade begins with", f"name one of {', '.join(STEPS)}")
    new = notes.begun(before, event.target, event.release, event.step, when, recorded)
    return dc.replace(new, snapshot=event.snapshot or new.snapshot)


def _went_on(before: Note, event: Event, when: str, seconds: int | None) -> Note:
    if event.event == STEP and event.step in BACK:
        # The way back may also be taken from a release that was reached, or after an earlier way back.
        return notes.stepped(dc.replace(before, state=GOING), event.step, when, event.reason, event.snapshot)
    if event.event == END and (before.state, before.reason) == (event.state, event.reason):
        return before
    if before.state != GOING:
        raise FleetError(notes.PATH, f"says that the upgrade of this node to {before.release} is {before.state}, so it "
                         "cannot go on", "begin it first")
    if event.event == STEP:
        return notes.stepped(before, event.step, when, event.reason, event.snapshot)
    return _ended(before, event, when, seconds)


def _ended(before: Note, event: Event, when: str, seconds: int | None) -> Note:
    """Whether the way back was begun tells which ends there are; it may also end where that could not be noted."""
    back = before.step in BACK
    if event.state in ((DONE, FAILED) if back else (ROLLED_BACK,)):
        raise FleetError(f"state {event.state}", f"is no end of the step {before.step}",
                         "it is rolled back, or stranded" if back else "begin the way back first")
    if event.state in BAD and not (event.reason or before.reason):
        raise FleetError(f"state {event.state}", "comes without a reason", "give one")
    return notes.ended(before, event.state, when, event.reason, seconds if event.state == DONE else None)


def _known(before: Note | None) -> Note:
    if before is None:
        raise FleetError(notes.PATH, "is not there: no upgrade was begun on this node", "begin it first")
    return before


def told(before: Note | None, new: Note, event: Event, who: str) -> dict[str, t.Any] | None:
    """What the journal tells of it; None for a step on the way, of which the note is enough."""
    if event.event == STEP and event.step not in BACK:
        return None
    said = new.state if event.event == END else "begun" if event.event == BEGIN else f"on the way back: {event.step}"
    why = new.reason if event.event == END or event.step in BACK else ""
    return {"who": who, "what": "upgrade", "from": before.release if before else None, "to": new.release,
            "result": f"{said}: {why}" if why else said}


def words(new: Note, event: Event) -> str:
    """The event in words."""
    if event.event == END:
        return f"note the upgrade to {new.release} as {new.state}" + (f": {new.reason}" if new.reason else "")
    return f"note {'the upgrade' if event.event == BEGIN else 'a step of the upgrade'} to {new.release}: {new.step}"
