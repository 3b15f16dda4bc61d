# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What can be said of a regular expression without running it: what its matches contain, and whether it is cheap."""

from __future__ import annotations

import functools
import importlib
import itertools
import re
import typing as t

# Its own module only since Python 3.11; the old name warns since then.
_PARSER: t.Any = importlib.import_module("re._parser" if hasattr(re, "_parser") else "sre_parse")
_REPEATS = ("MAX_REPEAT", "MIN_REPEAT")
_NEWER = ("POSSESSIVE_REPEAT", "ATOMIC_GROUP")  # not known to Python 3.9, which runs on nodes
_GAP = "\0"  # anything may stand here
_HAS = "\1"  # there is a word in it: what else there is does not matter
_MOST_ALTERNATIVES = 512
_MOST_WIDE = 2  # with lines cut to 2000 characters: the square of that at worst

_Items = t.Iterable[tuple[t.Any, t.Any]]


@functools.cache  # a catalogue is read again and again, and this takes most of that time
def complaint(pattern: str) -> str:
    """Why the pattern cannot be used, or is too dear to use on lines from outside; empty if it is fine."""
    try:
        re.compile(pattern)
    except re.error as error:
        return f"is no regular expression: {error}"
    items = list(_PARSER.parse(pattern))
    if any(name in _NEWER for name, _argument in _walk(items)):
        return "has a possessive repetition or an atomic group, which Python 3.9 does not know"
    if _nested(items, False):
        return "has an open repetition within a repetition"
    if sum(_wide(argument) for name, argument in _walk(items) if _open(name, argument)) > _MOST_WIDE:
        return f"has more than {_MOST_WIDE} open repetitions of nearly any character"
    if _neighbours(items):
        return "has two open repetitions side by side that can share characters"
    return ""


@functools.cache
def without_words(pattern: str, words: tuple[str, ...]) -> str | None:
    """A form that the pattern matches and that has none of the words; None if each match has one of them.

    Gaps are written as dots. Words are in lower case, and so is the form.
    """
    bare = (text for text in _texts(_PARSER.parse(pattern), words) if text != _HAS)
    return next((re.sub(f"{_GAP}+", "...", text) for text in bare), None)


def groups(pattern: str) -> frozenset[str]:
    """Names of the groups of a pattern."""
    return frozenset(re.compile(pattern).groupindex)


def _bodies(name: str, argument: t.Any) -> list[t.Any]:
    """The parts of an item that are sequences of items themselves."""
    if name == "SUBPATTERN":
        return [argument[-1]]
    if name == "BRANCH":
        return list(argument[1])
    if name in _REPEATS:
        return [argument[2]]
    if name in ("ASSERT", "ASSERT_NOT"):
        return [argument[1]]
    return []


def _walk(items: _Items) -> t.Iterator[tuple[str, t.Any]]:
    """Every item at any depth, by the name of its operation."""
    for operation, argument in items:
        name = str(operation)
        yield name, argument
        for body in _bodies(name, argument):
            yield from _walk(body)


def _open(name: str, argument: t.Any) -> bool:
    return name in _REPEATS and argument[1] == _PARSER.MAXREPEAT


def _nested(items: _Items, repeated: bool) -> bool:
    """Whether a repetition without an upper bound is part of what is repeated."""
    for operation, argument in items:
        name = str(operation)
        if repeated and _open(name, argument):
            return True
        again = repeated or (name in _REPEATS and argument[1] > 1)
        if any(_nested(body, again) for body in _bodies(name, argument)):
            return True
    return False


def _wide(argument: t.Any) -> bool:
    """Whether what is repeated is nearly any character."""
    return any(name in ("ANY", "NOT_LITERAL") or (name == "IN" and _negated(inner))
               for name, inner in _walk(argument[2]))


def _negated(members: _Items) -> bool:
    return any(str(name) == "NEGATE" or "_NOT_" in str(value) for name, value in members)


def _neighbours(items: _Items) -> bool:
    """Whether two open repetitions follow each other, of which one takes nearly anything or both take the same."""
    before: t.Any = None
    for name, argument in _flat(items):
        if not _open(name, argument):
            before = None
            continue
        body = repr(argument[2])
        if before and (_wide(before) or _wide(argument) or repr(before[2]) == body):
            return True
        before = argument
    return False


def _flat(items: _Items) -> t.Iterator[tuple[str, t.Any]]:
    """Items in the order of the text that they match: groups are opened, what has no width is left out."""
    for operation, argument in items:
        name = str(operation)
        if name in ("SUBPATTERN", "BRANCH"):
            for body in _bodies(name, argument):
                yield from _flat(body)
        elif name not in ("AT", "ASSERT", "ASSERT_NOT"):
            yield name, argument


def _texts(items: _Items, words: t.Collection[str]) -> list[str]:
    """What every match is made of, in lower case: one text for each alternative, with gaps for what is not known."""
    found = [""]
    for operation, argument in items:
        parts = _parts(str(operation), argument, words)
        both = (head + part for head, part in itertools.product(found, parts))
        found = list(dict.fromkeys(_HAS if _has(text, words) else text for text in both))
        if len(found) > _MOST_ALTERNATIVES:
            found = [_GAP]
    return found


def _has(text: str, words: t.Collection[str]) -> bool:
    return _HAS in text or any(word in text for word in words)


def _parts(name: str, argument: t.Any, words: t.Collection[str]) -> list[str]:
    if name == "LITERAL":
        return [chr(argument).lower()]
    if name == "IN" and all(str(member) == "LITERAL" for member, _value in argument):
        return sorted({chr(value).lower() for _member, value in argument})
    if name in ("SUBPATTERN", "BRANCH"):
        return [text for body in _bodies(name, argument) for text in _texts(body, words)]
    if name in _REPEATS:
        least, most, body = argument
        once = _texts(body, words) if most == 1 else [text + _GAP for text in _texts(body, words)]
        return once if least else ["", *once]
    return [""] if name in ("AT", "ASSERT", "ASSERT_NOT") else [_GAP]
