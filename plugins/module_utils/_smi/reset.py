# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Resetting a GPU through the vendor's library."""

from __future__ import annotations

from .._node.machine import Machine
from . import amdsmi_reset, amdsmi_set
from .child import LOCK, heard


def reset(machine: Machine, bdf: str, seconds: float) -> str:
    """Reset a whole GPU, and with it all of its hive; why it failed, or nothing.

    Args:
        machine: the node.
        bdf: PCI address of the GPU.
        seconds: after which the library is left behind.
    """
    said = heard(machine, seconds, (amdsmi_set, amdsmi_reset), lock=machine.outside(LOCK), bdf=bdf)
    told = said.said.get("told", {}).get(bdf, {})
    if told.get("code") == 0:
        return ""
    words = ": ".join(filter(None, (told.get("status"), told.get("words"))))
    return words or said.problem or "the library gave no answer"
