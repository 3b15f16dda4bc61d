# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Kernel releases (``uname -r``) taken apart, and the kernel series that AMD's tables print."""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t

from ..errors import DataError
from .ordered import Ordered

HEAD = re.compile(r"(?P<base>\d+\.\d+(?:\.\d+){0,2})(?P<rest>[-+~_][!-~]*)?", re.ASCII)
UBUNTU = "aws|azure|azure-fde|gcp|generic|generic-64k|gke|ibm|kvm|lowlatency|nvidia|oem|oracle|raspi|realtime|virtual"
# First match wins. Evidence: the uname strings in the tests, each with its thread.
FORMS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("uek", re.compile(r"-(?P<abi>\d+(?:\.\d+)*)\.(?P<dist>el\d+(?:_\d+)?)uek\.(?P<arch>\w+)")),
    ("el", re.compile(r"-(?P<abi>\d+(?:\.\d+)*)\.(?P<dist>el\d+(?:_\d+)?)\.(?P<arch>\w+)")),
    ("azurelinux", re.compile(r"-(?P<abi>\d+(?:\.\d+)*)\.(?P<dist>azl\d+)")),
    ("sles", re.compile(r"-(?P<abi>\d{6}(?:\.\d+)+)-(?P<flavour>default|azure|rt|64kb)")),
    ("debian", re.compile(r"(?:-(?:0\.deb\d+\.)?(?P<abi>\d+))?(?:\+(?P<dist>deb\d+|bpo)[u\d.]*)?"
                          r"-(?P<flavour>(?:cloud-|rt-)?(?:amd64|arm64))")),
    ("ubuntu", re.compile(rf"-(?P<abi>\d+)-(?P<flavour>{UBUNTU})")),
    ("pve", re.compile(r"-(?P<abi>\d+)-(?P<flavour>pve)")),
    ("mainline", re.compile(r"")),
)
UEK = {7: (5, 15), 8: (6, 12)}  # Oracle names its kernels by generation: AMD prints both (5.15.0 UEK, UEK 8.1)


@dc.dataclass(frozen=True, eq=False)
class KernelRelease(Ordered):
    """One kernel.

    Attributes:
        text: as uname prints it.
        base: upstream version: (6, 8, 0).
        abi: what the distribution counts: (44,) or (570, 58, 1); empty if there is none.
        flavour: generic, amd64, azure, default; the unparsed rest for family ``other``.
        family: who built it: debian, ubuntu, el, uek, sles, azurelinux, pve, mainline, other.
        dist: el9_6, deb13; empty if the name does not tell.
    """

    text: str
    base: tuple[int, ...]
    abi: tuple[int, ...]
    flavour: str
    family: str
    dist: str = ""

    @classmethod
    def parse(cls, text: str) -> KernelRelease:
        """The kernel that ``text`` says.

        Raises:
            DataError: the text does not begin with a kernel version.
        """
        head = HEAD.fullmatch(text) if isinstance(text, str) else None
        if not head:
            raise DataError(repr(text), "is not a kernel release", "give it as uname -r prints it: 6.1.0-37-amd64")
        base = tuple(int(part) for part in head["base"].split("."))
        rest = head["rest"] or ""
        for family, form in FORMS:
            match = form.fullmatch(rest)
            if match:
                found = match.groupdict()
                abi = tuple(int(part) for part in (found.get("abi") or "").split(".") if part)
                return cls(text, base, abi, found.get("flavour") or "", family, found.get("dist") or "")
        return cls(text, base, (), rest.lstrip("-"), "other")

    @property
    def key(self) -> tuple[t.Any, ...]:
        """Base and ABI first; the rest only tells different kernels of one number apart."""
        return (self.base, self.abi, self.family, self.flavour, self.dist)

    @property
    def series(self) -> str:
        """6.8 of 6.8.0-44-generic."""
        return f"{self.base[0]}.{self.base[1]}"

    def follows(self, other: KernelRelease) -> bool:
        """True when this is ``other`` or a later one of the same line: same builder, flavour and series.

        ABI numbers of different lines say nothing about each other: 6.8.0-1017-azure is older than 6.8.0-44-generic.
        """
        same = (self.family, self.flavour, self.base[:2]) == (other.family, other.flavour, other.base[:2])
        return same and (self.base, self.abi) >= (other.base, other.abi)

    def __str__(self) -> str:
        return self.text


SERIES = re.compile(r"(?P<base>\d+\.\d+(?:\.\d+)?)(?:-(?P<abi>\d+(?:\.\d+)*))?|UEK (?P<uek>[78])(?:\.\d+)?", re.ASCII)


@dc.dataclass(frozen=True)
class KernelSeries:
    """A kernel series as AMD prints it: ``6.8``, ``6.1.0``, ``5.14.0-570``, ``6.4.0-150700.51``, ``UEK 8``."""

    text: str
    base: tuple[int, ...]
    abi: tuple[int, ...]
    uek: bool = False

    @classmethod
    def parse(cls, text: str) -> KernelSeries:
        """The series that ``text`` says.

        Raises:
            DataError: the text is no series.
        """
        match = SERIES.fullmatch(text) if isinstance(text, str) else None
        if not match:
            raise DataError(repr(text), "is not a kernel series", "write it as 6.8, 5.14.0-570 or UEK 8")
        if match["uek"]:
            return cls(text, UEK[int(match["uek"])], (), uek=True)
        abi = tuple(int(part) for part in (match["abi"] or "").split(".") if part)
        return cls(text, tuple(int(part) for part in match["base"].split(".")), abi)

    def covers(self, kernel: KernelRelease) -> bool:
        """True when the kernel belongs to the series.

        A printed ABI number is the one of the distribution's minor release (570 is EL 9.6): the kernel must have the
        same first number and be no older than printed.
        """
        if self.uek and kernel.family != "uek":
            return False
        if kernel.base[:len(self.base)] != self.base:
            return False
        return not self.abi or (kernel.abi[:1] == self.abi[:1] and kernel.abi >= self.abi)
