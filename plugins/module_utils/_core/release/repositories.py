# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Package repositories, their keys, and what an operating system is called in them."""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t

from ..errors import DataError
from ..strict import Contradiction, Reader
from .provenance import Provenance
from .versions import DriverRelease, Pattern, RocmVersion

FINGERPRINT = r"[0-9A-F]{40}|[0-9A-F]{64}"
STREAMS = ("driver", "legacy", "therock")
URL = r"[a-z][a-z0-9+.-]*:///?[^\s{}]+"
_USER = re.compile(r"(?<=://)[^/?#]*@")
MANAGERS = {"apt": "deb", "dnf": "rpm", "zypper": "rpm"}  # package manager -> format of its packages
OS_TITLES = {
    "azurelinux": "Azure Linux", "centos": "CentOS", "debian": "Debian", "ol": "Oracle Linux", "rhel": "RHEL",
    "rocky": "Rocky Linux", "sles": "SLES", "ubuntu": "Ubuntu",
}
FAMILIES = ("debian", "el", "sles", "ubuntu", "uek")
# Text in which only these words stand in braces; they are replaced, never evaluated.
WORDS = r"\{(?:codename|directory|driver|major|point|rocm|version)\}"
URI_TEMPLATE = rf"[a-z][a-z0-9+.-]*:///?(?:[^\s{{}}]|{WORDS})+"
SUITE_TEMPLATE = rf"(?:[^\s{{}}]|{WORDS})+"
WORD = r"[a-z0-9][a-z0-9.-]*"
PACKAGE_NAME = r"[a-z0-9][a-z0-9+.-]+"
PACKAGE_TEMPLATE = r"[a-z0-9+.-]*(?:\{flavour\}[a-z0-9+.-]*)?\{(?:kernel|build)\}"
DIST = r"\.\d\d\.\d\d|\.el\d+"
NUMBERS = r"\d+(?:\.\d+)*"


@dc.dataclass(frozen=True)
class Repository:
    """One package source. ``uri`` and ``suite`` may hold WORDS: {driver} and {rocm} are the release's directories,
    the others are of the operating system (see OsPath; {version} is the node's, {major} its first number).

    Attributes:
        manager: the package manager that reads it; an rpm repository has neither suite nor components.
        stream: driver, legacy or therock.
        driver: for the stream ``driver``, the drivers that it has; empty means every one.
        rocm: for the other streams, the ROCm versions that it has; empty means every one of the stream.
        key: name of the key that signs it.
        origin: Origin of its Release file, which apt's pins name; None where it is not known.
    """

    name: str
    manager: str
    stream: str
    driver: tuple[Pattern, ...]
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
        found = cls(
            name=reader.choice("name", ("amdgpu", "rocm")),
            manager=reader.choice("manager", tuple(MANAGERS)),
            stream=reader.choice("stream", STREAMS),
            driver=reader.read_all("driver", Pattern.parse, ()),
            rocm=reader.read_all("rocm", Pattern.parse, ()),
            uri=reader.text("uri", pattern=URI_TEMPLATE),
            suite=reader.text("suite", "", SUITE_TEMPLATE),
            components=reader.texts("components", ()),
            architectures=reader.texts("architectures"),
            key=reader.text("key"),
            origin=reader.optional("origin"),
            provenance=Provenance.read(reader, sources),
        )
        apt = found.manager == "apt"
        if (bool(found.suite), bool(found.components)) != (apt, apt):
            raise Contradiction(reader.path, "has suite and components if and only if apt reads it",
                                "add or remove them")
        reader.read("uri", without_user)
        return found

    def serves(self, manager: str, stream: str, driver: DriverRelease, rocm: RocmVersion) -> bool:
        """True when this repository is for that package manager and has that ROCm or, for ``driver``, that driver."""
        if (self.manager, self.stream) != (manager, stream):
            return False
        lines: tuple[Pattern, ...] = self.driver if stream == "driver" else self.rocm
        return not lines or any(p.covers(driver if stream == "driver" else rocm) for p in lines)


