# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Resetting a GPU that stays held though nobody is there: the last resort."""

from __future__ import annotations

from .._core.eviction.release import hive, why_no_reset
from .._smi import partition
from .._smi import reset as library
from . import eyes

SECONDS = 60  # for the library to list processes, and for the reset itself


def reset(gpu: str, view: eyes.View) -> str:
    """Reset a GPU; why it was not, or nothing."""
    listed = partition.holders(eyes.machine(), SECONDS)
    clients = {process.pid: process.gpus for process in listed.processes if eyes.alive(process.pid)}
    problem = why_no_reset(hive(gpu, view.devices), view.holders, clients, next(iter(listed.unknown.values()), ""))
    return problem or library.reset(eyes.machine(), gpu, SECONDS)
