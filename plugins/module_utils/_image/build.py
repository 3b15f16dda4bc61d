# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""One layer: built, looked into, and tagged only if it is as it should be."""

from __future__ import annotations

import contextlib
import dataclasses as dc
import json
import os
import typing as t

from .._core.formats import engines
from .._core.image import containerfile, labels, verify
from .._core.image.checks import Checks
from .._core.image.plan import Step
from .._core.image.shape import Contents, Image
from .contents import contents
from .context import FILE, folder
from .tools import Tools

_WORKING = "instinct-look"  # the container that an image is looked into by
_BEFORE = "building.json"
_SCRATCH = "scratch"  # what a layer stands on that is a tree from an archive. source: Containerfile(5), FROM
_READ = 600  # seconds


@dc.dataclass(frozen=True)
class Builder:
    """What layers are built with, in a directory of the builder."""

    tools: Tools
    directory: str
    checks: Checks

    def built(self, image: Image, step: Step, parent: str, below: int) -> tuple[str, Contents]:
        """Build a layer, and tag it if it is as it should be. Whatever happens, nothing half-made is left.

        Args:
            parent: reference of what it stands on; empty: nothing.
            below: bytes of the tree of that.

        Raises:
            FleetError: it cannot be built, or what came of it is wrong.
        """
        text = containerfile.text(image, step.index, parent, step.labels)
        with (
            self._tidy(parent or _SCRATCH, step.key),
            folder(self.directory, image, step.index, text, self.tools.seconds) as path,
        ):
            note = os.path.join(path, "id")
            self.tools.run(
                f"layer {step.layer}",
                "buildah",
                "build",
                "--no-cache",
                "--force-rm",
                "--pull-never",
                "--iidfile",
                note,
                "--file",
                os.path.join(path, FILE),
                path,
            )
            with open(note, encoding="utf-8") as stream:
                ident = stream.read().strip().rpartition(":")[2]
            seen, loaded = self.seen(ident)
            wrong = verify.refusal(
                image.name, step.layer, verify.verify(image, step.layer, seen, self.checks, below, loaded)
            )
            if wrong:
                raise wrong
            self.tools.run(step.tag, "buildah", "tag", ident, step.tag)
        return ident, seen

    def seen(self, ident: str) -> tuple[Contents, dict[str, tuple[str, ...]]]:
        """What the tree of an image holds, and what its own loader says of its libraries for RDMA.

        Raises:
            FleetError: it cannot be looked into.
        """
        self.tools.tried("buildah", "rm", _WORKING)
        self.tools.run(f"image {ident[:12]}", "buildah", "from", "--pull-never", "--name", _WORKING, ident)
        try:
            root = self.tools.run(f"image {ident[:12]}", "buildah", "mount", _WORKING).strip()
            seen = contents(root, _READ)
            return seen, self._loaded(seen)
        finally:
            self.tools.tried("buildah", "rm", _WORKING)

    def _loaded(self, seen: Contents) -> dict[str, tuple[str, ...]]:
        paths = [path for path in (seen.rdma.libibverbs, seen.rdma.librdmacm) if path]
        paths += [provider.path for provider in seen.rdma.providers]
        if len(paths) == 1:  # ldd names a file only where there are several
            paths *= 2
        return engines.loaded(self.tools.said("buildah", "run", _WORKING, "--", "ldd", "-r", *paths)) if paths else {}

    @contextlib.contextmanager
    def _tidy(self, base: str, key: str) -> t.Iterator[None]:
        """Remove what a build leaves when it fails; also what one left that was ended by force. Nothing of others."""
        note = os.path.join(self.directory, _BEFORE)
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError), open(note, encoding="utf-8") as stream:
            said = json.load(stream)
            self._remove(said["base"], frozenset(said["before"]), said["key"])
        before = self.tools.working(base)
        with open(note, "w", encoding="utf-8") as stream:
            json.dump({"base": base, "before": sorted(before), "key": key}, stream)
        try:
            yield
        finally:
            self._remove(base, before, key)
            os.unlink(note)

    def _remove(self, base: str, before: frozenset[str], key: str) -> None:
        for ident in self.tools.working(base) - before:
            self.tools.tried("buildah", "rm", ident)
        self.tools.remove(one.id for one in self.tools.images() if not one.names and one.labels.get(labels.KEY) == key)
