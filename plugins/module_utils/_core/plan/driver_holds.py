# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Whose holds a plan lifts: our own, as the node's record lists them, or those of another hand, which had a reason."""

from __future__ import annotations

import typing as t

from ..errors import FleetError
from ..look.whole import WholeLook
from .plan import Step
from .record import Record, readable
from .steps import UNHOLD


def refuse_lifting(look: WholeLook, steps: t.Iterable[Step]) -> None:
    """Refuse to lift holds that are not ours, where the record says which are.

    Raises:
        FleetError: names the packages.
    """
    record = _telling(look)
    others = sorted(_lifted(look, steps) - set(record.held)) if record else []
    if others:
        verb = "is" if len(others) == 1 else "are"
        command = UNHOLD.get(look.packages.manager or "", "apt-mark unhold")
        raise FleetError(", ".join(others), f"{verb} on hold, must change, and the record of this node does not list "
                         "the hold as ours", f"lift it if it is no longer meant: {command} {' '.join(others)}")


def lifting_notes(look: WholeLook, steps: t.Iterable[Step]) -> tuple[str, ...]:
    """The holds that are lifted, where nothing says whose they are."""
    lifted = sorted(_lifted(look, steps))
    if not lifted or _telling(look):
        return ()
    return (f"no record says who set the hold of {', '.join(lifted)}: it is lifted for the change",)


def _lifted(look: WholeLook, steps: t.Iterable[Step]) -> set[str]:
    """Packages that the steps let go of. One that is half done is not another hand's: a run of ours was cut off."""
    names = {name for step in steps if step.action == "unhold" for name in step.data["packages"]}
    return names - {package.name for package in look.packages.broken}


def _telling(look: WholeLook) -> Record | None:
    """The node's record, if it can be read and tells which holds are ours. v1, which has no variables, does not."""
    record = readable(look)
    return record if record and record.variables is not None else None
