# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Locks of dnf's versionlock plugin. source: dnf-versionlock(8), plugins/versionlock.py of dnf-plugins-core 4.3"""

from __future__ import annotations

import configparser
import dataclasses as dc
import re
import typing as t
from fnmatch import fnmatchcase

from ..errors import DataError
from ..look.shape import Package
from .rpm import split_evr

CONF = "/etc/dnf/plugins/versionlock.conf"
_NEVR = re.compile(r"^(?P<name>.+)-(?:[\d*]+:)?[^-:]*[\d*][^-:]*-[^-:]+$")
_NEV = re.compile(r"^(?P<name>.+)-(?:[\d*]+:)?\d[^-:]*$")


@dc.dataclass(frozen=True)
class Locks:
    """Locks in force: which packages dnf leaves at their version, and which it would move to another."""

    held: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()


def parse_conf(text: str) -> str | None:
    """The path of the list; None where the plugin is switched off.

    Raises:
        DataError: the plugin would not start with this file.
    """
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
        enabled = parser.getboolean("main", "enabled", fallback=True)
        path = parser.get("main", "locklist", fallback="")
    except (configparser.Error, ValueError):
        raise DataError(CONF, "cannot be read by the versionlock plugin", "install its package anew") from None
    if enabled and not path:
        raise DataError(CONF, "names no locklist, so that dnf refuses to work", "install its package anew")
    return path if enabled else None


def parse_list(text: str) -> tuple[str, ...]:
    """The lines that are locks or excludes (these begin with ``!``)."""
    return tuple(line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#"))


def name(line: str) -> str:
    """The package name of a lock, which may be a pattern."""
    bare = re.sub(r"\.(?:\*|noarch|x86_64|i[3-6]86|aarch64)$", "", line)
    match = _NEVR.match(bare) or _NEV.match(bare)
    return match["name"] if match else bare


def line_for(package: Package) -> str:
    """The lock that ``dnf versionlock add`` writes for an installed package."""
    return f"{package.name}-{':'.join(_with_epoch(package.version))}.*"


def _with_epoch(version: str) -> tuple[str, str]:
    epoch, upstream, release = split_evr(version)
    return epoch, f"{upstream}-{release}"


def covers(line: str, package: Package) -> bool:
    """Whether a lock names this version of the package, in any of the forms that dnf takes."""
    epoch, rest = _with_epoch(package.version)
    upstream = rest.partition("-")[0]
    versions = (rest, f"{epoch}:{rest}")
    forms = [f"{package.name}-{v}{arch}" for v in versions for arch in ("", f".{package.architecture}")]
    forms += [f"{package.name}-{upstream}", f"{package.name}-{epoch}:{upstream}", package.name,
              f"{package.name}.{package.architecture}"]
    return any(fnmatchcase(form, line) for form in forms)


def locks(lines: t.Iterable[str], packages: t.Iterable[Package]) -> Locks:
    """What the lines mean for the installed packages. A package with several versions is held if each of them is."""
    about = [(line, name(line)) for line in lines if not line.startswith("!")]
    held: dict[str, bool] = {}
    for package in packages:
        mine = [line for line, pattern in about if fnmatchcase(package.name, pattern)]
        if mine:
            here = any(covers(line, package) for line in mine)
            held[package.name] = held.get(package.name, True) and here
    names = sorted(held)
    return Locks(tuple(names), tuple(n for n in names if not held[n]))


def rewritten(text: str, wanted: t.Mapping[str, t.Sequence[Package]], held: bool) -> str:
    """The list with the locks of the named packages replaced: one for each installed version, or none.

    Lines of other packages, excludes, patterns and comments stay.
    """
    kept = [line for line in text.splitlines()
            if line.startswith(("#", "!")) or not line.strip() or name(line.strip()) not in wanted]
    added = [line_for(p) for _name, packages in sorted(wanted.items()) for p in packages] if held else []
    return "".join(line + "\n" for line in [*kept, *added])
