# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Bytes in pieces, of a file, a device or a program: never all at once, and never longer than there is time."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import time
import typing as t

from .apart import UnreadableError, kill_group
from .command import ENVIRONMENT

_PIECE = 65536  # bytes; a record of /dev/kmsg is far smaller, and comes alone
_ERROR = 4096  # bytes of the error output that are kept
_GRACE = 0.2  # seconds


def file(path: str, end: float) -> t.Iterator[bytes]:
    """Yield the pieces of a file until its end. A device has ended when it has nothing to say now.

    Raises:
        OSError: it cannot be opened or read.
        UnreadableError: the time is used up.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        while True:
            _left(end)
            try:
                piece = os.read(handle, _PIECE)
            except BlockingIOError:
                return
            except BrokenPipeError:  # /dev/kmsg: what came next was overwritten; it goes on with what is there
                continue
            if not piece:
                return
            yield piece
    finally:
        os.close(handle)


def program(argv: t.Sequence[str], end: float) -> t.Iterator[bytes]:
    """Yield the pieces of a program's output until it ends. It is killed when nobody wants more.

    Raises:
        UnreadableError: it cannot be run, or it fails, or the time is used up.
    """
    try:
        # Not run_command of the module: it has no deadline, and holds all output.
        process = subprocess.Popen(  # pylint: disable=ansible-bad-function,consider-using-with
            list(argv), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT,
            start_new_session=True)
    except OSError as error:
        raise UnreadableError(f"{argv[0]} cannot be run: {error.strerror}") from None
    error = bytearray()
    try:
        yield from _pieces(process, error, end)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE)
    finally:
        kill_group(process.pid)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE)
        for pipe in (process.stdout, process.stderr):
            if pipe:
                pipe.close()
    if process.returncode:
        words = error.decode("utf-8", "replace").strip().splitlines()
        raise UnreadableError(f"{argv[0]}: {words[-1] if words else f'it ends with {process.returncode}'}")


def _pieces(process: subprocess.Popen[bytes], error: bytearray, end: float) -> t.Iterator[bytes]:
    """Yield the output; what comes as error output is collected, so that its pipe does not fill up."""
    out, err = (pipe.fileno() for pipe in (process.stdout, process.stderr) if pipe)
    waiting = {out, err}
    while waiting:
        for handle in select.select(waiting, [], [], _left(end))[0]:
            piece = os.read(handle, _PIECE)
            if not piece:
                waiting.discard(handle)
            elif handle == out:
                yield piece
            else:
                error += piece[:_ERROR - len(error)]


def _left(end: float) -> float:
    seconds = end - time.monotonic()
    if seconds <= 0:
        raise UnreadableError("the time is used up")
    return seconds
