# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Stacks of user space that serve RDMA NICs, and what cannot stand side by side."""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t

from ..errors import DataError
from ..findings import Cause
from ..records import ID, Placed, sources
from ..release.provenance import CONFIDENCES
from ..strict import Reader
from .family import NAME, PACKAGE, cause

MANAGERS = ("apt", "dnf", "zypper")
_SYSTEM = r"[a-z]+ [0-9]+(?:\.[0-9]+)*"


@dc.dataclass(frozen=True)
class Renamed:
    """A package that is called otherwise from some version of a system on.

    Attributes:
        since: systems with that version: ubuntu 24.04.
    """

    name: str
    to: str
    since: tuple[str, ...]

    @classmethod
    def read(cls, reader: Reader) -> Renamed:
        """One record of ``renamed``."""
        return cls(reader.text("name", pattern=PACKAGE), reader.text("to", pattern=PACKAGE),
                   reader.texts("since", pattern=_SYSTEM))

    def holds(self, system: str) -> bool:
        """Whether it is so on a system, which is written as those of ``since``."""
        known = re.fullmatch(_SYSTEM, system)
        return bool(known) and any(one.split()[0] == system.split(maxsplit=1)[0] and _version(one) <= _version(system)
                                   for one in self.since)


def _version(system: str) -> list[int]:
    return [int(part) for part in system.split()[1].split(".")]


@dc.dataclass(frozen=True)
class Served:
    """A family of NICs that a stack has a provider for.

    Attributes:
        where: on what condition, in words; empty: always.
    """

    family: str
    where: str
    sources: tuple[str, ...]
    confidence: str

    @classmethod
    def read(cls, reader: Reader) -> Served:
        """One record of ``serves``."""
        return cls(reader.text("family", pattern=NAME), reader.text("where", ""), sources(reader),
                   reader.choice("confidence", CONFIDENCES))

    def told(self, stack: str) -> str:
        """The stack and its condition, in words."""
        return f"{stack} where {self.where}" if self.where else stack


@dc.dataclass(frozen=True)
class Stack:
    """User space of RDMA from one hand.

    Attributes:
        packages: package manager -> name of a source, whose packages have one version -> its packages.
        mark: pattern that tells its packages from those of other hands by their versions; empty: there is none.
        renamed: packages that newer systems have under another name.
        serves: families that it has a provider for.
    """

    name: str
    packages: t.Mapping[str, t.Mapping[str, tuple[str, ...]]]
    mark: str
    sources: tuple[str, ...]
    renamed: tuple[Renamed, ...] = ()
    serves: tuple[Served, ...] = ()

    @property
    def id(self) -> str:
        """Unique over all stacks."""
        return self.name

    @classmethod
    def read(cls, reader: Reader) -> Placed[Stack]:
        """One record of ``stacks``, with its place."""
        return reader.path, cls(reader.text("name", pattern=NAME), reader.record("packages", _managers),
                                _pattern(reader, "mark"), sources(reader), reader.records("renamed", Renamed.read, []),
                                reader.records("serves", Served.read, []))

    def offered(self, manager: str | None, system: str) -> dict[str, tuple[str, ...]]:
        """Source -> its packages by the names that they have on a system; empty: there are none for the manager."""
        names = {one.name: one.to for one in self.renamed if one.holds(system)}
        return {source: tuple(names.get(name, name) for name in packages)
                for source, packages in self.packages.get(manager or "", {}).items()}


def _managers(reader: Reader) -> dict[str, dict[str, tuple[str, ...]]]:
    return {manager: dict(reader.records(manager, _of_source)) for manager in MANAGERS if reader.has(manager)}


def _of_source(reader: Reader) -> tuple[str, tuple[str, ...]]:
    return reader.text("source", pattern=PACKAGE), reader.texts("names", pattern=PACKAGE)


def _pattern(reader: Reader, key: str) -> str:
    text = reader.text(key, "")
    try:
        re.compile(text)
    except re.error as error:
        raise DataError(f"{reader.path}.{key}", f"is {text!r}, which is no pattern: {error}", "correct it") from error
    return text


@dc.dataclass(frozen=True)
class Side:
    """One of two things that cannot stand side by side: a package of these, or a file below one of these patterns.

    Attributes:
        like, unlike: patterns that a version of a package must match, and must not; empty: any.
    """

    packages: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    like: str = ""
    unlike: str = ""

    @classmethod
    def read(cls, reader: Reader) -> Side:
        """The keys ``one`` and ``other`` of a mixture."""
        if not (reader.has("packages") or reader.has("paths")):
            raise DataError(reader.path, "names neither packages nor paths", "name what must not be there")
        return cls(reader.texts("packages", (), PACKAGE), reader.texts("paths", (), r"/[A-Za-z0-9/_.*-]+"),
                   _pattern(reader, "like"), _pattern(reader, "unlike"))

    def found(self, packages: t.Mapping[str, str], paths: t.Collection[str]) -> tuple[str, ...]:
        """What of it is there, in words. ``paths``: files that were found."""
        there = [f"{name} {packages[name]}" for name in self.packages if name in packages
                 and re.search(self.like, packages[name])
                 and not (self.unlike and re.search(self.unlike, packages[name]))]
        wanted = [re.compile(re.escape(path).replace(r"\*", "[^/]*")) for path in self.paths]
        return (*there, *(path for path in sorted(paths) if any(one.fullmatch(path) for one in wanted)))


@dc.dataclass(frozen=True)
class Mixture:
    """Two things that are known to break each other."""

    id: str
    one: Side
    other: Side
    cause: Cause

    @classmethod
    def read(cls, reader: Reader) -> Placed[Mixture]:
        """One record of ``mixtures``, with its place."""
        return reader.path, cls(reader.text("id", pattern=ID), reader.record("one", Side.read),
                                reader.record("other", Side.read), cause(reader))
