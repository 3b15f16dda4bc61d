# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""A definition as it is written in a file: layers, what each holds, and what they stand on. Nothing is resolved yet."""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t

from ..errors import DataError
from ..records import ID, Document, Layers, begun
from ..release.repositories import OS_TITLES, without_user
from ..release.versions import RocmVersion
from ..strict import Contradiction, Reader
from . import brought, commands, pins, python
from .brought import PATH
from .shape import Copy, File, Package, Parent, Python

KIND = "image"
RELEASE, STACK = "release.rocm", "stack.rdma"  # what a layer may name in ``from``
_URI = r"[a-z][a-z0-9+.-]*:///?[^\s{}]+"
_WORD = r"[A-Za-z0-9_./-]+"
# What a Containerfile and a shell take as it is, within quotes.
_VARIABLE = r"[A-Za-z_][A-Za-z0-9_]*"
_VALUE = r"[^\x00-\x1f\x7f]+"
# What lets somebody in: of the web any user, of whatever else a password. git@ of ssh lets nobody in.
_SECRET = re.compile(r"(?<=://)(?:(?<=https://)|(?<=http://)|[^/?#@]*:)[^/?#]*@", re.IGNORECASE)
_MIB = 1024 * 1024


@dc.dataclass(frozen=True)
class Origin:
    """A repository that a layer names. ``key`` is the path of its key, from the directory of the definition."""

    name: str
    uri: str
    suite: str
    components: tuple[str, ...]
    key: str
    fingerprint: str

    @classmethod
    def read(cls, reader: Reader) -> Origin:
        """One record of ``repositories``."""
        found = cls(reader.text("name", pattern=ID), reader.text("uri", pattern=_URI), reader.text("suite", "", _WORD),
                    reader.texts("components", (), _WORD), reader.text("key"), reader.text("fingerprint"))
        reader.read("uri", without_user)
        return found


@dc.dataclass(frozen=True)
class Draft:
    """One layer.

    Attributes:
        parent: name of the layer below; empty: the lowest.
        origin: RELEASE, STACK, or empty: where its packages come from, or what holds their versions.
    """

    name: str
    parent: str = ""
    origin: str = ""
    packages: tuple[Package, ...] = ()
    repositories: tuple[Origin, ...] = ()
    files: tuple[File, ...] = ()
    run: tuple[str, ...] = ()
    environment: t.Mapping[str, str] = dc.field(default_factory=dict)
    budget_bytes: int = 0
    copies: tuple[Copy, ...] = ()
    python: Python | None = None

    @classmethod
    def read(cls, reader: Reader) -> Draft:
        """One record of ``layers``."""
        origin = reader.choice("from", ("", RELEASE, STACK), "")
        found = cls(
            reader.text("name", pattern=ID), reader.text("parent", "", ID), origin,
            reader.read_all("packages", pins.named if origin == STACK else pins.package, ()),
            reader.records("repositories", Origin.read, []), reader.records("files", brought.file, []),
            _commands(reader), _environment(reader), (reader.count("budget_mib") or 0) * _MIB,
            reader.records("copy", brought.copy, []),
            reader.record("python", python.read) if reader.has("python") else None)
        names = [package.name for package in found.packages]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise Contradiction(f"{reader.path}.packages", f"{twice[0]} is pinned to two versions", "remove one")
        brought.apart(f"{reader.path}.files", [file.path for file in found.files])
        if (found.repositories or found.origin) and not names:
            what = "stacks" if origin == STACK else "repositories"
            raise DataError(f"{reader.path}.packages", f"is empty, and {what} serve packages alone", "name packages")
        return found


@dc.dataclass(frozen=True)
class Definition:
    """An image as it is written.

    Attributes:
        where: its file, for messages.
        parent: None: the site gives it.
        rocm: version of its user space where that is not of a release; empty: none.
        source: where the definition is kept, for a label.
    """

    where: str
    name: str
    os: str
    os_version: str
    parent: Parent | None
    layers: tuple[Draft, ...]
    rocm: str = ""
    source: str = ""

    @property
    def id(self) -> str:
        """Unique over all images."""
        return self.name

    @classmethod
    def read(cls, reader: Reader) -> Definition:
        """What is in a file of this kind."""
        reader.text("description", "")
        os, version = reader.record("os", lambda r: (r.choice("id", tuple(OS_TITLES)),
                                                     r.text("version", pattern=r"\d+(?:\.\d+)*")))
        found = cls(
            reader.path.rstrip(":"), reader.text("name", pattern=ID), os, version,
            reader.record("parent", parent) if reader.has("parent") else None,
            reader.records("layers", Draft.read), reader.text("rocm", ""),
            reader.text("source", "", _VALUE))
        if found.rocm:
            reader.read("rocm", RocmVersion.parse)
        if _SECRET.search(found.source):
            raise DataError(f"{found.where}: source", "is written with a user or password, and everybody may read the "
                            "labels of an image", "leave them out")
        if not found.layers:
            raise DataError(f"{found.where}: layers", "is empty", "name layers")
        return found


def parent(reader: Reader) -> Parent:
    """What the lowest layer stands on.

    Raises:
        DataError: it is not pinned by a digest.
    """
    if reader.has("image"):
        return reader.read("image", pins.image)
    return Parent(archive=reader.text("archive", pattern=PATH), digest=reader.read("digest", pins.digest))


def definitions(documents: t.Iterable[Document]) -> dict[str, Definition]:
    """All definitions by name, from ``{path, data, layer}`` of each file, lowest layer first.

    Raises:
        DataError: a file is not right; the message names file and path.
    """
    found: Layers[Definition] = Layers()
    for document in documents:
        reader, _kind = begun(document["data"], document["path"], (KIND,))
        found.add(document, [(reader.path.rstrip(":"), Definition.read(reader))])
        reader.done()
    return found.by_id


def _commands(reader: Reader) -> tuple[str, ...]:
    return tuple(commands.refuse(f"{reader.path}.run[{index}]", command)
                 for index, command in enumerate(reader.texts("run", ())))


def _environment(reader: Reader) -> dict[str, str]:
    found = reader.texts_by_name("environment")
    for name, value in found.items():
        if not re.fullmatch(_VARIABLE, name, re.ASCII) or not re.fullmatch(_VALUE, value):
            raise DataError(f"{reader.path}.environment.{name}", f"is {value!r}, which is no line for a variable",
                            "write a name of letters, digits and _, and a value of one line")
    return found
