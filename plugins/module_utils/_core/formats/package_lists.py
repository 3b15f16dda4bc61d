# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Lists of packages as people take them: dpkg -l, dpkg-query -W, apt list --installed, rpm -qa."""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t

from ..errors import DataError
from ..look.shape import Package
from . import dpkg, rpm

# First letter: wanted; second: state; a third says that it must be installed again. source: dpkg-query(1)
_DPKG = re.compile(r"^(?P<want>[uihrp])(?P<state>[ncHUFWti])(?P<error>[ R]) +(?P<name>[a-z0-9][^\s:]*)"
                   r"(?::(?P<arch>\S+))? +(?P<version>\S+)(?: +(?P<second>\S+))?")
_STATES = {"n": "not-installed", "c": "config-files", "H": "half-installed", "U": "unpacked", "F": "half-configured",
           "W": "triggers-awaited", "t": "triggers-pending", "i": "installed"}
_APT = re.compile(r"^(?P<name>[a-z0-9][^\s/]*)/\S* (?P<version>\S+) (?P<arch>\S+) \[(?P<how>[^\]]*)\]$")
_PLAIN = re.compile(r"^(?P<name>[a-z0-9][a-z0-9.+-]+)(?::(?P<arch>\S+))?[ \t]+(?P<version>[0-9]\S*)"
                    r"(?:[ \t]+(?P<second>\S+))?$")
_GONE = ("not-installed", "config-files")


@dc.dataclass(frozen=True)
class Listing:
    """Packages of one list."""

    manager: str  # apt, rpm: dnf or zypper, the list does not tell
    installed: tuple[Package, ...]
    holds: tuple[str, ...] | None = None  # None: the list does not tell
    broken: tuple[Package, ...] | None = None


def parse(text: str) -> Listing | None:
    """Return the packages of a list in any of the forms; None if it is none of them."""
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    if text.startswith("Package: "):
        database = dpkg.parse_database(text, ["*"])
        return Listing("apt", database.installed, database.holds, database.broken)
    best: Listing | None = None
    for read in (_dpkg, _apt, _rpm, _plain):
        found = read(lines)
        if found and len(found.installed) > len(best.installed if best else ()):
            best = found
    return best


def _dpkg(lines: t.Sequence[str]) -> Listing | None:
    matches = [match for match in map(_DPKG.match, lines) if match]
    packages = [(match["want"], Package(match["name"], match["version"], match["arch"] or match["second"] or "",
                                        _STATES[match["state"]])) for match in matches]
    broken = tuple(package for match, (_want, package) in zip(matches, packages) if match["state"] not in "ncit"
                   or match["error"] == "R")
    return Listing("apt", tuple(package for _want, package in packages if package.state not in _GONE),
                   tuple(package.name for want, package in packages if want == "h"), broken)


def _apt(lines: t.Sequence[str]) -> Listing | None:
    matches = [match for match in map(_APT.match, lines) if match]
    return Listing("apt", tuple(Package(match["name"], match["version"], match["arch"], "installed")
                                for match in matches if "installed" in match["how"]))


def _rpm(lines: t.Sequence[str]) -> Listing | None:
    packages = filter(None, map(_nevra, lines))
    return Listing("rpm", tuple(package for package in packages if package.name != rpm.KEY))


def _nevra(line: str) -> Package | None:
    try:
        return rpm.parse_nevra(line.split(maxsplit=1)[0])
    except DataError:
        return None


def _plain(lines: t.Sequence[str]) -> Listing | None:
    matches = [match for match in map(_PLAIN.match, lines) if match]
    return Listing("apt", tuple(Package(match["name"], match["version"], match["arch"] or match["second"] or "",
                                        "installed") for match in matches))
