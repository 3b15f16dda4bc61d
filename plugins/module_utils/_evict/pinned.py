# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Processes that are pinned by a file descriptor: a signal reaches the one that was meant, or nobody.

Between a look and a signal a number may come to stand for another process. A descriptor never does: it is opened first,
and what began when the process was seen is then asked through its number. source: pidfd_open(2), pidfd_send_signal(2)
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
import typing as t

from .._core.errors import FleetError
from .._core.eviction.life import Life
from .._core.eviction.shape import Holder

Lives = t.Callable[[int], t.Optional[Life]]


def refuse_unable() -> None:
    """Refuse to go on where processes cannot be pinned.

    Raises:
        FleetError: this Python or this kernel has no pidfd.
    """
    hint = "it takes Linux 5.3 and a Python that was built for it"
    if not (hasattr(os, "pidfd_open") and hasattr(signal, "pidfd_send_signal")):
        raise FleetError("this node", "its Python has no pidfd_open: a signal could reach another process", hint)
    try:
        os.close(os.pidfd_open(os.getpid()))
    except OSError as error:
        raise FleetError("this node", f"its kernel has no pidfd_open ({error.strerror})", hint) from error


class Pinned:
    """Some processes. Those that are gone, or are others by now, are not among them.

    Attributes:
        ended: pid -> seconds after the first signal at which it was seen to end.
    """

    def __init__(self, holders: t.Iterable[Holder], lives: Lives) -> None:
        self.ended: dict[int, float] = {}
        self._began = time.monotonic()
        self._files: dict[int, int] = {}
        for holder in holders:
            with contextlib.suppress(ProcessLookupError):
                self._files[os.pidfd_open(holder.pid)] = holder.pid
                life = lives(holder.pid)
                if life is None or life.start != holder.start:
                    os.close(self._files.popitem()[0])

    def __enter__(self) -> Pinned:
        return self

    def __exit__(self, *_error: object) -> None:
        for file in self._files:
            os.close(file)

    @property
    def alive(self) -> tuple[int, ...]:
        """Numbers of those that have not ended."""
        return tuple(pid for pid in self._files.values() if pid not in self.ended)

    def send(self, number: int, pids: t.Collection[int]) -> tuple[int, ...]:
        """Signal those of them that live; the numbers of those that it reached.

        Raises:
            FleetError: it may not be sent.
        """
        reached = []
        for file, pid in self._files.items():
            if pid in pids and pid not in self.ended:
                try:
                    signal.pidfd_send_signal(file, number)
                    reached.append(pid)
                except ProcessLookupError:
                    self._end(pid)
                except PermissionError as error:
                    raise FleetError(f"pid {pid}", "must not be signalled", "run as root (become: true)") from error
        return tuple(reached)

    def wait(self, seconds: float, pids: t.Collection[int]) -> None:
        """Wait until all of these have ended, or the time is over."""
        end = time.monotonic() + seconds
        poll = select.poll()
        for file, pid in self._files.items():
            if pid in pids and pid not in self.ended:
                poll.register(file, select.POLLIN)
        while set(self.alive) & set(pids):
            for file, _event in poll.poll(max(0, end - time.monotonic()) * 1000):
                poll.unregister(file)
                self._end(self._files[file])
            if time.monotonic() >= end:
                return

    def _end(self, pid: int) -> None:
        self.ended[pid] = time.monotonic() - self._began
