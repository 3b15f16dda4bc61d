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
ABOUT_ORDER = ("followed_by", "not_followed_by")
ABOUT_LINES = ("seen", "not_seen", *ABOUT_ORDER)
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
        within: of rules about the order of lines: how many lines later at most; 0: any later line will do.
    """

    kind: str
    value: str | bool | int
    unknown_holds: bool = False
    within: int = 0

    @classmethod
    def read(cls, reader: Reader) -> Rule:
        """One record of ``when``: a mapping with one rule, and ``unknown: holds`` beside it if that is meant; a rule
        about the order of lines may have ``within``.

        Raises:
            DataError: it has no rule or several.
        """
        kinds = [kind for kind in KINDS if reader.has(kind)]
        if len(kinds) != 1:
            what = f"has the rules {' and '.join(kinds)}" if kinds else "has no rule"
            hint = "make each a record of its own" if kinds else f"write one of {', '.join(KINDS)}"
            raise DataError(reader.path, what, hint)
        reader.choice("unknown", ("holds",), "holds")
        within = positive(reader, "within") if kinds[0] in ABOUT_ORDER and reader.has("within") else 0
        return cls(kinds[0], _value(reader, kinds[0]), reader.has("unknown"), within)

    @property
    def text(self) -> str:
        """``kernel_from: 6.11``."""
        value = str(self.value).lower() if isinstance(self.value, bool) else self.value
        return f"{self.kind}: {value}" + (f", within: {self.within}" if self.within else "")


def _value(reader: Reader, kind: str) -> str | bool | int:
    if kind in FLAGS:
        return reader.flag(kind, False)
    if kind == "driver_kind":
        return reader.choice(kind, ("dkms", "in_tree"))
    if kind == "count_from":
        return positive(reader, kind)
    return reader.text(kind, pattern=VERSION if kind in VERSIONS else ID)


def positive(reader: Reader, key: str) -> int:
    """A number from 1.

    Raises:
        DataError: it is 0, missing, or no number.
    """
    number = reader.count(key)
    if not number:
        raise DataError(f"{reader.path}.{key}", "is 0", "write a number from 1")
    return number


def numbers(version: str) -> tuple[int, ...] | None:
    """The numbers that a version begins with: (6, 8, 0) of 6.8.0-44-generic; None if the text is no version."""
    match = re.match(r"\d+(?:\.\d+)+", version, re.ASCII)
    return tuple(int(part) for part in match[0].split(".")) if match else None


def at_least(version: tuple[int, ...], bound: str) -> bool:
    """Whether a version is the bound or a later one."""
    wanted: t.Sequence[int] = numbers(bound) or ()
    length = max(len(version), len(wanted))
    return (*version, *([0] * (length - len(version)))) >= (*wanted, *([0] * (length - len(wanted))))
