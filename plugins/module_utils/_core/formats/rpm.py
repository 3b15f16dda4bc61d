# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What rpm says about packages, and how it names and orders them. source: rpm(8), rpm-version(7), rpm-queryformat(7)"""

from __future__ import annotations

import base64
import binascii
import dataclasses as dc
import functools
import itertools
import re
import typing as t
from fnmatch import translate

from ..errors import DataError
from ..look.shape import Package

# What rpm must print of each package to be read here. Keys that were imported are packages, too: gpg-pubkey.
QUERY_FORMAT = r"%{NAME}\t%{EPOCH}\t%{VERSION}\t%{RELEASE}\t%{ARCH}\t%{INSTALLTIME}\n"
KEY = "gpg-pubkey"
KEYS_FORMAT = r"[%{PUBKEYS}]\n"
# Packages of which several versions may stand beside each other; modules of kernels (kmod-*) provide what these name.
# source: installonlypkgs of dnf.conf(5), multiversion of zypp.conf
BESIDE = re.compile(r"^(?:kernel|kmod-|gpg-pubkey$)")
# State of a package whose newer version was installed, but which was not erased: rpm was cut off between the two.
DUPLICATE = "duplicate"
_NEVRA = re.compile(r"^(?P<name>[^\s:]+)-(?:(?P<epoch>\d+):)?(?P<version>\d[^\s:-]*)-(?P<release>[^\s:-]+?)"
                    r"(?:\.(?P<arch>noarch|x86_64|i[3-6]86|aarch64))?$")
_SEGMENT = re.compile(r"\d+|[A-Za-z]+|~|\^")


@dc.dataclass(frozen=True)
class Database:
    """Packages that match, those that rpm left beside their successor, and all packages."""

    installed: tuple[Package, ...] = ()
    broken: tuple[Package, ...] = ()
    all: tuple[Package, ...] = ()


def parse_database(text: str, patterns: t.Iterable[str]) -> Database:
    """Read what ``rpm --query --all`` printed with QUERY_FORMAT.

    Raises:
        DataError: a line of another form.
    """
    wanted = re.compile("|".join(translate(p) for p in patterns) or "(?!)")
    found: dict[tuple[str, str], list[tuple[int, Package]]] = {}
    for line in text.splitlines():
        fields = line.split("\t")
        if len(fields) != 6 or not fields[5].isdigit():
            raise DataError("rpm database", f"line not understood: {line[:80]!r}")
        name, epoch, version, release, arch, time = fields
        package = Package(name, evr(epoch, version, release), "" if arch == "(none)" else arch, "installed")
        found.setdefault((name, arch), []).append((int(time), package))
    packages = [package for members in found.values() for package in _states(members)]
    packages.sort(key=lambda p: (p.name, p.architecture, version_key(p.version)))
    return Database(
        installed=tuple(p for p in packages if p.name != KEY and wanted.match(p.name)),
        broken=tuple(p for p in packages if p.state == DUPLICATE),
        all=tuple(p for p in packages if p.name != KEY),
    )


def _states(members: list[tuple[int, Package]]) -> t.Iterator[Package]:
    """The versions of one package; of those that may not be beside each other, the last installed counts."""
    last = max(time for time, _package in members)
    for time, package in members:
        whole = time == last or BESIDE.match(package.name)
        yield package if whole else dc.replace(package, state=DUPLICATE)


def evr(epoch: str, version: str, release: str) -> str:
    """``[epoch:]version-release``; rpm prints (none) where a package has no epoch."""
    return f"{version}-{release}" if epoch in ("", "(none)") else f"{epoch}:{version}-{release}"


def parse_nevra(text: str) -> Package:
    """The package that ``name-[epoch:]version-release[.arch]`` names.

    Raises:
        DataError: the text is of another form.
    """
    match = _NEVRA.match(text)
    if match is None:
        raise DataError(repr(text), "is not name-version-release", "give it as rpm --query prints it")
    return Package(match["name"], evr(match["epoch"] or "", match["version"], match["release"]), match["arch"] or "",
                   "installed")


def compare(one: str, other: str) -> int:
    """-1, 0 or 1 as rpm orders two versions. ``~`` sorts before the end of a version, ``^`` behind it."""
    for a, b in itertools.zip_longest(_SEGMENT.findall(one), _SEGMENT.findall(other), fillvalue=""):
        if a == b or (a.isdigit() and b.isdigit() and int(a) == int(b)):
            continue
        return 1 if _newer(a, b) else -1
    return 0


def _newer(one: str, other: str) -> bool:
    """Whether the first of two different segments is the newer one."""
    if "~" in (one, other):
        return other == "~"
    if "^" in (one, other):
        return not other if one == "^" else bool(one)
    if one.isdigit() and other.isdigit():
        return int(one) > int(other)
    if not one or not other or one.isdigit() != other.isdigit():
        return bool(one) and (not other or one.isdigit())
    return one > other


def _order(one: str, other: str) -> int:
    return next(filter(None, map(compare, split_evr(one), split_evr(other))), 0)


version_key = functools.cmp_to_key(_order)


def split_evr(text: str) -> tuple[str, str, str]:
    """Epoch (0 if there is none), version and release."""
    epoch, colon, rest = text.rpartition(":")
    version, _dash, release = rest.partition("-")
    return (epoch if colon else "0"), version, release


def parse_keys(text: str, where: str) -> tuple[bytes, ...]:
    """The imported keys that rpm printed with KEYS_FORMAT: base64, one after another, an empty line behind each.

    Raises:
        DataError: not base64.
    """
    try:
        return tuple(base64.b64decode("".join(block.split()), validate=True)
                     for block in text.split("\n\n") if block.strip())
    except binascii.Error:
        raise DataError(where, "prints a key that is not base64") from None
