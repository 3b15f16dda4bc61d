# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What a roll-out is made of: the note that each node carries, what is known of a node before, and what happens."""

from __future__ import annotations

import dataclasses as dc

# Steps of a node, in their order. The note on the node names the one that was begun last.
STEPS = ("snapshot", "trial", "drain", "apply", "gate", "undrain")
BACK = ("restore", "regate")  # those of the way back

GOING = "going"  # begun; if nobody works on it, the run was cut off
DONE = "done"  # at its release, gate passed, given back
FAILED = "failed"  # and it was not tried to take it back
ROLLED_BACK = "rolled back"  # failed, is at its last known good release again, gate passed, out of work
STRANDED = "stranded"  # failed, and so did the way back
ENDS = (DONE, FAILED, ROLLED_BACK, STRANDED)
STATES = (GOING, *ENDS)
UNREACHABLE = "unreachable"  # what a node can be besides, that cannot be written on it
BAD = (FAILED, ROLLED_BACK, STRANDED, UNREACHABLE)

# What the pre-flight found of a node.
DUE, WANTED, REFUSED, FAILED_BEFORE = "due", "as wanted", "refused", "failed before"

# What is logged while a roll-out goes on: a node waits for its place, begins, takes a step, ends; or is skipped.
WAIT, BEGIN, STEP, END, SKIP = "wait", "begin", "step", "end", "skip"


@dc.dataclass(frozen=True)
class Note:
    """How far the upgrade of a node is, as the node itself remembers it: /var/lib/instinct/upgrade.json.

    It outlives the control machine. Failures count against the budget of a roll-out as long as ``target`` is what the
    inventory wants of the node.

    Attributes:
        target: what the node was to become, as ``target`` of the plan words it; no more than a text to compare.
        release: name of that release.
        snapshot: id of the snapshot that the way back leads to; empty where there is none.
        step: one of STEPS or BACK that was begun last.
        state: one of STATES.
        reason: why it failed, in one sentence; empty if it did not.
        attempt: how often it was begun for this target, from 1.
        began: when this attempt began, UTC in ISO 8601.
        updated: when the note was last written.
        seconds: how long the last upgrade took that was done; it stays while the next is under way.
        run: which run wrote it last; empty for none that has a name.
    """

    target: str
    release: str
    snapshot: str
    step: str
    state: str
    reason: str = ""
    attempt: int = 1
    began: str = ""
    updated: str = ""
    seconds: int | None = None
    run: str = ""


@dc.dataclass(frozen=True)
class Candidate:
    """One node before the roll-out, as the pre-flight found it.

    Attributes:
        node: its name in the inventory.
        status: DUE, WANTED, REFUSED, UNREACHABLE, or FAILED_BEFORE (and not to be tried again).
        reason: why it is refused, unreachable or failed.
        release: name of the release that is wanted.
        target: see Note.
        found: what runs now, in words.
        steps: what is to be done, in words.
        reboot: whether a reboot is among it.
        standing: who has it out of work: open, ours, foreign.
        halfway: whether an earlier run was cut off on it.
        back: why it was on its way back when that run was cut off, and so goes back; empty if it goes forth.
        domain: name of its rack or failure domain; empty where none is told.
        proven: whether a roll-out already brought this node to the target and gave it back.
        canary: whether the others wait for it.
        seconds: how long it is expected to take; 0 if nobody can tell.
        snapshot: id of the snapshot that the way back leads to, where an earlier run made one.
        noted: when its note was last written; empty without one.
        notes: what a person should know.
    """

    node: str
    status: str
    reason: str = ""
    release: str = ""
    target: str = ""
    found: str = ""
    steps: tuple[str, ...] = ()
    reboot: bool = False
    standing: str = "open"
    halfway: bool = False
    back: str = ""
    domain: str = ""
    proven: bool = False
    canary: bool = False
    seconds: int = 0
    snapshot: str = ""
    noted: str = ""
    notes: tuple[str, ...] = ()


@dc.dataclass(frozen=True)
class Window:
    """A time of the week in which nodes may begin.

    Attributes:
        days: on which it begins; 0 is Monday.
        begins: minutes after midnight.
        ends: minutes after midnight of the same day, or of the next where it is not after ``begins``.
        zone: minutes that its clock is before UTC; None for the clock of the control machine.
    """

    days: tuple[int, ...]
    begins: int
    ends: int
    zone: int | None = None


@dc.dataclass(frozen=True)
class Policy:
    """How a roll-out goes on.

    Attributes:
        max_unavailable: how many nodes are worked on at a time.
        failures: how many nodes may fail before no further node begins.
        per_domain: how many nodes of one failure domain are worked on at a time; 0 for any number.
        pause: seconds for which the place of a node that ended stays empty.
        windows: times in which a node may begin; empty for any time.
    """

    max_unavailable: int = 1
    failures: int = 0
    per_domain: int = 0
    pause: int = 0
    windows: tuple[Window, ...] = ()


@dc.dataclass(frozen=True)
class Place:
    """What it takes to know of a node to give it its turn.

    Attributes:
        node: its name in the inventory.
        seconds: how long it is expected to take; 0 if nobody can tell.
        domain: name of its failure domain; empty where none is told.
        canary: whether the others wait for it.
        halfway: whether an earlier run was cut off on it.
        noted: when its note was last written before the run; empty without one.
    """

    node: str
    seconds: int = 0
    domain: str = ""
    canary: bool = False
    halfway: bool = False
    noted: str = ""


@dc.dataclass(frozen=True)
class Course:
    """What is decided before the first node is touched; the log of a run begins with it.

    Attributes:
        places: the nodes that are due, in the order in which they begin.
        policy: how the roll-out goes on.
        failed: nodes that count against the budget from the beginning: they failed before, or were not reached.
        stopped: why no node begins from the beginning: a canary is among them; empty if none is.
        run: name of the run.
    """

    places: tuple[Place, ...] = ()
    policy: Policy = dc.field(default_factory=Policy)
    failed: tuple[str, ...] = ()
    stopped: str = ""
    run: str = ""


@dc.dataclass(frozen=True)
class Event:
    """One line of the log of a run, on the control machine.

    Attributes:
        at: seconds since 1970.
        node: which node.
        event: one of WAIT, BEGIN, STEP, END, SKIP.
        word: of a step its name, of an end DONE or one of BAD.
        reason: why it did not end well, is skipped or waits.
    """

    at: float
    node: str
    event: str
    word: str = ""
    reason: str = ""
