# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Releases and the catalogue that holds them with everything they are checked against."""

from __future__ import annotations

import dataclasses as dc
import difflib
import functools
import typing as t

from ..errors import DataError, FleetError
from ..strict import Contradiction, Reader
from .components import Component
from .firmware import FirmwareRow
from .kernel_release import KernelSeries
from .products import NAME, Product
from .provenance import Provenance
from .repositories import OS_TITLES, KernelPackages, OsPath, Repository, SigningKey, filled
from .versions import (
    DriverPackage,
    DriverRelease,
    FirmwarePackage,
    ModuleVersion,
    RocmVersion,
    parse_driver_package,
    parse_firmware_package,
)
from .windows import DriverWindow, Evidence, GpuRule

VERSION = "v1"
PIN = r"[0-9][A-Za-z0-9.+:~-]*(?:\{dist\})?"
FORMATS = {"deb": ".24.04", "rpm": ".el9"}  # format of a package -> the end of a version, to try one with
RELEASE_NAME = r"[a-z0-9][a-z0-9.-]*"
PARSERS: dict[str, t.Callable[[str], DriverPackage | FirmwarePackage]] = {
    "amdgpu-dkms": parse_driver_package, "amdgpu-dkms-firmware": parse_firmware_package,
}
Sources = t.Mapping[str, str]


@dc.dataclass(frozen=True)
class KernelRow:
    """A kernel series of an operating system; ``gpus_except`` are products that AMD does not support on it."""

    series: KernelSeries
    flavour: str
    gpus_except: tuple[str, ...]

    @classmethod
    def read(cls, reader: Reader) -> KernelRow:
        """One record of ``os[].kernels``."""
        return cls(reader.read("series", KernelSeries.parse), reader.choice("flavour", ("GA", "HWE", "UEK", ""), ""),
                   reader.texts("gpus_except", (), NAME))


@dc.dataclass(frozen=True)
class OsRow:
    """An operating system of a release. No kernels: AMD printed none for it."""

    id: str
    version: str
    kernels: tuple[KernelRow, ...]
    gpus: tuple[str, ...]
    provenance: Provenance

    @classmethod
    def read(cls, reader: Reader, sources: Sources) -> OsRow:
        """One record of ``os``."""
        return cls(reader.choice("id", sorted(OS_TITLES)), reader.text("version", pattern=r"\d+(?:\.\d+)*"),
                   reader.records("kernels", KernelRow.read), reader.texts("gpus", pattern=NAME),
                   Provenance.read(reader, sources))

    @property
    def title(self) -> str:
        """Debian 12."""
        return f"{OS_TITLES[self.id]} {self.version}"


@dc.dataclass(frozen=True)
class PackagePin:
    """The exact version of one package; {dist} stands for the end that depends on the operating system."""

    name: str
    format: str
    version: str
    provenance: Provenance

    @classmethod
    def read(cls, reader: Reader, sources: Sources) -> PackagePin:
        """One record of ``driver.packages``."""
        return cls(reader.choice("name", tuple(PARSERS)), reader.choice("format", tuple(FORMATS)),
                   reader.text("version", pattern=PIN), Provenance.read(reader, sources))

    def on(self, dist: str) -> str:
        """The version on an operating system whose packages end in ``dist``: .22.04, .el9 or nothing."""
        return filled(self.version, {"dist": dist})


@dc.dataclass(frozen=True)
class DriverPin:
    """The driver of a release. ``module``, ``build`` and packages are unknown where AMD's number was not seen."""

    release: DriverRelease
    module: ModuleVersion | None
    build: str | None
    packages: tuple[PackagePin, ...]
    provenance: Provenance

    @classmethod
    def read(cls, reader: Reader, sources: Sources) -> DriverPin:
        """The record ``driver``."""
        return cls(
            release=reader.read("release", DriverRelease.parse),
            module=reader.read_optional("module", ModuleVersion.parse),
            build=reader.optional("build", pattern=r"\d{6,7}"),
            packages=reader.records("packages", functools.partial(PackagePin.read, sources=sources)),
            provenance=Provenance.read(reader, sources),
        )


