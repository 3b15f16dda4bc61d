# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Values that a precondition wants, and of which kind they must be."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..errors import DataError
from ..strict import FORM, Contradiction, Reader

Value = t.Union[str, int, tuple[str, ...]]
# Of a value: a type, or the words that are allowed. Names that end in ? may be missing.
Kind = t.Union[type, tuple[str, ...]]
Kinds = t.Mapping[str, Kind]


@dc.dataclass(frozen=True)
class Values:
    """Values by name; their kinds were seen to when they were read."""

    by_name: t.Mapping[str, Value]

    def text(self, name: str) -> str:
        """A text."""
        return t.cast("str", self.by_name[name])

    def number(self, name: str) -> int:
        """A number."""
        return t.cast("int", self.by_name[name])

    def maybe_number(self, name: str) -> int | None:
        """A number that may be missing."""
        return t.cast("int | None", self.by_name.get(name))

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts."""
        return t.cast("tuple[str, ...]", self.by_name[name])

    def complete(self, kinds: Kinds) -> bool:
        """Whether all are there that must be: what nobody wants is not judged."""
        return all(name in self.by_name for name in kinds if not name.endswith("?"))


def read(reader: Reader, check: str, kinds: Kinds) -> dict[str, Value]:
    """The values that a row of a precondition gives.

    Raises:
        DataError: a value is no text, number or list of texts.
        Contradiction: the check knows no such value, or wants one of another kind.
    """
    raw = reader.anything("values")
    path = f"{reader.path}.values"
    if not isinstance(raw, dict) or not raw:
        raise DataError(path, "is not a mapping with a value in it", FORM)
    known = {name.rstrip("?"): kind for name, kind in kinds.items()}
    found: dict[str, Value] = {}
    for name, value in raw.items():
        found[str(name)] = _value(value, f"{path}.{name}")
        if name not in known:
            raise Contradiction(f"{path}.{name}", f"is nothing that the check {check} knows",
                                f"it knows {', '.join(known) or 'no values'}")
        complaint = _unfit(found[str(name)], known[name])
        if complaint:
            raise Contradiction(f"{path}.{name}", complaint, FORM)
    return found


def _value(value: object, path: str) -> Value:
    if isinstance(value, str) and value:
        return value
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    texts = value if isinstance(value, list) else [None]
    if all(isinstance(item, str) and item for item in texts) and len(set(texts)) == len(texts):
        return tuple(texts)
    raise DataError(path, "is no text, no number from 0 on, and no list of different texts",
                    "put yes, no, on and off in quotes")


def _unfit(value: Value, kind: Kind) -> str:
    """Why a value is not of a kind; empty if it is."""
    if isinstance(kind, tuple):
        return "" if value in kind else f"is none of {', '.join(kind)}"
    return "" if isinstance(value, kind) else f"is not {_NAMES[kind]}"


_NAMES = {str: "a text", int: "a number", tuple: "a list of texts"}
