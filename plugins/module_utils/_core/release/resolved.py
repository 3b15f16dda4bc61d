# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""A release resolved for one node: the shape of the result of resolve_release and the input of every plan."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from .firmware import FirmwareVersion


@dc.dataclass(frozen=True)
class ResolvedOs:
    """The operating system of the node. ``manager``: its package manager, apt, dnf or zypper."""

    id: str
    version: str
    manager: str = "apt"


@dc.dataclass(frozen=True)
class ResolvedRocm:
    """ROCm of one release.

    Attributes:
        prefix: where it is installed.
        package_pattern: what versions of its packages match.
        release: its name in the catalogue.
        stream: legacy or therock.
        line: number in the names of packages that can stand beside those of other releases.
        packages: component, as the site names it -> names of its packages, with ``{line}`` where the line stands.
    """

    version: str
    prefix: str
    package_pattern: str
    release: str = ""
    stream: str = "legacy"
    line: str = ""
    packages: t.Mapping[str, tuple[str, ...]] = dc.field(default_factory=dict)


@dc.dataclass(frozen=True)
class ResolvedDriver:
    """The driver. With source ``in_tree`` everything else is None or empty: it comes with the kernel."""

    source: str
    release: str | None = None
    module: str | None = None
    build: str | None = None
    dkms_version: str | None = None
    packages: t.Mapping[str, str] = dc.field(default_factory=dict)


@dc.dataclass(frozen=True)
class ResolvedKernel:
    """The kernel to run and its packages; ``series`` is what AMD lists for the operating system."""

    wanted: str | None
    series: tuple[str, ...]
    packages: tuple[str, ...]


@dc.dataclass(frozen=True)
class ResolvedRepository:
    """One package source. ``key`` names an entry of ``keys``; ``origin`` is what pins name.

    ``types`` is deb or rpm; an rpm source has neither suite nor components.
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


@dc.dataclass(frozen=True)
class ResolvedKey:
    """A signing key, the fingerprint that it must have, and the keyring that it is kept in."""

    url: str
    fingerprint: str
    keyring: str


@dc.dataclass(frozen=True)
class ResolvedFirmware:
    """Firmware that AMD lists for a GPU of this node; any one of ``versions`` will do."""

    gpu: str
    kind: str
    versions: tuple[FirmwareVersion, ...]
    confidence: str
    source: str = ""


@dc.dataclass(frozen=True)
class ResolvedGpu:
    """A GPU of the node and its product; "MI250 or MI250X" where it is not known which."""

    bdf: str
    device_id: str
    product: str


@dc.dataclass(frozen=True)
class Resolved:
    """One checked fact: what the release means for this node.

    Attributes:
        confidence: of the release; what is surer or less sure stands in ``notes``.
        rocm: of the release, which is the active one.
        beside: ROCm of other releases that are installed beside it.
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
    beside: tuple[ResolvedRocm, ...] = ()

    def to_dict(self) -> dict[str, t.Any]:
        """Plain data that JSON and Jinja can carry."""
        plain: dict[str, t.Any] = _plain(dc.asdict(self))
        return plain


def _plain(value: t.Any) -> t.Any:
    if isinstance(value, t.Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value