@dc.dataclass(frozen=True)
class Release:
    """A named, tested combination."""

    name: str
    title: str
    released: str | None
    stream: str
    rocm: RocmVersion
    driver: DriverPin
    gpus: tuple[str, ...]
    os: tuple[OsRow, ...]
    firmware: tuple[FirmwareRow, ...]
    provenance: Provenance

    @classmethod
    def read(cls, reader: Reader, sources: Sources) -> Release:
        """The record ``release``."""
        bind = functools.partial
        release = cls(
            name=reader.text("name", pattern=RELEASE_NAME),
            title=reader.text("title"),
            released=reader.optional("released", pattern=r"\d{4}-\d\d-\d\d"),
            stream=reader.choice("stream", ("legacy", "therock")),
            rocm=reader.read("rocm", RocmVersion.parse),
            driver=reader.record("driver", bind(DriverPin.read, sources=sources)),
            gpus=reader.texts("gpus", pattern=NAME),
            os=reader.records("os", bind(OsRow.read, sources=sources)),
            firmware=reader.records("firmware", bind(FirmwareRow.read, sources=sources)),
            provenance=Provenance.read(reader, sources),
        )
        release._check(reader.path)
        return release

    def _check(self, path: str) -> None:
        """Raise Contradiction where the parts do not fit each other."""
        for row in self.os:
            strange = set(row.gpus) - set(self.gpus)
            if strange:
                raise Contradiction(f"{path}.os",
                                    f"{row.title} lists {', '.join(sorted(strange))}, which gpus does not",
                                    "let the two lists agree")
        for pin in self.driver.packages:
            text = pin.on(FORMATS[pin.format])
            try:
                parsed = PARSERS[pin.name](text)
            except DataError as error:
                raise Contradiction(f"{path}.driver.packages", f"{error.where} {error.what}", error.hint) from error
            if parsed.build != self.driver.build or parsed.release not in (None, self.driver.release):
                raise Contradiction(f"{path}.driver.packages",
                                    f"{pin.name} {text} is not driver {self.driver.release} build {self.driver.build}",
                                    "let release, build and packages agree")


KINDS: dict[str, dict[str, t.Any]] = {
    "products": {"products": Product.read},
    "driver_rocm": {"windows": DriverWindow.read},
    "gpu_limits": {"rules": GpuRule.read},
    "dkms_evidence": {"builds": Evidence.read},
    "repositories": {"repositories": Repository.read, "os_paths": OsPath.read, "keys": SigningKey.read,
                     "kernel_packages": KernelPackages.read},
    "components": {"components": Component.read},
}


def read_document(raw: object, path: str) -> dict[str, tuple[t.Any, ...]]:
    """The records of one catalogue file, by section.

    Raises:
        DataError: the file is not of the form that its ``kind`` has; the message names file and path.
    """
    reader = Reader(raw, f"{path}:")
    reader.choice("version", (VERSION,))
    kind = reader.choice("kind", ("release", *KINDS))
    sources = reader.texts_by_name("sources")
    if kind == "release":
        records: dict[str, tuple[t.Any, ...]] = {
            "releases": (reader.record("release", functools.partial(Release.read, sources=sources)),)}
    else:
        default: list[t.Any] | None = [] if len(KINDS[kind]) > 1 else None
        records = {section: reader.records(section, functools.partial(read, sources=sources), default)
                   for section, read in KINDS[kind].items()}
    reader.done()
    return records


# What makes a record of a later directory replace one of an earlier directory.
KEYS: dict[str, t.Callable[[t.Any], t.Hashable]] = {
    "releases": lambda r: r.name, "products": lambda r: r.name,
    "windows": lambda r: (r.driver.text, r.provenance.confidence),
    "rules": lambda r: r.name, "builds": lambda r: (r.driver, r.build, r.kernel), "keys": lambda r: r.name,
    "repositories": lambda r: (r.name, r.manager, r.stream, r.driver, r.rocm),
    "os_paths": lambda r: (r.os, r.version), "kernel_packages": lambda r: (r.family, r.versions),
    "components": lambda r: (r.name, r.stream),
}


@dc.dataclass(frozen=True)
class Catalogue:
    """All records, site over ours. ``names`` are all releases that exist, read or not."""

    releases: t.Mapping[str, Release]
    products: tuple[Product, ...]
    windows: tuple[DriverWindow, ...]
    rules: tuple[GpuRule, ...]
    builds: tuple[Evidence, ...]
    repositories: tuple[Repository, ...]
    os_paths: tuple[OsPath, ...]
    keys: tuple[SigningKey, ...]
    kernel_packages: tuple[KernelPackages, ...]
    components: tuple[Component, ...]
    names: tuple[str, ...]

    @classmethod
    def from_dict(cls, raw: object) -> Catalogue:
        """From ``{files: [{path, data}], names: [...]}``, as the lookup ``instinct.fleet.catalogue`` returns it.

        Raises:
            DataError: a file is not right; the message names file and path.
        """
        reader = Reader(raw, "catalogue")
        merged: dict[str, dict[t.Hashable, t.Any]] = {section: {} for section in KEYS}
        names = reader.texts("names", ())
        for records in reader.records("files", lambda r: read_document(r.anything("data"), r.text("path"))):
            for section, found in records.items():
                merged[section].update((KEYS[section](record), record) for record in found)
        reader.done()
        releases: dict[str, Release] = {str(name): release for name, release in merged.pop("releases").items()}
        return cls(releases=releases, names=tuple(sorted({*names, *releases})),
                   **{section: tuple(found.values()) for section, found in merged.items()})

    def release(self, name: str, variable: str = "gpu_release_name") -> Release:
        """The release of that name, which a variable of the site names.

        Raises:
            FleetError: there is none; the message lists names that come near.
        """
        if name in self.releases:
            return self.releases[name]
        close = difflib.get_close_matches(name, self.names, 3, 0.5) or list(self.names)
        raise FleetError(variable, f"the catalogue has no release {name!r}",
                         f"choose one of {', '.join(close)}")
