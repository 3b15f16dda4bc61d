# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The user space of RDMA of a tree: the libibverbs that the loader finds, and the providers that this one finds.

source: linux-rdma/rdma-core:libibverbs/dynamic_driver.c, read_config_file, load_driver
"""

from __future__ import annotations

import dataclasses as dc

from .._core.errors import DataError
from .._core.formats import elf
from .._core.formats.elf import Elf
from .._core.rdma import abi
from .._core.rdma.shape import Provider, UserSpace
from .._node.apart import UnreadableError
from .libraries import ITSELF, Libraries
from .loader import Loader
from .tree import Tree, Window

_RDMACM = "librdmacm.so.1"
_CONFIGURATION = "/etc/libibverbs.d"


def read(tree: Tree, libraries: Libraries, machine: str | None) -> UserSpace:
    """The user space. ``machine``: whose programs are to use it; None: of any.

    Raises:
        UnreadableError: there is a libibverbs, and whether programs find it is not known.
    """
    return _Reader(tree, libraries, machine).read()


class _Reader:
    def __init__(self, tree: Tree, libraries: Libraries, machine: str | None) -> None:
        self._tree = tree
        self._libraries = libraries
        self._machine = machine
        self._loader = Loader(tree, machine)
        self._named = frozenset(match["name"] for file in tree.names(_CONFIGURATION) for match in
                                abi.CONFIGURED.finditer(tree.text(f"{_CONFIGURATION}/{file}") or ""))

    def read(self) -> UserSpace:
        """All of it."""
        core, manager = self._found(abi.LIBRARY), self._found(_RDMACM)
        told = self._libraries.told(core) if core else None
        folder = f"{core.rpartition('/')[0]}/libibverbs" if core else ""
        names = (name for name in self._libraries.names if abi.FILE.match(name))
        there = list(filter(None, (self._provider(name, folder) for name in names)))
        # One that lies elsewhere is of another installation, such as conda's, unless it is the only one that is named.
        placed = {one.name for one in there if self._loads(one.path, folder)}
        providers = (one for one in there if self._loads(one.path, folder) or one.name in self._named - placed)
        return UserSpace(core, manager, abi.private(told) if told else None,
                         tuple(sorted(providers, key=lambda one: (one.name, one.path))))

    def _found(self, name: str) -> str | None:
        """The library of that name that programs find; None: there is none."""
        paths = sorted(self._libraries.paths(name, self._machine), key=self._loader.rank)
        if not paths or self._loader.finds(paths[0]):
            return paths[0] if paths else None
        raise UnreadableError(f"{paths[0]} is where the loader looks only if it is told to, such as by LD_LIBRARY_PATH")

    def _provider(self, name: str, folder: str) -> Provider | None:
        paths = sorted(self._libraries.paths(name, self._machine), key=lambda path: (
            not self._loads(path, folder), path.rpartition("/")[0] != folder, self._loader.rank(path)))
        if not paths:
            return None
        path = paths[0]
        try:
            told = self._libraries.read(path, lambda window: _told(window, path))
        except DataError:
            return Provider(abi.name_of(path), path, missing=(ITSELF,))
        if told is None:
            return None
        wanted, found = told
        looks = f"a place where libibverbs looks ({folder or 'it is not there'})"
        place = () if self._loads(path, folder) else (looks,)
        lacks = (*place, *self._needs(path, wanted), *self._libraries.old(wanted), *self._unnamed(found))
        return dc.replace(found, missing=lacks)

    def _loads(self, path: str, folder: str) -> bool:
        """Whether libibverbs looks there: in its own folder, where the loader does, or where a line says so."""
        return path.rpartition("/")[0] == folder or self._loader.finds(path) or _stem(path) in self._named

    def _needs(self, path: str, wanted: Elf) -> tuple[str, ...]:
        """What a provider needs and the tree lacks. What lies where the loader does not look is unknown, and noted."""
        at, far = path.rpartition("/")[0], []
        for name in wanted.needed:
            there = self._libraries.paths(name, wanted.machine)
            if there and not any(self._loader.finds(one, wanted, at) for one in there):
                far.append(f"{name} ({there[0]})")
        if far:
            self._libraries.unknown[path] = f"it needs {', '.join(far)}, where the loader looks only if it is told to"
        return self._libraries.lacks(wanted)

    def _unnamed(self, found: Provider) -> tuple[str, ...]:
        """What libibverbs looks for to learn of a provider."""
        if found.name in self._named or _stem(found.path) in self._named:
            return ()
        return (f"a line driver {found.name} in {_CONFIGURATION}",)


def _stem(path: str) -> str:
    """How a line of the configuration names a provider by its path."""
    return path.rpartition("-rdmav")[0]


def _told(window: Window, path: str) -> tuple[Elf, Provider] | None:
    found = elf.parse(window)
    return (found.closed(), abi.provider(found, path)) if found else None
