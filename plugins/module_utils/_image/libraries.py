# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Libraries and programs of a tree: what each needs, and what the tree lacks of that."""

from __future__ import annotations

import dataclasses as dc
import re
import stat
import typing as t

from .._core.errors import DataError
from .._core.formats import elf
from .._core.formats.elf import Elf
from .._core.rdma import abi
from .._core.rdma.shape import Provider, UserSpace
from .._node.apart import UnreadableError
from .tree import Found, Tree, Window

LIBRARY = re.compile(r"\.so(?:\.|$)")
_BIN = re.compile(r"/s?bin/[^/]+$")
_SYSTEM = ("/lib", "/usr/lib")
_ITSELF = "a part of itself"
_RDMACM = "librdmacm.so.1"
_CONFIGURATION = "/etc/libibverbs.d"
T = t.TypeVar("T")


class Libraries:
    """Everything in a tree that the dynamic loader loads, as it is met on a walk.

    Attributes:
        unknown: path of a file that cannot be read, to the reason.
    """

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._named: dict[str, list[str]] = {}
        self._programs: list[str] = []
        self.unknown: dict[str, str] = {}

    def meet(self, found: Found) -> None:
        """Remember a file or link, if the loader may want it."""
        name = found.path.rpartition("/")[2]
        if LIBRARY.search(name) and self._tree.exists(found.path):
            self._named.setdefault(name, []).append(found.path)
        elif stat.S_ISREG(found.status.st_mode) and found.status.st_mode & 0o111 and _BIN.search(found.path):
            self._programs.append(found.path)

    def missing(self) -> dict[str, tuple[str, ...]]:
        """Path of a library or program to the libraries that it needs and that are nowhere in the tree."""
        paths = sorted({self._tree.real(path) for paths in self._named.values() for path in paths} | {*self._programs})
        return {path: names for path, names in ((path, self._needs(path)) for path in paths) if names}

    def _needs(self, path: str) -> tuple[str, ...]:
        try:
            read = self._read(path, elf.parse)
        except DataError:
            return (_ITSELF,)
        return self._lacks(read) if read else ()

    def rdma(self) -> UserSpace:
        """The user space of RDMA."""
        core = self._first(abi.LIBRARY)
        try:
            told = self._read(core, elf.parse) if core else None
        except DataError:
            told = None  # what is wrong with it is among what is missing
        providers = (self._provider(name) for name in self._named if abi.FILE.match(name))
        return UserSpace(core, self._first(_RDMACM), abi.private(told) if told else None,
                         tuple(sorted(filter(None, providers), key=lambda one: (one.name, one.path))))

    def _provider(self, name: str) -> Provider | None:
        path = self._first(name) or ""
        try:
            told = self._read(path, lambda window: _told(window, path))
        except DataError:
            return Provider(abi.name_of(path), path, missing=(_ITSELF,))
        if told is None:
            return None
        read, found = told
        return dc.replace(found, missing=(*self._lacks(read), *self._old(read), *self._unnamed(found.name)))

    def _lacks(self, read: Elf) -> tuple[str, ...]:
        loader = (read.interpreter,) if read.interpreter and not self._tree.exists(read.interpreter) else ()
        return (*loader, *(name for name in read.needed if "/" not in name and name not in self._named))

    def _old(self, read: Elf) -> t.Iterator[str]:
        """Versions of symbols that a library there does not have: it is older than what needs it."""
        for name, versions in read.versions.items():
            offered = {version for path in self._named.get(name, ()) for version in self._offered(path)}
            yield from (f"{version} of {name}" for version in versions if offered and version not in offered)

    def _offered(self, path: str) -> tuple[str, ...]:
        try:
            read = self._read(path, elf.parse)
        except DataError:
            return ()
        return read.offered if read else ()

    def _unnamed(self, name: str) -> tuple[str, ...]:
        """What libibverbs looks for to learn of a provider."""
        files = [f"{_CONFIGURATION}/{file}" for file in self._tree.names(_CONFIGURATION)]
        named = {match["name"] for file in files for match in abi.CONFIGURED.finditer(self._tree.text(file) or "")}
        return () if name in named else (f"a line driver {name} in {_CONFIGURATION}",)

    def _first(self, name: str) -> str | None:
        """The one that the loader finds, where there are several."""
        return min(self._named.get(name, ()), key=lambda path: (not path.startswith(_SYSTEM), path), default=None)

    def _read(self, path: str, parse: t.Callable[[Window], T | None]) -> T | None:
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


def _told(window: Window, path: str) -> tuple[Elf, Provider] | None:
    read = elf.parse(window)
    return (read, abi.provider(read, path)) if read else None
