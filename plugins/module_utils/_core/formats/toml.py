# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""TOML of a node, whose Python has a reader for it from 3.11 on. Numbers and times are not told apart: they are Bare.

source: toml.io/en/v1.0.0
"""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t

from ..errors import DataError

Table = dict[str, t.Any]
# A multi-line string may end with quotes of its own. What follows a backslash is never the end.
_STRING = re.compile(
    r'"""(?P<blocks>(?:\\.|(?!""")[^\\])*)"""(?P<more>"{0,2})|"(?P<basic>(?:\\[^\n]|[^"\\\n])*)"'
    r"|'''(?P<raws>(?:(?!''').)*)'''(?P<others>'{0,2})|'(?P<raw>[^'\n]*)'", re.DOTALL)
_KEY = re.compile(r"[A-Za-z0-9_-]+")
_BARE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:.Z+-]+|[A-Za-z0-9_.:+-]+")
_BLANK, _ANY = re.compile(r"[ \t]*"), re.compile(r"(?:\s|#[^\n]*)*")
_END = re.compile(r"[ \t]*(?:#[^\n]*)?\r?(?:\n|\Z)")
_ESCAPE = re.compile(
    r"\\(?:(?P<fold>[ \t]*\r?\n\s*)|u(?P<four>[0-9a-fA-F]{4})|U(?P<eight>[0-9a-fA-F]{8})|(?P<one>.))", re.DOTALL)
_ONE = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", '"': '"', "\\": "\\"}


@dc.dataclass(frozen=True)
class Bare:
    """A value without quotes that is neither true nor false."""

    text: str


def parse(text: str, where: str) -> Table:
    """The document.

    Raises:
        DataError: it is not TOML; the message names the line.
    """
    return _Document(text, where).read()


class _Document:
    """A text, and how far it is read."""

    def __init__(self, text: str, where: str) -> None:
        self._text, self._where, self._at = text, where, 0
        self._headers: set[int] = set()  # tables that a header named
        self._closed: list[t.Any] = []  # arrays and inline tables, which no key adds to

    def read(self) -> Table:
        """All of it."""
        root: Table = {}
        table = root
        self._skip(_ANY)
        while self._at < len(self._text):
            if self._take("[["):
                table = self._header(root, "]]")
            elif self._take("["):
                table = self._header(root, "]")
            else:
                self._pair(table)
            if not self._skip(_END) and self._at < len(self._text):
                raise self._wrong("has more than one thing")
            self._skip(_ANY)
        return root

    def _header(self, root: Table, end: str) -> Table:
        """The table that follows."""
        *parents, name = self._keys()
        self._expect(end)
        above = self._below(root, parents)
        if end == "]]":
            many = above.setdefault(name, [])
            if not isinstance(many, list) or self._is_closed(many):
                raise self._wrong(f"names {name} twice")
            many.append({})
            return t.cast("Table", many[-1])
        found = self._below(above, [name])
        if id(found) in self._headers or isinstance(above[name], list):
            raise self._wrong(f"names {name} twice")
        self._headers.add(id(found))
        return found

    def _below(self, table: Table, names: t.Iterable[str]) -> Table:
        for name in names:
            found = table.setdefault(name, {})
            found = found[-1] if isinstance(found, list) and found and not self._is_closed(found) else found
            if not isinstance(found, dict) or self._is_closed(found):
                raise self._wrong(f"has something in {name} that is a value already")
            table = found
        return table

    def _is_closed(self, value: object) -> bool:
        return any(value is one for one in self._closed)

    def _pair(self, table: Table) -> None:
        *parents, name = self._keys()
        self._expect("=")
        self._skip(_BLANK)
        table = self._below(table, parents)
        if name in table:
            raise self._wrong(f"names {name} twice")
        table[name] = self._value()

    def _keys(self) -> list[str]:
        found: list[str] = []
        while not found or self._take("."):
            self._skip(_BLANK)
            found.append(self._string() if self._quoted() else self._match(_KEY, "a key"))
            self._skip(_BLANK)
        return found

    def _value(self) -> t.Any:
        if self._quoted():
            return self._string()
        if self._take("["):
            many: list[t.Any] = []
            self._closed.append(many)
            self._items("]", lambda: many.append(self._value()))
            return many
        if self._take("{"):
            inner: Table = {}
            self._items("}", lambda: self._pair(inner))
            self._closed.append(inner)
            return inner
        text = self._match(_BARE, "a value")
        return text == "true" if text in ("true", "false") else Bare(text)

    def _items(self, end: str, read: t.Callable[[], None]) -> None:
        """What stands between commas."""
        self._skip(_ANY)
        while not self._take(end):
            read()
            self._skip(_ANY)
            if not self._take(","):
                self._expect(end)
                return
            self._skip(_ANY)

    def _quoted(self) -> bool:
        return self._text.startswith(("'", '"'), self._at)

    def _string(self) -> str:
        match = _STRING.match(self._text, self._at)
        if not match:
            raise self._wrong("has a string without an end")
        self._at = match.end()
        if match["raw"] is not None:
            return match["raw"]
        if match["raws"] is not None:
            return re.sub(r"\A\r?\n", "", match["raws"]) + match["others"]
        if match["basic"] is not None:
            return _ESCAPE.sub(self._escaped, match["basic"])
        return _ESCAPE.sub(self._escaped, re.sub(r"\A\r?\n", "", match["blocks"])) + match["more"]

    def _escaped(self, match: t.Match[str]) -> str:
        if match["fold"] is not None:
            return ""
        try:
            return chr(int(match["four"] or match["eight"], 16)) if match["one"] is None else _ONE[match["one"]]
        except (KeyError, ValueError, OverflowError):
            raise self._wrong(f"has {match[0]} in a string") from None

    def _take(self, text: str) -> bool:
        found = self._text.startswith(text, self._at)
        self._at += len(text) if found else 0
        return found

    def _expect(self, text: str) -> None:
        if not self._take(text):
            raise self._wrong(f"lacks {text}")

    def _skip(self, pattern: re.Pattern[str]) -> bool:
        """Whether there was something to skip."""
        match, before = pattern.match(self._text, self._at), self._at
        self._at = match.end() if match else self._at
        return self._at > before

    def _match(self, pattern: re.Pattern[str], what: str) -> str:
        match = pattern.match(self._text, self._at)
        if not match:
            raise self._wrong(f"lacks {what}")
        self._at = match.end()
        return match[0]

    def _wrong(self, what: str) -> DataError:
        line = self._text.count("\n", 0, self._at) + 1
        return DataError(self._where, f"line {line} {what}", "mend it, as the program that reads it must, too")
