# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The three numbering schemes of AMD's stack as types of their own, and the version strings of amdgpu packages.

ROCm (7.2.3), driver release (30.30.3: the repository directory) and module version (6.16.13: modinfo) are not one
sequence (ROCm/amdgpu-docs:docs/release/versions.rst). Before ROCm 7.0 a driver release has the number of its ROCm.
"""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t

from ..errors import DataError
from .ordered import Ordered

NUMBER = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)(?:\.(0|[1-9]\d*))?", re.ASCII)
# ROCm majors up to here share their number with the driver; the first driver with a number of its own is 30.10.
LAST_SHARED_MAJOR = 6
FIRST_OWN_MAJOR = 30

N = t.TypeVar("N", bound="_Number")


def _garbage(text: object, what: str, form: str, hint: str = "") -> DataError:
    return DataError(repr(text), f"is not {what}", hint or f"write it as {form}")


@dc.dataclass(frozen=True, eq=False)
class _Number(Ordered):
    """Three numbers; ``x.y`` is ``x.y.0``."""

    major: int
    minor: int
    patch: int = 0

    WHAT: t.ClassVar[str]
    FORM: t.ClassVar[str]

    @classmethod
    def parse(cls: type[N], text: str) -> N:
        """The version that ``text`` says.

        Raises:
            DataError: the text is no version of this kind.
        """
        match = NUMBER.fullmatch(text) if isinstance(text, str) else None
        if not match:
            raise _garbage(text, cls.WHAT, cls.FORM)
        number = cls(*(int(part or 0) for part in match.groups()))
        number._check(text)
        return number

    def _check(self, text: str) -> None:
        """Raise DataError for numbers that the scheme does not use."""

    @property
    def key(self) -> tuple[int, int, int]:
        """The three numbers."""
        return (self.major, self.minor, self.patch)

    @property
    def directory(self) -> str:
        """Name of the repository directory: ``x.y`` for ``x.y.0`` (ROCm/gpu-operator:docs/knownlimitations.md)."""
        return f"{self.major}.{self.minor}" + (f".{self.patch}" if self.patch else "")

    @property
    def code(self) -> str:
        """The number as package versions carry it: 60401 for 6.4.1, 70203 for 7.2.3."""
        return f"{self.major}{self.minor:02d}{self.patch:02d}"

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}"


@dc.dataclass(frozen=True, eq=False)
class RocmVersion(_Number):
    """A ROCm release."""

    WHAT = "a ROCm version"
    FORM = "7.2.3"

    def _check(self, text: str) -> None:
        if self.major >= FIRST_OWN_MAJOR:
            raise _garbage(text, self.WHAT, self.FORM, "numbers from 30.10 on are driver releases, not ROCm versions")


@dc.dataclass(frozen=True, eq=False)
class DriverRelease(_Number):
    """A release of the amdgpu driver: the name of its repository directory."""

    WHAT = "a driver release"
    FORM = "30.30.3 or, before ROCm 7.0, 6.4.2"

    def _check(self, text: str) -> None:
        if LAST_SHARED_MAJOR < self.major < FIRST_OWN_MAJOR:
            raise _garbage(text, self.WHAT, self.FORM,
                           "since ROCm 7.0 drivers have numbers of their own, from 30.10 on")

    @property
    def numbered_as_rocm(self) -> bool:
        """True for drivers that carry the number of their ROCm."""
        return self.major <= LAST_SHARED_MAJOR

    @property
    def code(self) -> str:
        """60401 for 6.4.1; 30300400 for 30.30.4: pairs of digits, the last of them 00."""
        return super().code if self.numbered_as_rocm else f"{self.major}{self.minor:02d}{self.patch:02d}00"

    @classmethod
    def from_code(cls, code: str) -> DriverRelease:
        """The release that the code in a package version says.

        Raises:
            DataError: the code has neither five nor eight digits.
        """
        if not re.fullmatch(r"\d{5}|\d{6}00", code, re.ASCII):
            raise _garbage(code, "the code of a driver release", "60401 or 30300400")
        head = 1 if len(code) == 5 else 2
        major, minor, patch = code[:head], code[head:head + 2], code[head + 2:head + 4]
        return cls.parse(f"{int(major)}.{int(minor)}.{int(patch)}")


@dc.dataclass(frozen=True, eq=False)
class ModuleVersion(_Number):
    """The version in the module itself (modinfo, /sys/module/amdgpu/version). Several releases share one."""

    WHAT = "a module version"
    FORM = "6.16.13"


@dc.dataclass(frozen=True)
class Pattern:
    """A version or a whole line of versions: ``7.2.x``, ``10.0.0``."""

    text: str
    prefix: tuple[int, ...]

    FORM: t.ClassVar[re.Pattern[str]] = re.compile(r"(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:x|0|[1-9]\d*)", re.ASCII)

    @classmethod
    def parse(cls, text: str) -> Pattern:
        """Raises DataError for anything but ``a.b.c`` and ``a.b.x``."""
        if not cls.FORM.fullmatch(text):
            raise _garbage(text, "a line of versions", "7.2.x or 7.2.3")
        return cls(text, tuple(int(part) for part in text.split(".") if part != "x"))

    def covers(self, version: _Number) -> bool:
        """True when the version is this one or belongs to this line."""
        return version.key[:len(self.prefix)] == self.prefix


# Forms seen: ROCm/amdgpu#192 (deb), silogen/cluster-bloom:docs/gpu-driver-support.md (from 30.10 on),
# ROCm/gpu-operator#279, ROCm/ROCm#2995 (rpm); rpms may lack the code (1:6.12.12-2187269.el9) or the distribution
# (SLES, ROCm/ROCm#1999). Short numbers only: amdgpu-core has 22.10.3.50103-1420322 and 6.4.60401-2164967.el9.
DRIVER_PACKAGE = re.compile(
    r"(?:(?P<epoch>\d+):)?(?P<module>\d\.\d{1,2}\.\d{1,3})(?:\.(?P<code>\d{5}|\d{6}00))?-(?P<build>\d{6,7})"
    r"(?:\.(?P<distro>\d\d\.\d\d|el\d+))?", re.ASCII)
# Numbered by driver release since 30.10 (ROCm/ROCm#5566); before that, as amdgpu-dkms itself. One rpm was seen whose
# code has seven digits (30.10.2.0.3010200-2226257.el10), so the code is not relied upon.
FIRMWARE_PACKAGE = re.compile(
    r"(?:(?P<epoch>\d+):)?(?P<release>\d+\.\d+\.\d+)\.0\.(?P<code>\d{7,8})-(?P<build>\d{6,7})"
    r"(?:\.(?P<distro>\d\d\.\d\d|el\d+))?", re.ASCII)


@dc.dataclass(frozen=True)
class DriverPackage:
    """The version of an amdgpu-dkms package, taken apart.

    Attributes:
        text: as given.
        epoch: None if the text has none (rpm -qa hides it).
        module: version of the module.
        release: driver release; None if the text does not carry its code.
        build: build number: the only part that is unique to one driver.
        distro: 24.04, el9; empty if the text has none.
    """

    text: str
    epoch: int | None
    module: ModuleVersion
    release: DriverRelease | None
    build: str
    distro: str

    @property
    def dkms_version(self) -> str:
        """The version as ``dkms status`` prints it: 6.16.13-2327507.24.04."""
        return f"{self.module}-{self.build}" + (f".{self.distro}" if self.distro else "")


def parse_driver_package(text: str) -> DriverPackage:
    """Take the version of an amdgpu-dkms package apart.

    Raises:
        DataError: the text is not a version of that package.
    """
    match = DRIVER_PACKAGE.fullmatch(text)
    if not match:
        raise _garbage(text, "a version of amdgpu-dkms", "1:6.16.13.30300300-2327507.24.04")
    code, epoch = match["code"], match["epoch"]
    return DriverPackage(text, None if epoch is None else int(epoch), ModuleVersion.parse(match["module"]),
                         DriverRelease.from_code(code) if code else None, match["build"], match["distro"] or "")


@dc.dataclass(frozen=True)
class FirmwarePackage:
    """The version of an amdgpu-dkms-firmware package, taken apart. ``release`` as in DriverPackage."""

    text: str
    epoch: int | None
    release: DriverRelease | None
    build: str
    distro: str


def parse_firmware_package(text: str) -> FirmwarePackage:
    """Take the version of an amdgpu-dkms-firmware package apart.

    Raises:
        DataError: the text is not a version of that package.
    """
    match = FIRMWARE_PACKAGE.fullmatch(text)
    if match:
        epoch = match["epoch"]
        return FirmwarePackage(text, None if epoch is None else int(epoch), DriverRelease.parse(match["release"]),
                               match["build"], match["distro"] or "")
    if not DRIVER_PACKAGE.fullmatch(text):
        raise _garbage(text, "a version of amdgpu-dkms-firmware", "30.30.3.0.30300300-2327507.24.04")
    same = parse_driver_package(text)
    return FirmwarePackage(text, same.epoch, same.release, same.build, same.distro)
