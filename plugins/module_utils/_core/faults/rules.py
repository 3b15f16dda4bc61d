# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Rules of context: what must be true besides a line in a log before it counts as a fault."""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t

from ..errors import DataError
from ..records import ID
from ..strict import Reader

VERSION = r"\d+\.\d+(?:\.\d+)?"
ABOUT_LINES = ("seen", "not_seen", "followed_by", "not_followed_by")
FLAGS = ("virtual_function", "driver_loaded", "instinct")
VERSIONS = ("kernel_from", "kernel_before", "driver_from", "driver_before")
KINDS = (*ABOUT_LINES, *FLAGS, *VERSIONS, "driver_kind", "count_from")


@dc.dataclass(frozen=True)
class Rule:
    """One rule of ``when``.

    Attributes:
        kind: one of KINDS.
        value: id, yes or no, version, kind of driver, or number: what the kind takes.
        unknown_holds: whether the rule holds where the node does not tell.
    """

    kind: str
    value: str | bool | int
    unknown_holds: bool = False

    @classmethod
    def read(cls, reader: Reader) -> Rule:
        """One record of ``when``: a mapping with one rule, and ``unknown: holds`` beside it if that is meant.

        Raises:
            DataError: it has no rule or several.
        """
        kinds = [kind for kind in KINDS if reader.has(kind)]
        if len(kinds) != 1:
            what = f"has the rules {' and '.join(kinds)}" if kinds else "has no rule"
            hint = "make each a record of its own" if kinds else f"write one of {', '.join(KINDS)}"
            raise DataError(reader.path, what, hint)
        reader.choice("unknown", ("holds",), "holds")
        return cls(kinds[0], _value(reader, kinds[0]), reader.has("unknown"))

    @property
    def text(self) -> str:
        """``kernel_from: 6.11``."""
        return f"{self.kind}: {str(self.value).lower() if isinstance(self.value, bool) else self.value}"


def _value(reader: Reader, kind: str) -> str | bool | int:
    if kind in FLAGS:
        return reader.flag(kind, False)
    if kind == "driver_kind":
        return reader.choice(kind, ("dkms", "in_tree"))
    if kind == "count_from":
        count = reader.count(kind)
        if not count:
            raise DataError(f"{reader.path}.{kind}", "is 0, which every line has", "write a number from 1")
        return count
    return reader.text(kind, pattern=VERSION if kind in VERSIONS else ID)


def numbers(version: str) -> tuple[int, ...] | None:
    """The numbers that a version begins with: (6, 8, 0) of 6.8.0-44-generic; None if the text is no version."""
    match = re.match(r"\d+(?:\.\d+)+", version, re.ASCII)
    return tuple(int(part) for part in match[0].split(".")) if match else None


def at_least(version: tuple[int, ...], bound: str) -> bool:
    """Whether a version is the bound or a later one."""
    wanted: t.Sequence[int] = numbers(bound) or ()
    length = max(len(version), len(wanted))
    return (*version, *([0] * (length - len(version)))) >= (*wanted, *([0] * (length - len(wanted))))
