# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Running long commands: bounded in time, ended with their children, also when this process is told to end."""

from __future__ import annotations

import contextlib
import dataclasses as dc
import os
import signal
import subprocess
import time
import typing as t

from .._core.errors import FleetError

_GRACE = 5  # seconds; a command that waits for a device cannot even be killed


@dc.dataclass(frozen=True)
class Done:
    """A command that ended. ``timed_out``: it was ended."""

    code: int
    out: str
    err: str
    seconds: int
    timed_out: bool = False


def run(argv: t.Sequence[str], timeout: float, cwd: str = "/", **environment: str) -> Done:
    """Run a command in its own process group, with nothing to read and messages in English.

    Raises:
        FleetError: there is no such command.
    """
    start = time.monotonic()
    env = {**os.environ, "LC_ALL": "C", **environment}
    try:
        # run_command knows no time limit and leaves the children of what it runs behind.
        process = subprocess.Popen(  # pylint: disable=ansible-bad-function
            list(argv),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env=env,
            start_new_session=True,
            text=True,
            errors="replace",
        )
    except FileNotFoundError as error:
        raise FleetError(argv[0], "is not installed", "install it first") from error
    timed_out = False
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        timed_out = True
        _end(process)
        out, err = _rest(process)
    finally:
        _end(process)
    code = -signal.SIGKILL if timed_out else process.returncode
    return Done(code, out, err, round(time.monotonic() - start), timed_out)


def _rest(process: subprocess.Popen[str]) -> tuple[str, str]:
    """What an ended command had printed; nothing if the kernel does not let it go."""
    try:
        return process.communicate(timeout=_GRACE)
    except subprocess.TimeoutExpired:
        return "", ""


def _end(process: subprocess.Popen[str]) -> None:
    """End the whole group, whatever is left of it."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


@contextlib.contextmanager
def clean_end() -> t.Iterator[None]:
    """Let a signal that ends this process (a lost connection, say) run its clean-up first."""

    def end(number: int, _frame: t.Any) -> t.NoReturn:
        raise SystemExit(128 + number)

    numbers = (signal.SIGHUP, signal.SIGTERM)
    before = [signal.signal(number, end) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before):
            signal.signal(number, handler)


@contextlib.contextmanager
def uninterrupted() -> t.Iterator[None]:
    """Let signals that end this process wait until the block is done: what is half done there is worse than late."""
    came: list[int] = []
    numbers = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, lambda number, _frame: came.append(number)) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before):
            signal.signal(number, handler)
        if came:
            raise SystemExit(128 + came[0])
