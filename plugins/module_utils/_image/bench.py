# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Names that a build uses in a store while it works: of its directory alone, so that what a run left is known as ours.

Whoever else builds on the same store, or in another directory, has other names.
"""

from __future__ import annotations

import contextlib
import dataclasses as dc
import os
import typing as t

from .._core.errors import FleetError
from .tools import Tools

PREFIX = "localhost/instinct-build/"
# An image without layers, for a base that is a tree: containers that build on nothing cannot be told from each other.
# source: containers/buildah:new.go, how it names containers
_EMPTY = 'FROM scratch\nLABEL org.opencontainers.image.title=""\n'


@dc.dataclass(frozen=True)
class Bench:
    """The names of one directory. ``identity``: what tells it from others."""

    tools: Tools
    identity: str

    @property
    def look(self) -> str:
        """Name of the container that an image is looked into by."""
        return f"instinct-look-{self.identity}"

    @property
    def made(self) -> str:
        """What a layer is called until it was looked into."""
        return f"{PREFIX}{self.identity}:made"

    @property
    def _below(self) -> str:
        return f"{PREFIX}{self.identity}:below"

    @property
    def _empty(self) -> str:
        return f"{PREFIX}{self.identity}:empty"

    def base(self, parent: str) -> str:
        """What a layer is built on. ``parent``: reference of an image; empty: nothing."""
        return self._below if parent else self._empty

    @property
    def _from(self) -> str:
        return f"{PREFIX}{self.identity}:from-"

    def names(self, images: t.Iterable[str]) -> dict[str, str]:
        """What images are called that a layer takes something from."""
        return {image: f"{self._from}{index}" for index, image in enumerate(images)}

    def lay(self, parent: str, folder: str, where: str, images: t.Iterable[str] = ()) -> None:
        """Have that in the store. ``folder``: that a layer is built in; ``where``: the layer, for a refusal.

        Raises:
            FleetError: the image is not there, or one of ``images`` that the layer takes something from.
        """
        for image, name in self.names(images).items():
            self.tools.run(image, "buildah", "tag", image, name)
        if parent:
            self.tools.run(where, "buildah", "tag", parent, self._below)
            return
        path = os.path.join(folder, "Containerfile.empty")
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(_EMPTY)
        self.tools.run(where, "buildah", "build", "--layers", "--tag", self._empty, "--file", path, folder)

    def tidy(self) -> None:
        """Remove what a run in this directory left, of which the caller knows that none goes on. Nothing of others."""
        with contextlib.suppress(FleetError):  # what a run failed of is told, and not this
            for ident in self.tools.working(self._below) | self.tools.working(self._empty):
                self.tools.tried("buildah", "rm", ident)
            self.tools.tried("buildah", "rm", self.look)
            there = {name for one in self.tools.images() for name in one.names}
            for name in there & {self.made, self._empty}:
                self.tools.tried("podman", "rmi", name)
            for name in sorted(name for name in there if name == self._below or name.startswith(self._from)):
                for ident in self.tools.working(name):
                    self.tools.tried("buildah", "rm", ident)
                self.tools.tried("podman", "untag", name, name)  # the image is of others, and stays

    @contextlib.contextmanager
    def tidied(self) -> t.Iterator[None]:
        """Leave nothing, whatever happens."""
        try:
            yield
        finally:
            self.tidy()
