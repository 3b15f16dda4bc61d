# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The node's clock, and when it was booted."""

from __future__ import annotations

import ctypes
import os
import time

from .._core.look.shape import Clock
from .apart import UnreadableError
from .machine import Machine
from .notes import Notes

_UNSYNCHRONIZED = 0x40  # source: linux:include/uapi/linux/timex.h, STA_UNSYNC


class _Timex(ctypes.Structure):
    """The start of struct timex; what follows is room. source: adjtimex(2)"""

    _fields_ = (("modes", ctypes.c_uint), ("offset", ctypes.c_long), ("freq", ctypes.c_long),
                ("maxerror", ctypes.c_long), ("esterror", ctypes.c_long), ("status", ctypes.c_int),
                ("room", ctypes.c_char * 256))


def read(machine: Machine, notes: Notes) -> Clock:
    """Return what the clock says; notes go under ``clock``."""
    now = time.time()
    uptime = notes.attempt("clock.booted", None, _uptime, machine)
    return Clock(epoch=now, synchronized=notes.attempt("clock.synchronized", None, synchronized),
                 booted=None if uptime is None else now - uptime)


def _uptime(machine: Machine) -> float:
    words = (machine.text("/proc/uptime") or "").split()
    try:
        return float(words[0])
    except (IndexError, ValueError):
        raise UnreadableError("/proc/uptime is not of the form it must have") from None


def synchronized() -> bool:
    """Whether the kernel holds its clock to be synchronized. It is only asked: modes is 0.

    Raises:
        UnreadableError: it does not answer; containers may forbid the call.
    """
    answer = _Timex()
    library = ctypes.CDLL(None, use_errno=True)
    if library.adjtimex(ctypes.byref(answer)) < 0:
        raise UnreadableError(f"adjtimex does not answer: {os.strerror(ctypes.get_errno())}")
    return not answer.status & _UNSYNCHRONIZED
