# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""A release resolved for one node: the shape of the result of resolve_release and the input of every plan."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from .strict import Reader


@dc.dataclass(frozen=True)
class ResolvedOs:
    """The operating system of the node."""

    id: str
    version: str

    @classmethod
    def read(cls, reader: Reader) -> ResolvedOs:
        """The record ``os``."""
        return cls(reader.text("id"), reader.text("version"))


@dc.dataclass(frozen=True)
class ResolvedRocm:
    """ROCm: version, where it is installed, and the pattern that versions of its packages match."""

    version: str
    prefix: str
    package_pattern: str

    @classmethod
    def read(cls, reader: Reader) -> ResolvedRocm:
        """The record ``rocm``."""
        return cls(reader.text("version"), reader.text("prefix"), reader.text("package_pattern"))


@dc.dataclass(frozen=True)
class ResolvedDriver:
    """The driver. With source ``in_tree`` everything else is None or empty: it comes with the kernel."""

    source: str
    release: str | None = None
    module: str | None = None
    build: str | None = None
    dkms_version: str | None = None
    packages: t.Mapping[str, str] = dc.field(default_factory=dict)

    @classmethod
    def read(cls, reader: Reader) -> ResolvedDriver:
        """The record ``driver``."""
        return cls(reader.choice("source", ("dkms", "in_tree")), reader.optional("release"), reader.optional("module"),
                   reader.optional("build"), reader.optional("dkms_version"), reader.texts_by_name("packages"))


@dc.dataclass(frozen=True)
class ResolvedKernel:
    """The kernel to run and its packages; ``series`` is what AMD lists for the operating system."""

    wanted: str | None
    series: tuple[str, ...]
    packages: tuple[str, ...]

    @classmethod
    def read(cls, reader: Reader) -> ResolvedKernel:
        """The record ``kernel``."""
        return cls(reader.optional("wanted"), reader.texts("series"), reader.texts("packages"))


@dc.dataclass(frozen=True)
class ResolvedRepository:
    """One apt source. ``key`` names an entry of ``keys``; ``origin`` is what pins name.

    ``bases`` are the addresses, the vendor's and the mirror's, under which the repositories of all its releases lie.
    """

    name: str
    types: tuple[str, ...]
    uri: str
    suite: str
    components: tuple[str, ...]
    architectures: tuple[str, ...]
    key: str
    origin: str | None
    bases: tuple[str, ...]

    @classmethod
    def read(cls, reader: Reader) -> ResolvedRepository:
        """One record of ``repositories``."""
        return cls(reader.text("name"), reader.texts("types"), reader.text("uri"), reader.text("suite"),
                   reader.texts("components"), reader.texts("architectures"), reader.text("key"),
                   reader.optional("origin"), reader.texts("bases"))


@dc.dataclass(frozen=True)
class ResolvedKey:
    """A signing key, the fingerprint that it must have, and the keyring that it is kept in."""

    url: str
    fingerprint: str
    keyring: str

    @classmethod
    def read(cls, reader: Reader) -> ResolvedKey:
        """One record of ``keys``."""
        return cls(reader.text("url"), reader.text("fingerprint"), reader.text("keyring"))


@dc.dataclass(frozen=True)
class ResolvedFirmware:
    """Firmware that AMD lists for a GPU of this node; any one of ``versions`` will do."""

    gpu: str
    kind: str
    versions: tuple[str, ...]
    confidence: str

    @classmethod
    def read(cls, reader: Reader) -> ResolvedFirmware:
        """One record of ``firmware``."""
        return cls(reader.text("gpu"), reader.text("kind"), reader.texts("versions"), reader.text("confidence"))


@dc.dataclass(frozen=True)
class ResolvedGpu:
    """A GPU of the node and its product; "MI250 or MI250X" where it is not known which."""

    bdf: str
    device_id: str
    product: str

    @classmethod
    def read(cls, reader: Reader) -> ResolvedGpu:
        """One record of ``gpus``."""
        return cls(reader.text("bdf"), reader.text("device_id"), reader.text("product"))


@dc.dataclass(frozen=True)
class Resolved:
    """One checked fact: what the release means for this node.

    Attributes:
        confidence: of the release; what is surer or less sure stands in ``notes``.
        notes: what could not be checked or deserves a look; nothing here stops anything.
        sources: where all of it was read.
    """

    name: str
    title: str
    confidence: str
    stream: str
    os: ResolvedOs
    rocm: ResolvedRocm
    driver: ResolvedDriver
    kernel: ResolvedKernel
    repositories: tuple[ResolvedRepository, ...]
    keys: t.Mapping[str, ResolvedKey]
    firmware: tuple[ResolvedFirmware, ...]
    gpus: tuple[ResolvedGpu, ...]
    notes: tuple[str, ...]
    sources: tuple[str, ...]

    def to_dict(self) -> dict[str, t.Any]:
        """Plain data that JSON and Jinja can carry."""
        plain: dict[str, t.Any] = _plain(dc.asdict(self))
        return plain

    @classmethod
    def from_dict(cls, raw: object) -> Resolved:
        """The inverse of ``to_dict``.

        Raises:
            DataError: the data is not of that shape.
        """
        reader = Reader(raw, "resolved release:")
        resolved = cls(
            name=reader.text("name"), title=reader.text("title"), confidence=reader.text("confidence"),
            stream=reader.text("stream"),
            os=reader.record("os", ResolvedOs.read), rocm=reader.record("rocm", ResolvedRocm.read),
            driver=reader.record("driver", ResolvedDriver.read), kernel=reader.record("kernel", ResolvedKernel.read),
            repositories=reader.records("repositories", ResolvedRepository.read),
            keys=reader.named("keys", ResolvedKey.read),
            firmware=reader.records("firmware", ResolvedFirmware.read), gpus=reader.records("gpus", ResolvedGpu.read),
            notes=reader.texts("notes"), sources=reader.texts("sources"),
        )
        reader.done()
        return resolved


def _plain(value: t.Any) -> t.Any:
    if isinstance(value, t.Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value
