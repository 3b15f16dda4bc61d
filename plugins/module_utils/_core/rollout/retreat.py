# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What becomes of a node whose upgrade failed: whether it goes back to what it was, and whether it is out of work."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from .shape import FAILED, STRANDED

_AT_WORK = ("snapshot", "trial")  # steps in which a node still works
_CHANGING = ("", "apply", "gate", "restore")  # in which it may be another than it was; "" if nobody knows the step


@dc.dataclass(frozen=True)
class Retreat:
    """Attributes: id of the snapshot that the node goes back to, empty where it stays; whether it is out of work; how
    it ends where it stays.
    """

    snapshot: str
    out: bool
    state: str = FAILED


def retreat(node: t.Mapping[str, t.Any], noted: t.Mapping[str, t.Any], snapshot: str, allowed: bool) -> Retreat:
    """What becomes of it.

    A node that an earlier run was cut off on may be half done before this run takes its first step. One that another
    run has taken is that run's: it is not touched.

    Args:
        node: as fleet_upgrade_plan returned it.
        noted: what fleet_upgrade_turn returned of the step that this run began last; empty if it began none.
        snapshot: id of the one that this run would go back to; empty as long as it knows of none.
        allowed: whether nodes go back.
    """
    if noted.get("lost"):
        return Retreat("", False)
    step = noted.get("word", "")
    earlier = node.get("snapshot", "") if node.get("halfway") else ""
    kept = (snapshot or earlier) if step in _CHANGING else earlier if step in _AT_WORK else ""
    out = kept != "" or step not in ("", *_AT_WORK) or node.get("standing") == "ours"
    # A way back that is begun cannot end otherwise.
    return Retreat(kept if allowed else "", out, STRANDED if node.get("back") else FAILED)
