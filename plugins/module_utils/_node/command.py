# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Commands that always end: in time, or killed."""

from __future__ import annotations

import contextlib
import subprocess
import typing as t

from .apart import UnreadableError, kill_group

ENVIRONMENT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C", "HOME": "/"}
_GRACE = 0.2  # seconds


class Ran(t.NamedTuple):
    """What a finished command left behind."""

    code: int
    stdout: str
    stderr: str


class SlowError(UnreadableError):
    """A command did not end in time. ``stdout`` is what it had printed."""

    def __init__(self, reason: str, stdout: str) -> None:
        super().__init__(reason)
        self.stdout = stdout


class Running(t.Protocol):
    """A command that has been started."""

    def wait(self, seconds: float) -> Ran:
        """Wait for the end; raises SlowError if it does not come in time."""


class Command:
    """A command started with a plain environment and no input, in a process group of its own.

    Raises:
        UnreadableError: it cannot be started.
    """

    def __init__(self, argv: t.Sequence[str]) -> None:
        self._name = argv[0]
        try:
            # Not run_command of the module: it has no deadline. Not a context manager: it would wait for a process that
            # cannot be killed.
            self._process = subprocess.Popen(  # pylint: disable=ansible-bad-function,consider-using-with
                list(argv), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                env=ENVIRONMENT, start_new_session=True)
        except OSError as error:
            raise UnreadableError(f"{argv[0]} cannot be run: {error.strerror}") from None

    def wait(self, seconds: float) -> Ran:
        """Wait for the end.

        Raises:
            SlowError: it did not come in time; the command is killed with its children then.
        """
        try:
            out, err = self._process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired as error:
            self._leave()
            raise SlowError(f"{self._name} did not end in {seconds:.0f} s", _text(error.stdout or b"")) from None
        return Ran(self._process.returncode, _text(out), _text(err))

    def _leave(self) -> None:
        """Kill it. A process that is stuck in the kernel dies when it comes back; nobody waits for it."""
        kill_group(self._process.pid)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE)
        for pipe in (self._process.stdout, self._process.stderr):
            if pipe:
                pipe.close()


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
