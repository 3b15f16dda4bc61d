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
STATES = (GOING, DONE, FAILED, ROLLED_BACK, STRANDED)
BAD = (FAILED, ROLLED_BACK, STRANDED)


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
        seconds: how long the whole upgrade took, once it is done.
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


@dc.dataclass(frozen=True)
class Candidate:
    """One node before the roll-out, as the pre-flight found it.

    Attributes:
        node: its name in the inventory.
        status: "due", "as wanted", "refused", "unreachable", "failed before" (and not tried again).
        reason: why it is refused, unreachable or failed.
        release: name of the release that is wanted.
        target: see Note.
        found: what runs now, in words.
        steps: what is to be done, in words.
        reboot: whether a reboot is among it.
        standing: who has it out of work: open, ours, foreign.
        halfway: whether an earlier run was cut off on it.
        domain: name of its rack or failure domain; empty where none is told.
        canary: whether it goes first.
        seconds: how long it is expected to take.
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
    domain: str = ""
    canary: bool = False
    seconds: int = 0
    notes: tuple[str, ...] = ()


@dc.dataclass(frozen=True)
class Window:
    """A time of the week in which nodes may begin.

    Attributes:
        days: 0 is Monday.
        begins: minutes after midnight.
        ends: minutes after midnight of the same day, or of the next where it is not after ``begins``.
    """

    days: tuple[int, ...]
    begins: int
    ends: int


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
class Event:
    """One line of the log of a run, on the control machine.

    Attributes:
        at: seconds since 1970.
        node: which node.
        event: "begin", "step" or "end".
        word: of a step its name, of an end one of DONE, FAILED, ROLLED_BACK, STRANDED, "unreachable".
        reason: why it did not end well.
    """

    at: float
    node: str
    event: str
    word: str = ""
    reason: str = ""
