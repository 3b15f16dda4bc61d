# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The log of one run of a roll-out: a file on the control machine that all processes of the run share.

Ansible forks a process for each task, and these do not see each other. The first line says what was decided before the
first node, each other line is an event, and who appends one has read all that were there: a lock sees to it. Nothing of
it is needed after the run: what outlives that is on the nodes.
"""

from __future__ import annotations

import contextlib
import dataclasses as dc
import fcntl
import os
import re
import socket
import time
import typing as t
from pathlib import Path

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan import grid
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout import log, progress
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.shape import Course, Event

FOLDER = "~/.ansible/instinct"
_RUN = re.compile(r"[A-Za-z0-9._-]{1,200}", re.ASCII)


def _name(when: str, process: str) -> str:
    """Of a run: when it began, where, and as which process, the parent of all those that Ansible forks."""
    return f"{when}-{re.sub(r'[^A-Za-z0-9.]+', '_', socket.gethostname())}-{process}"


def this_run() -> str:
    """The name of a run that begins now."""
    return _name(time.strftime("%Y%m%dT%H%M%SZ", time.gmtime()), str(os.getppid()))


def place(run: str) -> str:
    """Where a run has its log that was given no other place."""
    return os.path.join(os.path.expanduser(FOLDER), f"upgrade-{run}.jsonl")


def refuse_others(nodes: t.Collection[str]) -> None:
    """Refuse nodes that another run of this user on this machine has not brought to an end. Of a run elsewhere, or with
    a log at another place, nobody knows here.

    Raises:
        FleetError: names its process.
    """
    pattern = Path(place(_name("*", "*")))
    for path in sorted(pattern.parent.glob(pattern.name)):
        run = path.stem.rpartition("-")[2]
        if run != str(os.getppid()) and _runs(run):
            left = _left(path, nodes)
            if left:
                what = f"on this machine, process {run}, is not done with {grid.names(left)}"
                raise FleetError("another run", what, "wait for it to end; no node was touched")


def _runs(process: str) -> bool:
    """Whether Ansible runs as this process; one that was killed has no words left, and a number may be given again."""
    try:
        return b"ansible" in Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return False


def _left(path: Path, nodes: t.Collection[str]) -> list[str]:
    try:
        folded = progress.fold(*Log(str(path)).seen())
    except FleetError:
        return []  # it says nothing of nodes
    return [place.node for place in folded.course.places
            if place.node in nodes and place.node not in folded.ended and place.node not in folded.skipped]


class Ends:
    """How earlier runs of this user on this machine ended with their nodes, by logs that are still at their place."""

    def __init__(self) -> None:
        self._known: dict[str, t.Mapping[str, Event]] = {}

    def __call__(self, run: str, node: str) -> Event | None:
        """How this run ended with this node; None if nobody knows."""
        if run not in self._known:
            self._known[run] = _ended(run)
        return self._known[run].get(node)


def _ended(run: str) -> t.Mapping[str, Event]:
    if not _RUN.fullmatch(run):  # a node says it, and names a file by it
        return {}
    try:
        return progress.fold(*Log(place(run)).seen()).ended
    except FleetError:
        return {}


def begin(path: str, course: Course) -> str:
    """Write the first line of a new log, in place of one that is there, and return its absolute path.

    Raises:
        FleetError: it cannot be written, or what is there is something else.
    """
    path = os.path.abspath(path)
    if os.path.lexists(path):
        _refuse_other(path)
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)  # and not emptied: a process that an earlier run left may have it open
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            os.write(handle, log.head(course).encode())
        finally:
            os.close(handle)
    except OSError as error:
        raise _refusal(path, error) from error
    return path


def _refuse_other(path: str) -> None:
    try:
        Log(path).seen()
    except FleetError as error:
        what = "is there, and is no log of an earlier run"
        raise FleetError(path, what, "set fleet_upgrade_log to another path") from error


@dc.dataclass
class Held:
    """A log that is held: what is decided upon it is true until it is let go.

    Attributes:
        course: what was decided before the first node.
        events: what happened, in its order.
    """

    course: Course
    events: list[Event]
    _handle: int

    def append(self, event: Event) -> None:
        """Add an event."""
        os.write(self._handle, log.line(event).encode())
        self.events.append(event)


class Log:
    """The log of a run. What was read is kept, so that reading again costs what was added."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._head = ""
        self._course: Course | None = None
        self._events: list[Event] = []
        self._read = 0

    @contextlib.contextmanager
    def held(self) -> t.Iterator[Held]:
        """Hold the log, with all that happened until now.

        Not for a process that forks meanwhile: the child would hold it too, for as long as it lives.

        Raises:
            FleetError: it is not there, cannot be read, or is none.
        """
        with self._opened(os.O_RDWR | os.O_APPEND) as handle:
            self._take_in(handle)  # of a large fleet it takes long, and others need not wait for it
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield Held(self._take_in(handle), [*self._events], handle)

    def seen(self) -> tuple[Course, list[Event]]:
        """The same without holding it; another process may be at it.

        Raises:
            FleetError: as ``held``.
        """
        with self._opened(os.O_RDONLY) as handle:
            return self._take_in(handle), self._events

    def news(self) -> bool:
        """Whether something was added since it was read, without waiting for who holds it."""
        try:
            return os.stat(self.path).st_size > self._read
        except OSError:
            return True  # who holds it next is told why

    @contextlib.contextmanager
    def _opened(self, flags: int) -> t.Iterator[int]:
        try:
            handle = os.open(self.path, flags | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError as error:
            raise _refusal(self.path, error) from error
        try:
            yield handle
        finally:
            os.close(handle)

    def _take_in(self, handle: int) -> Course:
        more = os.pread(handle, os.fstat(handle).st_size - self._read, self._read)
        whole = more[:more.rfind(b"\n") + 1]
        if self._course is None or whole:
            text = self._head + whole.decode(errors="replace")
            self._course, events = log.read(text, self.path)
            self._head = text[:text.index("\n") + 1]
            self._events += events
            self._read += len(whole)
        return self._course


def _refusal(path: str, error: OSError) -> FleetError:
    return FleetError(path, f"the log of the run: {error.strerror}", "set fleet_upgrade_log to another file")
