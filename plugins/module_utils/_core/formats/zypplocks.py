# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Locks of zypper: records of ``attribute: value`` with an empty line between. source: locks(5) of libzypp"""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t
from fnmatch import fnmatchcase

from ..errors import DataError

PATH = "/etc/zypp/locks"


@dc.dataclass(frozen=True)
class Lock:
    """One lock of packages. ``match`` says how the pattern is meant: glob, exact, substring, regex, words."""

    pattern: str
    match: str
    case: bool

    def covers(self, name: str) -> bool:
        """Whether the lock is one of this package.

        Raises:
            DataError: the pattern is no regular expression.
        """
        pattern, name = (self.pattern, name) if self.case else (self.pattern.lower(), name.lower())
        if self.match == "regex":
            try:
                return bool(re.search(pattern, name))
            except re.error:
                raise DataError(PATH, f"{self.pattern!r} is not a regular expression") from None
        if self.match in ("substring", "words"):
            return pattern in name
        return fnmatchcase(name, pattern) if self.match == "glob" else name == pattern


def parse(text: str) -> tuple[Lock, ...]:
    """The locks of packages. Those of patches, patterns and products are left out.

    Raises:
        DataError: a line that is no attribute.
    """
    locks: list[Lock] = []
    for record in re.split(r"\n\s*\n", text):
        fields: dict[str, list[str]] = {}
        for line in record.splitlines():
            key, colon, value = line.partition(":")
            if not line.strip() or line.startswith("#"):
                continue
            if not colon:
                raise DataError(PATH, f"line not understood: {line!r}")
            fields.setdefault(key.strip(), []).append(value.strip())
        if "package" in fields.get("type", ["package"]):
            match, case = fields.get("match_type", ["substring"])[0], fields.get("case_sensitive", ["off"])[0]
            locks += [Lock(name, match, case in ("on", "true")) for name in fields.get("solvable_name", ())]
    return tuple(locks)


def held(locks: t.Iterable[Lock], names: t.Iterable[str]) -> tuple[str, ...]:
    """Those of the packages that a lock covers, sorted.

    Raises:
        DataError: a lock is no regular expression although it says so.
    """
    found = list(locks)
    return tuple(sorted({name for name in names if any(lock.covers(name) for lock in found)}))
