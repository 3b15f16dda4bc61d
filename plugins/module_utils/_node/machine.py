# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The machine under a root directory: files, links, commands, and the time that is left."""

from __future__ import annotations

import errno
import os
import stat
import time
import typing as t

from .._core.formats.text import parse_accounts
from . import stream
from .apart import Apart, UnreadableError
from .command import Command, Ran, Running

# These mean that a file is not there. Attributes of a device that is gone or asleep answer ENODEV and ENXIO.
_ABSENT = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ENODEV, errno.ENXIO})
_LINKS = 40  # as many as the kernel follows, path_resolution(7)


class Machine:
    """Reads a machine. All paths are absolute and taken below ``root``, absolute links included."""

    def __init__(self, root: str = "/", timeout: float = 30.0,
                 starter: t.Callable[[t.Sequence[str]], Running] = Command, uid: int | None = None,
                 streamer: t.Callable[[t.Sequence[str], float], t.Iterator[bytes]] = stream.program) -> None:
        self._root = root.rstrip("/")
        self._end = time.monotonic() + timeout
        self._timeout = timeout
        self._starter = starter
        self._streamer = streamer
        self._accounts: dict[str, dict[int, str]] = {}
        self.root_user = (os.geteuid() if uid is None else uid) == 0

    def left(self) -> float:
        """Return the seconds that are left.

        Raises:
            UnreadableError: there are none.
        """
        seconds = self._end - time.monotonic()
        if seconds <= 0:
            raise UnreadableError(f"the time of {self._timeout:.0f} s is used up")
        return seconds

    def start(self, *argv: str) -> Running:
        """Start a command.

        Raises:
            UnreadableError: it cannot be started, or no time is left.
        """
        self.left()
        return self._starter(argv)

    def run(self, *argv: str, most: float = 20.0) -> Ran:
        """Run a command for at most ``most`` seconds, or what is left.

        Raises:
            UnreadableError: it could not be run, or the time was too short.
        """
        return self.start(*argv).wait(min(most, self.left()))

    def stream(self, argv: t.Sequence[str], spare: float) -> t.Iterator[bytes]:
        """Yield a program's output in pieces, until only ``spare`` seconds are left.

        Raises:
            UnreadableError: it cannot be run, it fails, or the time is used up.
        """
        return self._streamer(argv, self._end - spare)

    def pieces(self, path: str, spare: float) -> t.Iterator[bytes]:
        """Yield a file in pieces, until only ``spare`` seconds are left.

        Raises:
            UnreadableError: it is not there, cannot be read, or the time is used up.
        """
        try:
            yield from stream.file(self._at(path), self._end - spare)
        except OSError as error:
            self._absent(path, error)
            raise UnreadableError(f"there is no {path}") from None

    def apart(self, function: t.Callable[[], t.Any]) -> Apart:
        """Start a function in a child process: reads that may hang in a driver belong there."""
        return Apart(function)

    def real(self, path: str) -> str:
        """Return the path with all links followed. Parts that do not exist stay as they are.

        Raises:
            UnreadableError: the links run in a circle.
        """
        done, todo, followed = "", [part for part in path.split("/") if part], 0
        while todo:
            part = todo.pop(0)
            if part == "..":
                done = done.rpartition("/")[0]
                continue
            if part == ".":
                continue
            target = self._readlink(f"{done}/{part}")
            if target is None:
                done = f"{done}/{part}"
                continue
            followed += 1
            if followed > _LINKS:
                raise UnreadableError(f"{path} is a circle of links")
            done = "" if target.startswith("/") else done
            todo[:0] = [piece for piece in target.split("/") if piece]
        return done or "/"

    def _readlink(self, path: str) -> str | None:
        try:
            return os.readlink(self._root + path)
        except OSError:
            return None

    def _at(self, path: str) -> str:
        return self._root + self.real(path) if self._root else path

    def outside(self, path: str) -> str:
        """Return the path under which other programs find the same file."""
        return self._at(path)

    def data(self, path: str) -> bytes | None:
        """Return the content of a file, None if there is no such file.

        Raises:
            UnreadableError: it is there but cannot be read.
        """
        try:
            with open(self._at(path), "rb") as file:
                return file.read()
        except OSError as error:
            return self._absent(path, error)

    def text(self, path: str) -> str | None:
        """Return the content of a text file, None if there is no such file.

        Raises:
            UnreadableError: it is there but cannot be read.
        """
        data = self.data(path)
        return None if data is None else data.decode("utf-8", "replace")

    def tail(self, path: str, most: int) -> str | None:
        """Return the last ``most`` bytes of a text file, None if there is no such file.

        Raises:
            UnreadableError: it is there but cannot be read.
        """
        try:
            with open(self._at(path), "rb") as file:
                file.seek(max(0, os.fstat(file.fileno()).st_size - most))
                return file.read(most).decode("utf-8", "replace")
        except OSError as error:
            self._absent(path, error)
            return None

    def head(self, path: str, most: int) -> str | None:
        """Return the first ``most`` bytes of a text file, None if there is no such file.

        Raises:
            UnreadableError: it is there but cannot be read.
        """
        try:
            with open(self._at(path), "rb", buffering=0) as file:
                return file.read(most).decode("utf-8", "replace")
        except OSError as error:
            self._absent(path, error)
            return None

    def same(self, one: str, other: str) -> bool:
        """Whether two files hold the same bytes; not if one of them is missing.

        Raises:
            UnreadableError: one is there but cannot be read.
        """
        first, second = self.stat(one), self.stat(other)
        if first is None or second is None or first.st_size != second.st_size:
            return False
        return self.data(one) == self.data(other)

    def folder(self, path: str) -> bool:
        """Whether a path leads to a directory.

        Raises:
            UnreadableError: that cannot be seen.
        """
        status = self.stat(path)
        return status is not None and stat.S_ISDIR(status.st_mode)

    def word(self, path: str) -> str | None:
        """Return the content of a small file without blanks around it; None if it is not there or empty.

        Raises:
            UnreadableError: it is there but cannot be read.
        """
        return (self.text(path) or "").strip() or None

    @staticmethod
    def _absent(path: str, error: OSError) -> None:
        if error.errno in _ABSENT:
            return
        hint = " (needs root)" if error.errno in (errno.EACCES, errno.EPERM) and os.geteuid() else ""
        raise UnreadableError(f"{path}: {error.strerror}{hint}") from None

    def names(self, path: str) -> tuple[str, ...]:
        """Return the sorted names in a directory, none if there is no such directory.

        Raises:
            UnreadableError: it is there but cannot be read.
        """
        try:
            return tuple(sorted(os.listdir(self._at(path))))
        except OSError as error:
            self._absent(path, error)
            return ()

    def exists(self, path: str) -> bool:
        """Whether a path leads to something."""
        return os.path.exists(self._at(path))

    def link(self, path: str) -> str | None:
        """Return where a symbolic link points, as it is written; None if the path is none."""
        parent, _slash, name = path.rpartition("/")
        return self._readlink(f"{self.real(parent or '/').rstrip('/')}/{name}")

    def link_name(self, path: str) -> str | None:
        """Return the last part of a symbolic link's target: sysfs names drivers and devices so."""
        target = self.link(path)
        return target.rpartition("/")[2] if target else None

    def stat(self, path: str) -> os.stat_result | None:
        """Return the status of what a path leads to, links followed; None if it leads nowhere.

        Raises:
            UnreadableError: it cannot be read.
        """
        try:
            return os.stat(self._at(path))
        except OSError as error:
            self._absent(path, error)
            return None

    def changed(self, path: str) -> float | None:
        """Return when a path itself, not what a link leads to, was last changed in any way; None if it is not there.

        Raises:
            UnreadableError: that cannot be seen.
        """
        parent, _slash, name = path.rpartition("/")
        try:
            return os.lstat(f"{self._root}{self.real(parent or '/').rstrip('/')}/{name}").st_ctime
        except OSError as error:
            self._absent(path, error)
            return None

    def user(self, uid: int) -> str:
        """Return the name of a user, or the number as text. Local accounts only."""
        return self._account("/etc/passwd", uid)

    def group(self, gid: int) -> str:
        """Return the name of a group, or the number as text. Local groups only."""
        return self._account("/etc/group", gid)

    def groups(self) -> dict[str, int]:
        """Return the local groups: name -> gid."""
        self._account("/etc/group", 0)
        return {name: gid for gid, name in self._accounts["/etc/group"].items()}

    def _account(self, path: str, number: int) -> str:
        if path not in self._accounts:
            self._accounts[path] = parse_accounts(self.text(path) or "")
        return self._accounts[path].get(number, str(number))


def mode_text(status: os.stat_result) -> str:
    """Return the permission bits as octal text: 0660."""
    return f"{stat.S_IMODE(status.st_mode):04o}"
