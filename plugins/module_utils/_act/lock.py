# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""One run at a time acts on a node."""

from __future__ import annotations

import contextlib
import fcntl
import os
import typing as t

from .._core.errors import FleetError
from .clock import ticks

# Not in /run/lock: everybody may write there, and a tenant who holds the lock would stop every run.
LOCK = "/run/instinct-fleet.lock"


@contextlib.contextmanager
def node_lock(timeout: float) -> t.Iterator[None]:
    """Hold the lock of this node.

    Raises:
        FleetError: another run holds it for longer than ``timeout`` seconds, or the lock file cannot be opened.
    """
    try:
        handle = opened(LOCK)
    except OSError as error:
        raise FleetError(LOCK, f"cannot open the lock: {error.strerror}", "run as root (become: true)") from error
    try:
        if not taken(handle, timeout):
            what = f"another run acts on this node (waited {timeout:.0f} s)"
            raise FleetError(LOCK, what, "wait for it to end and run again")
        yield
    finally:
        os.close(handle)


def opened(path: str) -> int:
    """Open a lock file, which is made if it is not there; raises OSError, also where it is a link."""
    return os.open(path, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def taken(handle: int, timeout: float) -> bool:
    """Take the lock of an open file until it is closed; False if another process has it for all that time."""
    return any(_take(handle) for _gone in ticks(timeout))


def _take(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
