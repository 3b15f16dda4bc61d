# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""A function in a child process: a read that hangs inside a driver cannot be interrupted, only left behind."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import time
import typing as t

_CHUNK = 65536


class UnreadableError(Exception):
    """Something could not be read; the text says why. Ends as an entry of ``unknown``."""


def kill_group(pid: int) -> None:
    """Kill a process group that we started, if it still lives."""
    with contextlib.suppress(OSError):
        os.killpg(pid, signal.SIGKILL)


class Apart:
    """A function running in a forked child. Its result must be plain JSON data."""

    def __init__(self, function: t.Callable[[], t.Any]) -> None:
        self._read, write = os.pipe()
        self._pid = os.fork()
        if not self._pid:
            os.close(self._read)
            _child(function, write)
        os.close(write)

    def result(self, seconds: float) -> t.Any:
        """Wait for the result.

        Raises:
            UnreadableError: the function raised it, did not end in time, or its process died.
            RuntimeError: the function raised anything else, which is a defect of ours.
        """
        try:
            raw = self._collect(time.monotonic() + seconds)
        finally:
            os.close(self._read)
            kill_group(self._pid)
            status = self._reap()
        if raw is None:
            raise UnreadableError(f"no answer from the driver in {seconds:.0f} s")
        if not raw:
            raise UnreadableError(f"the reading process died{_signal_name(status)}")
        answer = json.loads(raw)
        if "defect" in answer:
            raise RuntimeError(answer["defect"])
        if "unreadable" in answer:
            raise UnreadableError(answer["unreadable"])
        return answer["result"]

    def _collect(self, end: float) -> bytes | None:
        data = b""
        while True:
            seconds = end - time.monotonic()
            if seconds <= 0 or not select.select([self._read], [], [], seconds)[0]:
                return None
            chunk = os.read(self._read, _CHUNK)
            if not chunk:
                return data
            data += chunk

    def _reap(self) -> int:
        # A process that is stuck in the kernel dies when it comes back; nobody waits for it.
        for _attempt in range(20):
            pid, status = os.waitpid(self._pid, os.WNOHANG)
            if pid:
                return status
            select.select([], [], [], 0.001)
        return 0


def _signal_name(status: int) -> str:
    return f" of {signal.Signals(os.WTERMSIG(status)).name}" if os.WIFSIGNALED(status) else ""


def _child(function: t.Callable[[], t.Any], write: int) -> t.NoReturn:
    try:
        os.setpgrp()
        null = os.open(os.devnull, os.O_RDWR)
        for standard in (0, 1, 2):
            os.dup2(null, standard)
        try:
            answer = {"result": function()}
        except UnreadableError as error:
            answer = {"unreadable": str(error)}
        except Exception as error:  # noqa: BLE001  whatever it is, the parent raises it again
            answer = {"defect": f"{type(error).__name__}: {error}"}
        with os.fdopen(write, "wb") as pipe:
            pipe.write(json.dumps(answer).encode())
    finally:
        os._exit(0)
