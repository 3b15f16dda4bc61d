# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Looks of a run: the sections that partitioning needs, and nothing that would wake a GPU which sleeps."""

from __future__ import annotations

import typing as t

from .._core.look.shape import Look
from .._core.release.named import named
from .._core.release.products import DeviceIds
from .._look.sight import Sight
from .._node.machine import Machine

# What a change is decided by. What it brought is seen in fewer.
BEFORE = ("gpus", "smi", "driver", "devices", "processes", "kernel")
AFTER = ("gpus",)
HOLDERS = ("processes",)
SECONDS = 60  # a look of 64 devices takes 1; a driver that does not answer must not take all the time there is


def machine(seconds: float) -> Machine:
    """This machine, to be read within some seconds."""
    return Machine(timeout=seconds)


def look(sections: t.Sequence[str], products: t.Sequence[DeviceIds] = ()) -> Look:
    """One look. GPUs that nothing on the node names are named by their PCI ids."""
    return named(Sight(machine(SECONDS)).take(sections), products)
