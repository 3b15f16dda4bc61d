# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Quarantine: a node that is set aside, by whom and why, and who may take it back.

It is set by a gate whose profile says so, or by a person. A person lifts any; a gate lifts only what a gate set, and
only by passing a profile that lifts.
"""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..findings import NODE, Cause, Check
from ..strict import Reader
from .judge import EXIT, Judgement
from .limits import Judged
from .profile import Profile

VERSION, KIND = "v1", "quarantine"
GATE, PERSON = "gate", "person"
ID = "quarantine"  # of the check that a quarantined node fails


@dc.dataclass(frozen=True)
class Quarantine:
    """Attributes: by (gate or person), actor, reason, when it was set (ISO 8601), ids of the checks that failed."""

    by: str
    actor: str
    reason: str
    when: str
    checks: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, t.Any]:
        """Plain data, as ``read`` takes it."""
        return {"version": VERSION, "kind": KIND, **dc.asdict(self), "checks": list(self.checks)}

    @property
    def words(self) -> str:
        """Who set it, when and why."""
        return f"set by {self.actor} at {self.when}: {self.reason}"


def read(raw: object, where: str) -> Quarantine:
    """A quarantine from plain data.

    Raises:
        DataError: it is not of that form.
    """
    reader = Reader(raw, f"{where}:")
    reader.choice("version", (VERSION,))
    reader.choice("kind", (KIND,))
    found = Quarantine(reader.choice("by", (GATE, PERSON)), reader.text("actor"), reader.text("reason"),
                       reader.text("when"), reader.texts("checks", ()))
    reader.done()
    return found


def after(
    now: Quarantine | None, profile: Profile, judgement: Judgement, actor: str, when: str, allowed: bool | None = None,
) -> Quarantine | None:
    """The quarantine after a gate.

    Args:
        now: the one that there is.
        profile: what the node was judged by.
        judgement: without the check of the quarantine itself.
        actor: who ran the gate.
        when: the time, ISO 8601.
        allowed: whether failing sets one; None: what the profile says.
    """
    if now is None:
        if judgement.verdict != "fail" or not (profile.quarantine if allowed is None else allowed):
            return None
        failed = [check for check in judgement.checks if check.verdict == "fail"]
        more = f" and {len(failed) - 1} more" if len(failed) > 1 else ""
        reason = f"failed {profile.id}: {failed[0].id} of {failed[0].subject}, {failed[0].seen}{more}"
        return Quarantine(GATE, actor, reason, when, tuple(dict.fromkeys(check.id for check in failed)))
    lifted = now.by == GATE and profile.lifts and EXIT[judgement.verdict] == 0
    return None if lifted else now


def check(quarantine: Quarantine | None) -> Judged | None:
    """The check that a node in quarantine fails, whatever its GPUs show; None without one."""
    if quarantine is None:
        return None
    remedy = ("lift it when you know why it was set (instinct-gate quarantine lift, or gpu_quarantine)"
              if quarantine.by == PERSON else "mend the node, then let it pass the profile admission")
    why = Cause("The node was set aside and takes no work until that is lifted.", remedy, ("docs/gate.md",))
    return Judged(Check(ID, NODE, "fail", "not in quarantine", quarantine.words, why, "configuration"))
