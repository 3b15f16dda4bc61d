# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Who holds GPUs: processes of KFD, by which the kernel decides, and those that the library knows besides."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from .._act.clock import ticks
from .._core.look.shape import Process
from .._core.partition import busy
from .._node import processes
from .._node.apart import UnreadableError
from .._node.machine import Machine
from .._smi import partition
from . import eyes

PATIENCE = 15  # seconds for the kernel to forget the processes of units that ended
PAUSE = 0.5
_LIBRARY = 30  # seconds for the library to list processes


def refuse(touched: t.Collection[str], stop_units: t.Collection[str] = (), patience: float = 0) -> None:
    """Refuse a change of GPUs that are held. ``patience``: seconds after which a holder counts.

    Raises:
        FleetError: names pids, commands, units and containers, or says that they are not known.
    """
    for _gone in ticks(patience, PAUSE):
        found, unknown = listed()
        if not unknown and not busy.holders(touched, found, stop_units):
            return
    busy.refuse_busy(touched, found, stop_units, unknown)


def listed() -> tuple[tuple[Process, ...], str | None]:
    """Processes by both lists, each once, and why KFD's is not known.

    What the library does not tell changes nothing: KFD's list decides, and modprobe says itself if the driver is used.
    """
    seen = eyes.look(eyes.HOLDERS).processes
    if seen is None:
        return (), "it was not looked at"
    machine = eyes.machine(_LIBRARY)
    known = {process.pid for process in seen.processes}
    others = (_named(machine, process) for process in partition.holders(machine, _LIBRARY).processes
              if process.pid not in known)
    return (*seen.processes, *(process for process in others if process)), seen.unknown.get("processes")


def _named(machine: Machine, process: Process) -> Process | None:
    """A process of the library's list with its unit; None if it is gone, as the one that asked the library is."""
    try:
        if not machine.exists(f"/proc/{process.pid}"):
            return None
        found = processes.one(machine, str(process.pid), {})
    except UnreadableError:
        return process
    return dc.replace(found, command=found.command or process.command, gpus=process.gpus)
