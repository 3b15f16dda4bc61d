# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Package repositories, their keys, and what an operating system is called in them."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..strict import Reader
from .provenance import Provenance
from .versions import Pattern, RocmVersion

FINGERPRINT = r"[0-9A-F]{40}|[0-9A-F]{64}"
STREAMS = ("driver", "legacy", "therock")
URL = r"[a-z][a-z0-9+.-]*:///?[^\s{}]+"
# Text in which only these words stand in braces; they are replaced, never evaluated.
WORDS = r"\{(?:codename|directory|driver|rocm)\}"
URI_TEMPLATE = rf"[a-z][a-z0-9+.-]*:///?(?:[^\s{{}}]|{WORDS})+"
SUITE_TEMPLATE = rf"(?:[^\s{{}}]|{WORDS})+"
PACKAGE_NAME = r"[a-z0-9][a-z0-9+.-]+"
PACKAGE_TEMPLATE = r"[a-z0-9+.-]*\{kernel\}"


@dc.dataclass(frozen=True)
class Repository:
    """One apt repository. ``uri`` and ``suite`` may hold {driver}, {rocm}, {codename} and {directory}.

    Attributes:
        stream: driver, legacy or therock.
        rocm: ROCm versions that it serves; empty means every one of the stream.
        key: name of the key that signs it.
        origin: Origin of its Release file, which pins name; None where it is not known.
    """

    name: str
    stream: str
    rocm: tuple[Pattern, ...]
    uri: str
    suite: str
    components: tuple[str, ...]
    architectures: tuple[str, ...]
    key: str
    origin: str | None
    provenance: Provenance

    @classmethod
    def read(cls, reader: Reader, sources: t.Mapping[str, str]) -> Repository:
        """One record of ``repositories``."""
        return cls(
            name=reader.choice("name", ("amdgpu", "rocm")),
            stream=reader.choice("stream", STREAMS),
            rocm=reader.read_all("rocm", Pattern.parse, ()),
            uri=reader.text("uri", pattern=URI_TEMPLATE),
            suite=reader.text("suite", pattern=SUITE_TEMPLATE),
            components=reader.texts("components"),
            architectures=reader.texts("architectures"),
            key=reader.text("key"),
            origin=reader.optional("origin"),
            provenance=Provenance.read(reader, sources),
        )

    def serves(self, stream: str, rocm: RocmVersion) -> bool:
        """True when this repository has that ROCm (or, for stream ``driver``, the driver)."""
        return self.stream == stream and (not self.rocm or any(p.covers(rocm) for p in self.rocm))


@dc.dataclass(frozen=True)
class OsPath:
    """What one operating system is called in the repositories.

    Attributes:
        codename: suite, of the Ubuntu whose packages it uses: jammy for Debian 12.
        ubuntu: the end of package versions there: 22.04.
        directory: its directory in TheRock's repository: debian12.
    """

    os: str
    version: str
    codename: str
    ubuntu: str
    directory: str
    provenance: Provenance

    @classmethod
    def read(cls, reader: Reader, sources: t.Mapping[str, str]) -> OsPath:
        """One record of ``os_paths``."""
        return cls(
            os=reader.choice("os", ("debian", "ubuntu")),
            version=reader.text("version"),
            codename=reader.text("codename"),
            ubuntu=reader.text("ubuntu", pattern=r"\d\d\.\d\d"),
            directory=reader.text("directory"),
            provenance=Provenance.read(reader, sources),
        )


@dc.dataclass(frozen=True)
class SigningKey:
    """A key that signs repositories. ``fingerprint`` None: not known, so nothing can be verified with it."""

    name: str
    url: str
    fingerprint: str | None
    provenance: Provenance

    @classmethod
    def read(cls, reader: Reader, sources: t.Mapping[str, str]) -> SigningKey:
        """One record of ``keys``."""
        return cls(reader.text("name", pattern=r"[a-z][a-z0-9-]*"), reader.text("url", pattern=URL),
                   reader.optional("fingerprint", pattern=FINGERPRINT), Provenance.read(reader, sources))


@dc.dataclass(frozen=True)
class KernelPackages:
    """Names of the packages that one kernel of an operating system is made of; {kernel} is its release.

    ``in_tree`` names what the kernel's own amdgpu needs besides: its firmware.
    """

    os: str
    names: tuple[str, ...]
    in_tree: tuple[str, ...]
    provenance: Provenance

    @classmethod
    def read(cls, reader: Reader, sources: t.Mapping[str, str]) -> KernelPackages:
        """One record of ``kernel_packages``."""
        return cls(reader.choice("os", ("debian", "ubuntu")), reader.texts("names", pattern=PACKAGE_TEMPLATE),
                   reader.texts("in_tree", (), PACKAGE_NAME), Provenance.read(reader, sources))


def filled(template: str, words: t.Mapping[str, str]) -> str:
    """The template with each ``{word}`` replaced."""
    for word, value in words.items():
        template = template.replace("{" + word + "}", value)
    return template


def mirrored(url: str, mirrors: t.Mapping[str, str]) -> str:
    """The URL with its base replaced by the site's mirror; the longest base wins."""
    for base in sorted(mirrors, key=len, reverse=True):
        bare = base.rstrip("/")
        if url == bare or url.startswith(bare + "/"):
            return mirrors[base].rstrip("/") + url[len(bare):]
    return url
