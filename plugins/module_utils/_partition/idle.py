# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Waiting until no process holds a GPU: where no scheduler knows what runs."""

from __future__ import annotations

from .._act.clock import ticks
from .._act.outcome import Outcome
from .._core.errors import FleetError
from .._core.partition import busy
from .._core.partition.unit_names import unit_names
from . import eyes, holders

PAUSE = 5


def wait(timeout: int, stop_units: tuple[str, ...], check: bool) -> Outcome:
    """Wait until nothing but these units holds a GPU. In check mode and without time it is seen at once.

    Raises:
        FleetError: GPUs are held, or nobody knows whether they are; an option is not of its form.
    """
    if timeout < 0:
        raise FleetError("timeout", "is too short", "give 0 or more seconds")
    listed = unit_names(stop_units)
    seen = eyes.look(("gpus", *eyes.HOLDERS))
    bdfs = tuple(gpu.bdf for gpu in seen.gpus.gpus) if seen.gpus else ()
    if check and timeout:
        return Outcome()
    for _gone in ticks(timeout, PAUSE):
        section = eyes.look(eyes.HOLDERS).processes
        if section and not section.unknown and not busy.holders(bdfs, section.processes, listed):
            break
    holders.refuse(bdfs, listed)
    return Outcome()
