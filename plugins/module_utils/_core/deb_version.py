# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Versions of Debian packages, ordered as dpkg orders them (deb-version(7))."""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t

from .errors import DataError
from .ordered import Ordered

FORM = re.compile(r"(?:(?P<epoch>\d+):)?(?P<upstream>\d[A-Za-z0-9.+~:-]*?)(?:-(?P<revision>[A-Za-z0-9.+~]+))?")
PARTS = re.compile(r"(\D*)(\d*)")
MAX_EPOCH = 2**31 - 1  # dpkg keeps it in an int

Rank = t.Tuple[t.Any, ...]  # noqa: UP006 (evaluated at run time)


def _weight(char: str) -> int:
    """Tilde before the end of the text (0), letters next, everything else after letters."""
    if char == "~":
        return -1
    return ord(char) if char.isalpha() else ord(char) + 256


def _rank(text: str) -> Rank:
    """A tuple that compares as dpkg compares the text: runs of other characters and numbers take turns."""
    rank: list[t.Any] = []
    for other, digits in PARTS.findall(text)[:-1] or [("", "")]:
        rank.append((*(_weight(c) for c in other), 0))
        rank.append(int(digits or 0))
    rank.append((0,))
    return tuple(rank)


@dc.dataclass(frozen=True, eq=False)
class DebVersion(Ordered):
    """``[epoch:]upstream[-revision]``. Equal means equal to dpkg: ``1.0`` equals ``1.0-0`` and ``0:1.0``."""

    text: str
    epoch: int
    upstream: str
    revision: str

    @classmethod
    def parse(cls, text: str) -> DebVersion:
        """The version that ``text`` says.

        Raises:
            DataError: the text is not a version of a Debian package.
        """
        match = FORM.fullmatch(text) if isinstance(text, str) and text.isascii() else None
        epoch = int(match["epoch"] or 0) if match else 0
        missing = match and ((":" in match["upstream"] and match["epoch"] is None)
                             or ("-" in match["upstream"] and match["revision"] is None))
        if not match or missing or epoch > MAX_EPOCH:
            raise DataError(repr(text), "is not a version of a Debian package",
                            "write it as [epoch:]upstream[-revision]")
        return cls(text, epoch, match["upstream"], match["revision"] or "")

    @property
    def key(self) -> tuple[int, Rank, Rank]:
        """Epoch, then upstream version, then revision."""
        return (self.epoch, _rank(self.upstream), _rank(self.revision))

    def __str__(self) -> str:
        return self.text
