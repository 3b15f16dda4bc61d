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
from . import pins
from .shape import File, Package, Parent

KIND = "image"
RELEASE = "release.rocm"  # what a layer may name in ``from``
_PATH = r"/(?:[A-Za-z0-9_+@%=:,.-]+/)*[A-Za-z0-9_+@%=:,.-]+"
_URI = r"[a-z][a-z0-9+.-]*:///?[^\s{}]+"
_WORD = r"[A-Za-z0-9_./-]+"
# What a Containerfile and a shell take as it is, within quotes.
_VARIABLE = r"[A-Za-z_][A-Za-z0-9_]*"
_VALUE = r"[^\x00-\x1f\x7f]+"
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
    """One layer. ``parent``: name of the layer below; empty: the lowest. ``release``: packages of ROCm's release."""

    name: str
    parent: str = ""
    release: bool = False
    packages: tuple[Package, ...] = ()
    repositories: tuple[Origin, ...] = ()
    files: tuple[File, ...] = ()
    run: tuple[str, ...] = ()
    environment: t.Mapping[str, str] = dc.field(default_factory=dict)
    budget_bytes: int = 0

    @classmethod
    def read(cls, reader: Reader) -> Draft:
        """One record of ``layers``."""
        found = cls(
            reader.text("name", pattern=ID), reader.text("parent", "", ID),
            bool(reader.choice("from", ("", RELEASE), "")),
            reader.read_all("packages", pins.package, ()), reader.records("repositories", Origin.read, []),
            reader.records("files", _file, []), reader.texts("run", ()),
            _environment(reader), (reader.count("budget_mib") or 0) * _MIB)
        names = [package.name for package in found.packages]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise Contradiction(f"{reader.path}.packages", f"{twice[0]} is pinned to two versions", "remove one")
        if (found.repositories or found.release) and not names:
            raise DataError(f"{reader.path}.packages", "is empty, and repositories serve packages alone",
                            "name packages")
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
    return Parent(archive=reader.text("archive", pattern=_PATH), digest=reader.read("digest", pins.digest))


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


def _file(reader: Reader) -> File:
    return File(reader.text("source", pattern=_PATH), reader.read("digest", pins.digest),
                reader.text("path", pattern=_PATH),
                reader.text("mode", None if reader.has("mode") else "0644", r"0[0-7]{3}"))


def _environment(reader: Reader) -> dict[str, str]:
    found = reader.texts_by_name("environment")
    for name, value in found.items():
        if not re.fullmatch(_VARIABLE, name, re.ASCII) or not re.fullmatch(_VALUE, value):
            raise DataError(f"{reader.path}.environment.{name}", f"is {value!r}, which is no line for a variable",
                            "write a name of letters, digits and _, and a value of one line")
    return found
