# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Families of RDMA NICs, the stacks of user space that serve them, and which of these cannot stand side by side."""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t

from ..errors import DataError
from ..findings import Cause
from ..records import ID, Placed, sources
from ..release.provenance import CONFIDENCES
from ..strict import Reader

NAME = r"[a-z0-9]+(?:_[a-z0-9]+)*"
PACKAGE = r"[A-Za-z0-9][A-Za-z0-9.+_-]*"
_MODULE = r"[a-z0-9_]+"
_VERDICTS = ("warn", "fail")
MANAGERS = ("apt", "dnf", "zypper")


@dc.dataclass(frozen=True)
class Variable:
    """An environment variable for programs on NICs of a family.

    Attributes:
        value: text in which ``{ports}`` stands for the active ports, mlx5_0:1,mlx5_1:1, and ``{gid}`` for the index of
            the RoCE v2 GID that all of them share; where that is not known the variable is left out.
    """

    name: str
    value: str
    why: str
    sources: tuple[str, ...]

    @classmethod
    def read(cls, reader: Reader) -> Variable:
        """One record of ``environment``."""
        return cls(reader.text("name", pattern=r"[A-Z][A-Z0-9_]*"),
                   reader.text("value", pattern=r"(?:[A-Za-z0-9_.,:=@/+-]|\{ports\}|\{gid\})+"),
                   reader.text("why"), sources(reader))


@dc.dataclass(frozen=True)
class Family:
    """A family of RDMA devices.

    Attributes:
        name: mlx5, bnxt_re, ionic, rxe.
        title: for people.
        provider: of libibverbs, as its messages call it.
        drivers: of the PCI function, and of the verbs device where that is no PCI function.
        modules: of the kernel, all of which a verbs device needs.
        pci: vendor and device, four hexadecimal digits each: 15b3:1021; empty: it is made of software.
        environment: for programs.
    """

    name: str
    title: str
    provider: str
    drivers: tuple[str, ...]
    modules: tuple[str, ...]
    pci: tuple[str, ...]
    environment: tuple[Variable, ...]
    sources: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """Unique over all families."""
        return self.name

    @classmethod
    def read(cls, reader: Reader) -> Family:
        """What is in a file of kind rdma_family."""
        return cls(reader.text("name", pattern=NAME), reader.text("title"), reader.text("provider", pattern=NAME),
                   reader.texts("drivers", pattern=_MODULE), reader.texts("modules", pattern=_MODULE),
                   reader.texts("pci", (), r"[0-9a-f]{4}:[0-9a-f]{4}"),
                   reader.records("environment", Variable.read, []), sources(reader))


@dc.dataclass(frozen=True)
class Stack:
    """User space of RDMA from one hand.

    Attributes:
        packages: package manager -> name of a source, whose packages have one version -> its packages.
        mark: pattern that tells its packages from those of other hands by their versions; empty: there is none.
    """

    name: str
    packages: t.Mapping[str, t.Mapping[str, tuple[str, ...]]]
    mark: str
    sources: tuple[str, ...]

    @property
    def id(self) -> str:
        """Unique over all stacks."""
        return self.name

    @classmethod
    def read(cls, reader: Reader) -> Placed[Stack]:
        """One record of ``stacks``, with its place."""
        return reader.path, cls(reader.text("name", pattern=NAME), reader.record("packages", _managers),
                                _pattern(reader, "mark"), sources(reader))


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


@dc.dataclass(frozen=True)
class Text:
    """What is said where something is not as it should be."""

    id: str
    verdict: str
    domain: str
    cause: Cause

    @classmethod
    def read(cls, reader: Reader) -> Placed[Text]:
        """One record of ``checks``, with its place."""
        return reader.path, cls(reader.text("id", pattern=ID), reader.choice("verdict", _VERDICTS),
                                reader.choice("domain", ("fabric", "configuration", "packages")), cause(reader))


def cause(reader: Reader) -> Cause:
    """Why something matters and what to do."""
    return Cause(reader.text("why"), reader.text("remedy"), sources(reader), reader.choice("confidence", CONFIDENCES))
