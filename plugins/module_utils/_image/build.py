# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""One layer: built, looked into, and tagged only if it is as it should be."""

from __future__ import annotations

import contextlib
import dataclasses as dc
import os
import secrets
import typing as t

from .._core.errors import FleetError
from .._core.image import containerfile, labels, ldd, verify
from .._core.image.checks import Checks
from .._core.image.plan import Step
from .._core.image.shape import Contents, Image
from .._node.apart import UnreadableError
from . import placed
from .bench import Bench
from .contents import contents
from .context import FILE, clear, folder
from .directory import identity
from .tools import Tools
from .tree import Tree

_READ = 600  # seconds
_OF_BASE = ("org.opencontainers.image.base.name", "org.opencontainers.image.base.digest")


@dc.dataclass(frozen=True)
class Builder:
    """What layers are built with, in a directory of the builder, which the caller holds."""

    tools: Tools
    directory: str
    checks: Checks

    def tidy(self) -> None:
        """Remove what a run left here that was ended by force."""
        clear(self.directory)
        self._bench.tidy()

    def built(self, image: Image, step: Step, parent: str, below: int) -> tuple[str, Contents | None]:
        """Build a layer, and tag it if it is as it should be. Whatever happens, nothing half-made is left.

        Returns:
            Id of the image that has the tag, and what that holds; None: it is of another run, and not known.

        Args:
            parent: reference of what it stands on; empty: nothing.
            below: bytes of the tree of that.

        Raises:
            FleetError: it cannot be built, or what came of it is wrong.
        """
        bench = self._bench
        taken = containerfile.taken(image, step.index)
        text = containerfile.text(image, step.index, bench.base(parent), step.labels, bench.names(taken))
        with bench.tidied(), folder(self.directory, image, step.index, text, self.tools.seconds) as path:
            bench.lay(parent, path, f"layer {step.layer}", taken)
            ident = self._committed(bench, step, path)
            seen = self._judged(image, step, ident, below)
            told = self._named(step, ident)
        return told, seen if told == ident else None

    def seen(self, ident: str) -> Contents:
        """What the tree of an image holds.

        Raises:
            FleetError: it cannot be looked into.
        """
        with self._looked(ident) as root:
            return contents(root, _READ)

    @property
    def _bench(self) -> Bench:
        return Bench(self.tools, identity(self.directory))

    def _committed(self, bench: Bench, step: Step, path: str) -> str:
        """Id of what was built of a folder."""
        note = os.path.join(path, "id")
        # The base is another name while a layer is built; buildah would write that one into the manifest.
        annotations = (part for name in _OF_BASE for part in ("--annotation", f"{name}={step.labels[name]}"))
        options = ("--no-cache", "--force-rm", "--pull-never", *annotations, "--tag", bench.made, "--iidfile", note)
        self.tools.run(f"layer {step.layer}", "buildah", "build", *options, "--file", os.path.join(path, FILE), path)
        with open(note, encoding="utf-8") as stream:
            return stream.read().strip().rpartition(":")[2]

    def _judged(self, image: Image, step: Step, ident: str, below: int) -> Contents:
        """What a layer holds, if that is as it should be."""
        where = f"image {image.name}, layer {step.layer}"
        with self._looked(ident) as root:
            seen = contents(root, _READ)
            loaded = self._loaded(where, root, seen)
            wrong = placed.wrong(root, image.layers[step.index], _READ)
        findings = verify.verify(image, step.layer, seen, self.checks, below, loaded)
        refusal = verify.refusal(image.name, step.layer, findings)
        if refusal:
            raise refusal
        if wrong:
            raise FleetError(where, f"it is not as wanted: {'; '.join(wrong)}", placed.HINT)
        return seen

    def _named(self, step: Step, ident: str) -> str:
        """Give an image its tag; the id of the one that has it, which another directory may have built meanwhile."""
        there = self.tools.images()
        if step.key not in {one.labels.get(labels.KEY) for one in there if one.id == ident}:  # they are given last
            what = "is not built whole: it has not the labels that it was to have"
            raise FleetError(f"layer {step.layer}", what, "see how buildah of the builder reads its Containerfile")
        for one in there:
            if step.tag in one.names and one.labels.get(labels.KEY) == step.key:
                return one.id
            if step.tag in one.names:
                what = f"is the name of the image {one.id[:12]}, which is not this layer"
                raise FleetError(step.tag, what, "give that one another name, then run again")
        self.tools.run(step.tag, "buildah", "tag", ident, step.tag)
        return ident

    @contextlib.contextmanager
    def _looked(self, ident: str) -> t.Iterator[str]:
        """The tree of an image, in a directory."""
        name = self._bench.look
        self.tools.tried("buildah", "rm", name)
        self.tools.run(f"image {ident[:12]}", "buildah", "from", "--pull-never", "--name", name, ident)
        try:
            yield self.tools.run(f"image {ident[:12]}", "buildah", "mount", name).strip()
        finally:
            self.tools.tried("buildah", "rm", name)

    def _loaded(self, where: str, root: str, seen: Contents) -> dict[str, tuple[str, ...]]:
        """What the loader of a layer does not find for its libraries for RDMA."""
        paths = [path for path in (seen.rdma.libibverbs, seen.rdma.librdmacm) if path]
        paths += [provider.path for provider in seen.rdma.providers]
        if not paths:
            return {}
        twice = paths * 2 if len(paths) == 1 else paths  # ldd names a file only where there are several
        # buildah may lose the end of what a command prints, so it goes to a file, in the container that goes again.
        # source: buildah 1.28.2 with chroot on a busy machine, 1 of 50 runs
        answer = f"/instinct-{secrets.token_hex(8)}"
        script = ("/bin/sh", "-c", 'exec >"$1" 2>&1; shift; exec ldd -r "$@"', "sh", answer)
        said = self.tools.said("buildah", "run", "--user", "0", self._bench.look, "--", *script, *twice)
        with contextlib.suppress(UnreadableError):
            said = Tree(root, _READ).text(answer) or said
        return ldd.answers(where, paths, said)
