# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Who holds GPUs: processes of KFD, by which the kernel decides, and those that the library knows besides."""

from __future__ import annotations

import typing as t

from .._act.clock import ticks
from .._core.look.shape import Process
from .._core.partition import busy
from . import eyes

PATIENCE = 15  # seconds for the kernel to forget the processes of units that ended
PAUSE = 0.5


def refuse(touched: t.Collection[str], stop_units: t.Collection[str] = (), patience: float = 0) -> None:
    """Refuse a change of GPUs that are held. ``patience``: seconds after which a holder counts.

    Raises:
        FleetError: names pids, commands, units and containers, or says that they are not known.
    """
    for _gone in ticks(patience, PAUSE):
        processes, unknown = listed()
        if not unknown and not busy.holders(touched, processes, stop_units):
            return
    busy.refuse_busy(touched, processes, stop_units, unknown)


def listed() -> tuple[tuple[Process, ...], str | None]:
    """Processes by both lists, each once, and why KFD's is not known."""
    seen = eyes.look(eyes.HOLDERS).processes
    return (seen.processes if seen else ()), (seen.unknown.get("processes") if seen else "it was not looked at")
