# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""A strict reader of plain data: every key is known, present and of the right type, or the error names its path."""

from __future__ import annotations

import json
import re
import typing as t

from .errors import DataError
from .near import nearest

T = t.TypeVar("T")
NAMES: dict[type, str] = {
    bool: "true or false", str: "text", int: "a number", float: "a number", list: "a list", dict: "a mapping",
}
FORM = "write it in that form"


class Contradiction(DataError):
    """The form is right, but the data disagrees with itself."""


def _type_name(value: object) -> str:
    if value is None:
        return "null"
    if value == "":
        return "empty"
    return next((name for kind, name in NAMES.items() if isinstance(value, kind)), f"a {type(value).__name__}")


def _hint(value: object, kind: type = str) -> str:
    """What to do about a value that should be of a kind and is not."""
    if kind is not str or isinstance(value, (list, dict)):
        return f"write it as {NAMES[kind]}"
    return "fill it in" if value in (None, "") else "put it in quotes"


class Reader:
    """Reads one mapping. Take every key that may be there, then call ``done``.

    Attributes:
        path: where the mapping is, for messages: ``rocm-7.2.3.yml: os[2]``.
    """

    def __init__(self, raw: object, path: str) -> None:
        if not isinstance(raw, dict):
            raise DataError(path.rstrip(":"), f"is {_type_name(raw)}, not a mapping", "write it as a mapping")
        self.path = path
        self._raw = raw
        self._taken: set[str] = set()

    def _fail(self, key: str, what: str, hint: str = "") -> DataError:
        joint = " " if self.path.endswith(":") else "."
        return DataError(f"{self.path}{joint}{key}", what, hint)

    def _take(self, key: str, kind: type, default: object) -> t.Any:
        self._taken.add(key)
        if key not in self._raw:
            if default is ...:
                raise self._fail(key, "is missing", "add it")
            return default
        value = self._raw[key]
        if not isinstance(value, kind) or (isinstance(value, bool) and kind not in (bool, object)):
            broken = kind is int and isinstance(value, float)
            told = f"is {value}, not a whole number" if broken else f"is {_type_name(value)}, not {NAMES[kind]}"
            raise self._fail(key, told, _hint(value, kind))
        return value

    def has(self, key: str) -> bool:
        """Whether the key is there."""
        return key in self._raw

    def text(self, key: str, default: str | None = None, pattern: str = "") -> str:
        """A non-empty text. Missing is an error unless a default is given."""
        value: str = self._take(key, str, ... if default is None else default)
        if not value and default is None:
            raise self._fail(key, "is empty", "fill it in")
        if pattern and value and not re.fullmatch(pattern, value, re.ASCII):
            raise self._fail(key, f"is {value!r}, which does not match {pattern}", FORM)
        return value

    def optional(self, key: str, pattern: str = "") -> str | None:
        """A text, or None where the key is null. The key must be there: unknown is said, not left out."""
        self._taken.add(key)
        if key in self._raw and self._raw[key] is None:
            return None
        return self.text(key, pattern=pattern)

    def anything(self, key: str) -> object:
        """Whatever is there: the caller reads it with a reader of its own."""
        return self._take(key, object, ...)

    def flag(self, key: str, default: bool) -> bool:
        """A boolean."""
        return bool(self._take(key, bool, default))

    def count(self, key: str) -> int | None:
        """A number from 0, or None where the key is missing."""
        value: int | None = self._take(key, int, None)
        if value is not None and value < 0:
            raise self._fail(key, f"is {value}, and cannot be less than 0", FORM)
        return value

    def choice(self, key: str, allowed: t.Sequence[str], default: str | None = None) -> str:
        """One of a few words."""
        value = self.text(key, default)
        if value not in allowed:
            raise self._fail(key, f"is {value!r}", f"choose one of {', '.join(allowed)}")
        return value

    def texts(self, key: str, default: t.Sequence[str] | None = None, pattern: str = "") -> tuple[str, ...]:
        """A list of different non-empty texts."""
        values = self._take(key, list, ... if default is None else list(default))
        for index, value in enumerate(values):
            if not isinstance(value, str) or not value:
                raise self._fail(f"{key}[{index}]", f"is {_type_name(value)}, not text", _hint(value))
            if pattern and not re.fullmatch(pattern, value, re.ASCII):
                raise self._fail(f"{key}[{index}]", f"is {value!r}, which does not match {pattern}", FORM)
            if value in values[:index]:
                raise self._fail(f"{key}[{index}]", f"{value!r} is there twice", "remove one")
        return tuple(values)

    def read(self, key: str, parse: t.Callable[[str], T]) -> T:
        """A text that ``parse`` understands; its complaint is given the path."""
        return self._parsed(key, self.text(key), parse)

    def read_optional(self, key: str, parse: t.Callable[[str], T]) -> T | None:
        """As ``read``; None where the key is null."""
        text = self.optional(key)
        return None if text is None else self._parsed(key, text, parse)

    def read_all(self, key: str, parse: t.Callable[[str], T], default: t.Sequence[str] | None = None) -> tuple[T, ...]:
        """A list of texts that ``parse`` understands."""
        return tuple(self._parsed(f"{key}[{i}]", text, parse) for i, text in enumerate(self.texts(key, default)))

    def _parsed(self, key: str, text: str, parse: t.Callable[[str], T]) -> T:
        try:
            return parse(text)
        except DataError as error:
            raise self._fail(key, f"{error.where} {error.what}", error.hint) from error

    def record(self, key: str, parse: t.Callable[[Reader], T]) -> T:
        """A mapping of its own."""
        return self._done(Reader(self._take(key, dict, ...), self._fail(key, "").where), parse)

    def records(self, key: str, parse: t.Callable[[Reader], T], default: list[t.Any] | None = None) -> tuple[T, ...]:
        """A list of mappings."""
        values = self._take(key, list, ... if default is None else default)
        where = self._fail(key, "").where
        return tuple(self._done(Reader(value, f"{where}[{i}]"), parse) for i, value in enumerate(values))

    def named(self, key: str, parse: t.Callable[[Reader], T]) -> dict[str, T]:
        """A mapping from free names to mappings."""
        values = self._take(key, dict, {})
        where = self._fail(key, "").where
        return {str(name): self._done(Reader(value, f"{where}.{name}"), parse) for name, value in values.items()}

    def texts_by_name(self, key: str, parse: t.Callable[[str], str] = str) -> dict[str, str]:
        """A mapping from free names to texts, each of which ``parse`` understands."""
        values = self._take(key, dict, {})
        for name, value in values.items():
            if not isinstance(name, str):
                raise self._fail(f"{key}.{name}", f"has a name that is {_type_name(name)}, not text", _hint(name))
            if not isinstance(value, str) or not value:
                raise self._fail(f"{key}.{name}", f"is {_type_name(value)}, not text", _hint(value))
        return {self._parsed(key, name, parse): self._parsed(f"{key}.{name}", value, parse)
                for name, value in values.items()}

    @staticmethod
    def _done(reader: Reader, parse: t.Callable[[Reader], T]) -> T:
        value = parse(reader)
        reader.done()
        return value

    def done(self) -> None:
        """Refuse keys that nobody took.

        Raises:
            DataError: a key is unknown.
        """
        for key in self._raw:
            if key not in self._taken:
                near = nearest(str(key), self._taken)
                raise self._fail(str(key), "is not a known key", f"did you mean {near}" if near else "remove it")


def from_json(text: str, where: str, hint: str) -> Reader:
    """A reader of a mapping that is written as JSON.

    Raises:
        DataError: it is none. ``hint``: what to do about a text that is not even JSON.
    """
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError(where, "is not JSON", hint) from error
    return Reader(raw, f"{where}:")