@dc.dataclass(frozen=True)
class OsPath:
    """What an operating system is called in the repositories and in the versions of packages.

    Attributes:
        version: of the operating system; its point releases are meant too: 9 is 9.6 as well.
        manager: its package manager; None where the collection does not manage packages there, as ``refusal`` says.
        codename: apt: the suite, of the Ubuntu whose packages it uses: jammy for Debian 12.
        dist: the end of package versions, with its dot: .22.04, .el9; empty on SLES.
        directory: its directory in TheRock's repository: debian12, rhel9.
        point: its directory in AMD's driver repository since 30.10.2; empty: its version.
        follows: the version of RHEL that it goes with, where it tells none of its own; empty: its version.
    """

    os: str
    version: str
    manager: str | None
    codename: str
    dist: str
    directory: str
    point: str
    follows: str
    refusal: str
    provenance: Provenance

    @classmethod
    def read(cls, reader: Reader, sources: t.Mapping[str, str]) -> OsPath:
        """One record of ``os_paths``."""
        found = cls(
            os=reader.choice("os", tuple(OS_TITLES)),
            version=reader.text("version", pattern=NUMBERS),
            manager=reader.optional("manager", "|".join(MANAGERS)),
            codename=reader.text("codename", "", WORD),
            dist=reader.text("dist", "", DIST),
            directory=reader.text("directory", "", WORD),
            point=reader.text("point", "", NUMBERS),
            follows=reader.text("follows", "", NUMBERS),
            refusal=reader.text("refusal", ""),
            provenance=Provenance.read(reader, sources),
        )
        if bool(found.refusal) != (found.manager is None):
            raise Contradiction(reader.path, "says why nothing is managed there if and only if it has no manager",
                                "give manager or refusal")
        return found

    def covers(self, os: str, version: str) -> bool:
        """True when this is about that version of that operating system, or about all point releases around it."""
        return self.os == os and (version + ".").startswith(self.version + ".")

    def words(self, version: str) -> dict[str, str]:
        """What the words of an address mean on a node of that version, but for {driver} and {rocm}."""
        version = self.follows or version
        return {"codename": self.codename, "directory": self.directory, "version": version,
                "major": version.split(".", maxsplit=1)[0], "point": self.point or version}


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
        found = cls(reader.text("name", pattern=r"[a-z][a-z0-9-]*"), reader.text("url", pattern=URL),
                    reader.optional("fingerprint", pattern=FINGERPRINT), Provenance.read(reader, sources))
        reader.read("url", without_user)
        return found


@dc.dataclass(frozen=True)
class KernelPackages:
    """Names of the packages that one kernel is made of.

    {kernel} is the kernel's release, {build} is that without its {flavour}: the version that SLES' packages provide,
    to which the one they have adds a rebuild number that the kernel does not tell.

    Attributes:
        family: who built the kernel, see KernelRelease.
        versions: main numbers of the operating systems that it is about; empty: all of the family.
        names: templates; on rpm systems name-version-release.arch.
        in_tree: what the kernel's own amdgpu needs besides: its firmware.
    """

    family: str
    versions: tuple[str, ...]
    names: tuple[str, ...]
    in_tree: tuple[str, ...]
    provenance: Provenance

    @classmethod
    def read(cls, reader: Reader, sources: t.Mapping[str, str]) -> KernelPackages:
        """One record of ``kernel_packages``."""
        return cls(reader.choice("family", FAMILIES), reader.texts("versions", (), r"\d+"),
                   reader.texts("names", pattern=PACKAGE_TEMPLATE), reader.texts("in_tree", (), PACKAGE_NAME),
                   Provenance.read(reader, sources))

    def covers(self, family: str, version: str) -> bool:
        """True when a kernel of the family, on an operating system of that version, has these packages."""
        return self.family == family and (not self.versions or version.split(".", maxsplit=1)[0] in self.versions)


def without_user(address: str) -> str:
    """The address, which everybody on a node and every reader of a plan may see.

    Raises:
        DataError: it holds a user, and mostly a password; the message does not.
    """
    if _USER.search(address):
        raise DataError(repr(_USER.sub("", address)),
                        "is written with a user or password, which all on the node could read",
                        "leave them out; apt takes them from /etc/apt/auth.conf.d, dnf from username and password in "
                        "/etc/dnf/dnf.conf, zypper from /etc/zypp/credentials.d")
    return address


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
