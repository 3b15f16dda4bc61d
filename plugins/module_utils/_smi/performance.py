# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Power, clocks and links of GPUs through the vendor's library: reading them, and setting some before that."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from .._node.machine import Machine
from . import amdsmi_performance, amdsmi_set
from .child import LOCK, heard

Items = dict[str, dict[str, t.Any]]
Step = tuple[str, str, t.Any]  # address, setting, value


@dc.dataclass(frozen=True)
class Said:
    """What was read.

    Attributes:
        items: PCI address -> what amdsmi_performance tells of it.
        lacking: settings that the binding has no call for.
        failed: (address, setting) -> why it could not be set: the status and words of the library.
        problem: why nothing was read, or not all; None if all was.
    """

    items: Items
    lacking: tuple[str, ...]
    failed: dict[tuple[str, str], str]
    problem: str | None


def perform(machine: Machine, steps: t.Sequence[Step], seconds: float) -> Said:
    """Set in order, until one fails, and read all GPUs anew; without steps nothing is set and no lock is taken."""
    came = heard(machine, seconds, (amdsmi_set, amdsmi_performance), lock=machine.outside(LOCK),
                 set=[list(step) for step in steps])
    told: Items = came.said.get("told", {})
    problem = came.problem or (None if told else "the library lists no GPU")
    failed = {}
    for bdf, setting, _value in steps:
        answer = told.get(bdf, {}).get(f"set {setting}")
        if answer is None:
            failed[bdf, setting] = problem or "not tried, for one before it failed"
        elif answer["code"] != 0:
            failed[bdf, setting] = ": ".join(filter(None, (answer["status"], answer["words"])))
    return Said(told, tuple(came.said.get("lacking", ())), failed, problem)
