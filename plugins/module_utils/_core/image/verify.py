# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The tree of a layer against what was wanted of it. Whatever is wrong keeps the layer from getting a name."""

from __future__ import annotations

import typing as t

from ..errors import FleetError
from ..findings import Finding
from ..rdma.shape import VerbsDevice
from . import python, user_space
from .checks import Checks
from .shape import Contents, Image, Layer, Package

SHOWN = 8  # of evidence, in one sentence
INFO = "info"
_APART = ("machine", "rocm", "gfx")  # what is not known of these matters where they are wanted, and is told there


def verify(image: Image, layer: str, contents: Contents, checks: Checks, below: int = 0,
           loaded: t.Mapping[str, tuple[str, ...]] | None = None) -> tuple[Finding, ...]:
    """What is wrong with a layer, as it was built.

    What a later layer may still bring (providers, ROCm, a group) is missed in the last layer alone.

    Args:
        image: as it is wanted.
        layer: name of the layer.
        contents: of its tree, with all layers below it.
        checks: what each finding means.
        below: bytes of the tree of the layer below; 0: there is none.
        loaded: path of a library to what the loader of the layer itself did not find for it; None: that was not asked.
    """
    names = [one.name for one in image.layers]
    here = image.layers[:names.index(layer) + 1]
    verified = _Verified(image, here, contents, checks, last=len(here) == len(names))
    return tuple(found for part in (verified.unread(), verified.os(), verified.machine(), verified.packages(),
                                    verified.rdma(), verified.libraries(loaded or {}), verified.group(),
                                    verified.rocm(), verified.gfx(), verified.leftovers(), verified.budget(below))
                 for found in part)


def refusal(image: str, layer: str, findings: t.Sequence[Finding]) -> FleetError | None:
    """Why a layer gets no name, in one sentence; None: nothing is wrong with it. What is for information is not."""
    wrong = [found for found in findings if found.severity != INFO]
    if not wrong:
        return None
    return FleetError(f"image {image}, layer {layer}", f"it is not as wanted: {'; '.join(f.summary for f in wrong)}",
                      wrong[0].why.remedy, wrong[0].why.sources[0])


class _Verified:
    """One layer with those below it."""

    def __init__(self, image: Image, layers: t.Sequence[Layer], contents: Contents, checks: Checks, last: bool) -> None:
        self._image = image
        self._layers = layers
        self._contents = contents
        self._checks = checks
        self._last = last

    def unread(self) -> t.Iterator[Finding]:
        apart = {*_APART, *([] if self._image.wants.verbs else ["rdma"])}
        lost = [f"{name}: {why}" for name, why in self._contents.unknown.items() if name not in apart]
        if lost:
            yield self._checks.finding("image-unread", f"it cannot be read whole: {'; '.join(_some(lost))}", lost)

    def os(self) -> t.Iterator[Finding]:
        seen, wanted = (self._contents.os, self._contents.os_version), (self._image.os, self._image.os_version)
        if seen != wanted:
            yield self._checks.finding("image-os", f"it is {_words(*seen)}, and {_words(*wanted)} was wanted")

    def machine(self) -> t.Iterator[Finding]:
        wanted, seen = self._image.wants.machine, self._contents.machine
        if wanted and seen != wanted and (self._last or seen is not None):
            there = f"is for {seen}" if seen else f"does not say what it is for ({self._why('machine')})"
            yield self._checks.finding("image-machine", f"it {there}, and {wanted} was wanted")

    def _why(self, name: str) -> str:
        """Why something is not known."""
        return self._contents.unknown.get(name, "nothing in it tells")

    def packages(self) -> t.Iterator[Finding]:
        wrong = [line for layer in self._layers for package in layer.packages for line in self._package(package)]
        if "python" not in self._contents.unknown:
            wrong += [line for layer in self._layers if layer.python
                      for line in python.wrong(layer.python, self._contents.python)]
        if wrong:
            yield self._checks.finding("image-package", f"packages are not as pinned: {', '.join(_some(wrong))}", wrong)

    def _package(self, package: Package) -> t.Iterator[str]:
        seen = self._contents.packages.get(package.name)
        if seen != package.version:
            yield f"{package.name} is {seen or 'not there'}, and {package.version} was wanted"

    def rdma(self) -> t.Iterator[Finding]:
        if "rdma" in self._contents.unknown:
            return
        verbs = self._image.wants.verbs
        devices = [VerbsDevice("of the nodes", name, name, abi) for name, abi in sorted(verbs.items())]
        about = (devices, self._contents.rdma, {name: name for name in verbs})
        found = (*user_space.findings(*about, self._checks), *(
            self._checks.finding("image-provider-unread", f"RDMA device {gap.device.name}: {gap.said}", (gap.provider,))
            for gap in user_space.unread(*about)))
        absent = ("image-rdma-absent", "image-rdmacm-absent", "image-provider-absent")
        yield from (one for one in found if self._last or one.id not in absent)
        named = {name for one in found for name in verbs if name in one.evidence}
        for provider in self._contents.rdma.providers:
            if provider.missing and provider.name not in named:
                yield user_space.broken(provider, self._checks)

    def libraries(self, loaded: t.Mapping[str, tuple[str, ...]]) -> t.Iterator[Finding]:
        lacks = {**self._contents.missing, **{path: names for path, names in loaded.items() if names}}
        if lacks:
            yield user_space.incomplete("image-library-missing", lacks, self._checks)

    def group(self) -> t.Iterator[Finding]:
        wanted, seen = self._image.wants.render_gid, self._contents.groups.get(user_space.RENDER)
        if wanted is not None and seen != wanted and (self._last or seen is not None):
            yield user_space.group(seen, wanted, self._checks)

    def rocm(self) -> t.Iterator[Finding]:
        wanted, seen = self._image.wants.rocm, self._contents.rocm
        if wanted and seen != wanted and (self._last or seen is not None):
            there = f"ROCm {seen}" if seen else "no ROCm that says its version"
            yield self._checks.finding("image-rocm-release", f"it has {there}, and ROCm {wanted} was wanted")

    def gfx(self) -> t.Iterator[Finding]:
        seen = self._contents.gfx
        lost = [target for target in self._image.wants.gfx if target not in seen]
        if not self._last or not lost:
            return
        if seen:
            yield self._checks.finding(
                "image-gfx", f"it has code for {', '.join(seen)}, and {', '.join(lost)} was wanted", seen)
        elif "gfx" in self._contents.unknown:
            said = f"for which GPUs it has code is not known: {self._why('gfx')}"
            yield self._checks.finding("image-gfx-unread", said)

    def leftovers(self) -> t.Iterator[Finding]:
        if self._contents.caches:
            yield self._checks.finding("image-caches", f"caches are left in it: {', '.join(self._contents.caches)}",
                                       self._contents.caches)

    def budget(self, below: int) -> t.Iterator[Finding]:
        most, added = self._layers[-1].budget_bytes, self._contents.size_bytes - below
        if most and added > most:
            yield self._checks.finding("image-budget", f"it adds {_mebibytes(added)}, and may add {_mebibytes(most)}")


def _some(texts: t.Iterable[str]) -> list[str]:
    found = list(texts)
    return [*found[:SHOWN], *([f"{len(found) - SHOWN} more"] if len(found) > SHOWN else [])]


def _words(name: str | None, version: str | None) -> str:
    return f"{name or 'an unknown system'} {version or ''}".strip()


def _mebibytes(size: int) -> str:
    return f"{size / (1 << 20):.1f} MiB"
