# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Where the dynamic loader of a tree looks for libraries, as long as no variable says more.

source: ld.so(8), ldconfig(8); Debian's folders of an architecture: glibc:sysdeps/*/configure, multiarch; for Alpine
    musl:ldso/dynlink.c, /etc/ld-musl-<machine>.path
"""

from __future__ import annotations

import fnmatch
import re
import typing as t

from .._core.formats.elf import Elf
from .tree import Tree

_CONFIGURATION = "/etc/ld.so.conf"
_MOST = 64  # files that are read for one that includes others
_TRUSTED = ("/lib64", "/usr/lib64", "/lib", "/usr/lib")
_MUSL = "/usr/local/lib"
_TRIPLES = {"x86_64": "x86_64-linux-gnu", "aarch64": "aarch64-linux-gnu"}
_OF_CPU = re.compile(r"/glibc-hwcaps/[^/]+$")  # folders beside the usual ones, for newer processors
_TOKEN = re.compile(r"\$(?:\{(\w+)\}|(\w+))")


class Loader:
    """The loader of programs for one architecture.

    Attributes:
        folders: that it searches for every library, links followed.
    """

    def __init__(self, tree: Tree, machine: str | None) -> None:
        self._tree = tree
        self._triples = (_TRIPLES.get(machine, machine),) if machine else tuple(_TRIPLES.values())
        own = [f"{folder}/{one}" for one in self._triples for folder in ("/lib", "/usr/lib")]
        named = [*_configured(tree, _CONFIGURATION, set()), *own, *_TRUSTED]
        if any(name.startswith("ld-musl-") for name in tree.names("/lib")):
            named.append(_MUSL)
        self.folders = tuple(dict.fromkeys(tree.real(folder) for folder in named))

    def finds(self, path: str, wanted: Elf | None = None, at: str = "") -> bool:
        """Whether it finds a library, for a file that wants it and may name folders of its own.

        Args:
            path: of the library, in a real folder.
            wanted: the file, which lies in ``at``; None: a program that names none.
        """
        folder = _OF_CPU.sub("", path.rpartition("/")[0])
        return folder in self.folders or folder in (self._own(wanted, at) if wanted else ())

    def rank(self, path: str) -> tuple[int, str]:
        """Who comes first of several of one name."""
        folder = _OF_CPU.sub("", path.rpartition("/")[0])
        return (self.folders.index(folder) if folder in self.folders else len(self.folders)), path

    def _own(self, wanted: Elf, at: str) -> t.Iterator[str]:
        for part in wanted.search:
            for library in (*(f"lib/{one}" for one in self._triples), "lib64", "lib"):
                words = {"ORIGIN": at, "LIB": library}
                path = _TOKEN.sub(lambda match, words=words: words.get(match[1] or match[2], match[0]), part)
                if path.startswith("/"):
                    yield self._tree.real(path)


def _configured(tree: Tree, path: str, read: set[str]) -> t.Iterator[str]:
    """Folders that a file of ldconfig names, and those that it includes. Each is ``read`` once, and not too many."""
    if path in read or len(read) >= _MOST:
        return
    read.add(path)
    for line in (tree.text(path) or "").replace("\0", "").splitlines():
        words = line.partition("#")[0].split()
        if words[:1] == ["include"]:
            for other in (file for word in words[1:] for file in _matching(tree, word)):
                yield from _configured(tree, other, read)
        elif words and words[0].startswith("/"):
            yield words[0].partition("=")[0].rstrip("/") or "/"


def _matching(tree: Tree, pattern: str) -> list[str]:
    """Files that an include names. A pattern is in the last part, or it is not followed."""
    folder, _slash, name = (pattern if pattern.startswith("/") else f"/etc/{pattern}").rpartition("/")
    return [f"{folder}/{found}" for found in tree.names(folder or "/") if fnmatch.fnmatchcase(found, name)]
