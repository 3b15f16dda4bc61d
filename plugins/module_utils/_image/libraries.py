# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Libraries and programs of a tree: for which architecture and GPUs each is, what it needs, and what is lacking."""

from __future__ import annotations

import collections
import re
import stat
import typing as t

from .._core.errors import DataError
from .._core.formats import device_code, elf
from .._core.formats.device_code import Code
from .._core.formats.elf import Elf
from .._node.apart import UnreadableError
from .tree import Found, Tree, Window

LIBRARY = re.compile(r"\.so(?:\.|$)")
ITSELF = "a part of itself"
_BIN = re.compile(r"/s?bin/[^/]+$")
T = t.TypeVar("T")


class _Read(t.NamedTuple):
    """What was read of a file. ``told``: None: it is no ELF file of ours, or ``failed``."""

    told: Elf | None = None
    code: Code | None = None
    failed: bool = False
    broken: bool = False


class Libraries:
    """Everything in a tree that the dynamic loader loads, as it is met on a walk.

    Attributes:
        unknown: path of a file that cannot be read, to the reason.
    """

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._named: dict[str, list[str]] = {}
        self._programs: list[str] = []
        self._known: dict[str, _Read] = {}
        self.unknown: dict[str, str] = {}

    def meet(self, found: Found) -> None:
        """Remember a file or link, if the loader may want it."""
        name = found.path.rpartition("/")[2]
        if LIBRARY.search(name):
            status = self._tree.stat(found.path)
            if status and not stat.S_ISDIR(status.st_mode):
                self._named.setdefault(name, []).append(found.path)
        elif stat.S_ISREG(found.status.st_mode) and found.status.st_mode & 0o111 and _BIN.search(found.path):
            self._programs.append(found.path)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of libraries."""
        return tuple(self._named)

    def paths(self, name: str, machine: str | None) -> list[str]:
        """Libraries of a name that are for a machine; one that cannot be read counts. None: for any."""
        return [path for path in self._named.get(name, ()) if self._fits(path, machine)]

    def _fits(self, path: str, machine: str | None) -> bool:
        read = self._look(path)
        return read.failed or (read.told is not None and machine in (None, read.told.machine))

    def first(self, *patterns: re.Pattern[str]) -> str | None:
        """The first library, by its path, whose name is of a pattern; patterns in their order."""
        found = ([path for name, paths in self._named.items() if pattern.search(name) for path in paths]
                 for pattern in patterns)
        return next((min(paths) for paths in found if paths), None)

    def told(self, path: str) -> Elf | None:
        """What a file tells the loader; None: nothing, or it cannot be read."""
        return self._look(path).told

    def machine(self) -> str | None:
        """What most of them are for; None: there is none."""
        machines = [read.told.machine for read in map(self._look, self._all()) if read.told]
        return max(sorted(machines), key=collections.Counter(machines).__getitem__, default=None)

    def code(self) -> dict[str, Code]:
        """Path of a library or program to what it tells of its code for GPUs."""
        return {path: read.code for path, read in ((path, self._look(path)) for path in self._all()) if read.code}

    def missing(self) -> dict[str, tuple[str, ...]]:
        """Path of a library or program to the libraries that it needs and that are nowhere in the tree."""
        found = {}
        for path in self._all():
            read = self._look(path)
            lacks = (ITSELF,) if read.broken else self.lacks(read.told) if read.told else ()
            if lacks:
                found[path] = lacks
        return found

    def lacks(self, wanted: Elf) -> tuple[str, ...]:
        """What a file needs and the tree lacks."""
        program = wanted.interpreter
        loader = (program,) if program and not self._tree.exists(program) else ()
        return (*loader, *(name for name in wanted.needed if "/" not in name and not self.paths(name, wanted.machine)))

    def old(self, wanted: Elf) -> t.Iterator[str]:
        """Versions of symbols that a library there does not have: it is older than what needs it."""
        for name, versions in wanted.versions.items():
            there = (self.told(path) for path in self.paths(name, wanted.machine))
            offered = {version for one in there if one for version in one.offered}
            yield from (f"{version} of {name}" for version in versions if offered and version not in offered)

    def read(self, path: str, parse: t.Callable[[Window], T | None]) -> T | None:
        """What is read of a file; None if there is nothing to read, or it cannot be read, which is noted.

        Raises:
            DataError: it is cut off or broken.
        """
        try:
            found: T | None = self._tree.reading(path, parse)
        except UnreadableError as error:
            self._tree.left()  # no time is left: the rest would say the same
            self.unknown[path] = str(error)
            return None
        return found

    def _all(self) -> list[str]:
        """Real paths."""
        return sorted({self._tree.real(path) for paths in self._named.values() for path in paths} | {*self._programs})

    def _look(self, path: str) -> _Read:
        real = self._tree.real(path)
        if real not in self._known:
            try:
                self._known[real] = self.read(real, _read) or _Read(failed=real in self.unknown)
            except DataError:
                self._known[real] = _Read(failed=True, broken=True)
        return self._known[real]


def _read(window: Window) -> _Read | None:
    found = elf.parse(window)
    return _Read(found.closed(), device_code.of(window)) if found else None
