# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Packages of Python in a tree, by the notes that whoever installed them left."""

from __future__ import annotations

import posixpath

from .._core.errors import DataError
from .._core.formats import dist_info
from .._core.image.shape import Distribution
from .._node.apart import UnreadableError
from .tree import Tree

_NOTE = ".dist-info/METADATA"
# Debian's packages put theirs there and pip never does; those of rpm say so. Both are in the database of packages.
# source: https://www.debian.org/doc/packaging-manuals/python-policy/#module-path,
# https://packaging.python.org/en/latest/specifications/recording-installed-packages/#the-installer-file
_OF_DEBIAN = "/usr/lib/python3/dist-packages"
_OF_RPM = "rpm"


class Distributions:
    """What one walk through all files meets."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._paths: list[str] = []

    def meet(self, path: str) -> None:
        """Take a file if it is such a note."""
        if path.endswith(_NOTE) and posixpath.dirname(posixpath.dirname(path)) != _OF_DEBIAN:
            self._paths.append(path)

    def found(self) -> tuple[Distribution, ...]:
        """All packages, in the order of their folders.

        Raises:
            UnreadableError: a note cannot be read, or does not tell.
        """
        paths = [path for path in sorted(self._paths) if self._installer(path) != _OF_RPM]
        return tuple(self._read(path) for path in paths)

    def _installer(self, path: str) -> str:
        return (self._tree.text(posixpath.join(posixpath.dirname(path), "INSTALLER")) or "").strip()

    def _read(self, path: str) -> Distribution:
        try:
            name, version = dist_info.parse(self._tree.text(path) or "")
        except DataError as error:
            raise UnreadableError(f"{path} {error.what}") from error
        return Distribution(name, version, posixpath.dirname(posixpath.dirname(path)))
