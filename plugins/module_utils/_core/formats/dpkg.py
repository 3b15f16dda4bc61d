# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The dpkg database and what it says about packages, holds and half-finished work."""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t
from fnmatch import translate

from ..errors import DataError
from ..look.shape import Package

# dpkg(1): these two states are the ends of clean work; everything between them is broken.
_CLEAN = frozenset({"installed", "config-files", "not-installed"})
_FIELD = re.compile(r"^(Package|Status|Architecture|Version): (.*)$", re.MULTILINE)
# What dpkg-query must print of each package to be read here.
QUERY_FORMAT = "Package: ${Package}\nStatus: ${Status}\nArchitecture: ${Architecture}\nVersion: ${Version}\n\n"
# A package in state triggers-pending is installed; only its triggers wait for the end of the dpkg run.
_INSTALLED_ENOUGH = frozenset({"triggers-pending"})


@dc.dataclass(frozen=True)
class Database:
    """Packages that match, holds of any package, and every package that is broken."""

    installed: tuple[Package, ...] = ()
    holds: tuple[str, ...] = ()
    broken: tuple[Package, ...] = ()


def parse_database(text: str, patterns: t.Iterable[str]) -> Database:
    """Read /var/lib/dpkg/status, or the same stanzas printed by dpkg-query.

    Raises:
        DataError: a stanza without a name or a state.
    """
    wanted = re.compile("|".join(translate(p) for p in patterns) or "(?!)")
    installed, holds, broken = [], [], []
    for stanza in text.split("\n\n"):
        if not stanza.strip():
            continue
        package, want, flag = _stanza(stanza)
        if want == "hold":
            holds.append(package.name)
        if flag != "ok" or package.state not in _CLEAN | _INSTALLED_ENOUGH:
            broken.append(package)
        if package.state not in ("config-files", "not-installed") and wanted.match(package.name):
            installed.append(package)
    return Database(_sorted(installed), tuple(sorted(set(holds))), _sorted(broken))


def _stanza(stanza: str) -> tuple[Package, str, str]:
    fields = dict(_FIELD.findall(stanza))
    words = fields.get("Status", "").split()
    if "Package" not in fields or len(words) != 3:
        raise DataError("dpkg database", f"a stanza has no Package or Status field: {stanza[:60]!r}")
    want, flag, state = words
    package = Package(fields["Package"], fields.get("Version", ""), fields.get("Architecture", ""), state)
    return package, want, flag


def _sorted(packages: list[Package]) -> tuple[Package, ...]:
    return tuple(sorted(packages, key=lambda p: (p.name, p.architecture)))
