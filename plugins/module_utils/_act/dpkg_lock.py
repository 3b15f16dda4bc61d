# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Waiting until nobody works on packages, and saying who does."""

from __future__ import annotations

import contextlib
import fcntl
import os
import struct

from .._core.errors import FleetError
from .clock import ticks

# What apt and all that is like it hold while they work. source: apt, debsystem.cc, debSystem::LockInner
LOCK = "/var/lib/dpkg/lock-frontend"
_PAUSE = 1.0
_FLOCK = "hhqqi4x"  # struct flock: l_type, l_whence, l_start, l_len, l_pid. source: fcntl(2)


def await_packages(timeout: float) -> None:
    """Wait until nobody works on packages. Where there is no lock, there is no dpkg to wait for.

    Raises:
        FleetError: a process does so for longer than ``timeout`` seconds; it is named.
    """
    try:
        handle = os.open(LOCK, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if any(_holder(handle) is None for _gone in ticks(timeout, _PAUSE)):
            return
        what = f"{_named(_holder(handle))} works on packages (waited {timeout:.0f} s)"
        raise FleetError(LOCK, what, "wait for it to end, then run again; nothing was changed")
    finally:
        os.close(handle)


def _holder(handle: int) -> int | None:
    """The process that holds the lock."""
    asked = struct.pack(_FLOCK, fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
    kind, _whence, _start, _length, pid = struct.unpack(_FLOCK, fcntl.fcntl(handle, fcntl.F_GETLK, asked))
    return None if kind == fcntl.F_UNLCK else int(pid)


def _named(pid: int | None) -> str:
    with contextlib.suppress(OSError), open(f"/proc/{pid}/comm", encoding="utf-8") as stream:
        return f"process {pid} ({stream.read().strip()})"
    return f"process {pid}"
