# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The tree of an image: nothing of it is run, no link leads out of it, and no file of it can make a reader wait."""

from __future__ import annotations

import os
import stat
import typing as t

from .._node.apart import UnreadableError
from .._node.machine import Machine

_LARGEST = 64 << 20  # bytes of a file that is read at once; a database of packages has a tenth of it
# Of the node, where a container runs in the tree; and what is in /dev and no device.
_FOREIGN = frozenset({"/proc", "/sys", "/dev", "/run", "/dev/shm", "/dev/pts", "/dev/mqueue", "/dev/hugepages"})
# What is mounted there is to be found by the loader, or is a folder of devices such as /dev/dri; elsewhere it is data.
_SYSTEM = ("/usr", "/lib", "/opt", "/etc", "/dev/")


class Window:
    """A file of which parts are read; a slice is what its bytes would give, however far out its ends are.

    Attributes:
        size: bytes of the file.
    """

    def __init__(self, descriptor: int, size: int, path: str) -> None:
        self._descriptor = descriptor
        self._path = path
        self.size = size

    def __getitem__(self, part: slice) -> bytes:
        start, stop = max(0, part.start), min(part.stop, self.size)
        if stop - start > _LARGEST:
            raise UnreadableError(f"{self._path} is larger than {_LARGEST >> 20} MiB")
        return os.pread(self._descriptor, stop - start, start) if start < stop else b""


class Found(t.NamedTuple):
    """Something in the tree that is no directory."""

    path: str
    status: os.stat_result


class Tree(Machine):
    """A machine that is a directory, and whose files are somebody else's."""

    def _at(self, path: str) -> str:
        if "\0" in path:
            raise UnreadableError(f"{path!r} is no path")
        return self._root + self.real(path)

    def data(self, path: str) -> bytes | None:
        """Return the content of a file, None if there is no such file.

        Raises:
            UnreadableError: it is no plain file, or is too large.
        """
        return t.cast("bytes | None", self.reading(path, lambda window: window[0:window.size]))

    def reading(self, path: str, read: t.Callable[[Window], t.Any]) -> t.Any:
        """Return what is read of a file, None if there is no such file.

        Raises:
            UnreadableError: it is no plain file, or cannot be read.
        """
        self.left()
        try:
            descriptor = os.open(self._at(path), os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError as error:
            return self._absent(path, error)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise UnreadableError(f"{path} is no plain file")
            return read(Window(descriptor, status.st_size, path))
        except OSError as error:  # of the disk, or of a file system in user space
            raise UnreadableError(f"{path}: {error.strerror}") from None
        finally:
            os.close(descriptor)

    def walk(self, folder: str = "") -> t.Iterator[Found]:
        """Yield all files and links below a folder, without following any, and without data that is mounted there.

        Raises:
            UnreadableError: a directory cannot be read, or the time is used up.
        """
        status = self.stat(folder or "/")
        device = status.st_dev if status else None
        todo = [folder]
        while todo:
            self.left()
            here = todo.pop()
            for name in self.names(here or "/"):
                path = f"{here}/{name}"
                try:
                    status = os.lstat(f"{self._root}{path}")
                except OSError as error:
                    self._absent(path, error)
                    continue  # a container that runs in the tree may remove what it has
                if not stat.S_ISDIR(status.st_mode):
                    yield Found(path, status)
                elif path not in _FOREIGN and (status.st_dev == device or path.startswith(_SYSTEM)):
                    todo.append(path)
