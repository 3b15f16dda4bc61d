# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Files of records, as faults, preconditions and knobs have them: with a source each, and those of sites over ours."""

from __future__ import annotations

import typing as t

from .errors import DataError
from .strict import Contradiction, Reader

VERSION = "v1"
ID = r"[a-z0-9]+(?:-[a-z0-9]+)*"
GATES = ("fail", "warn", "none")  # what the health gate makes of a finding
Document = t.Mapping[str, t.Any]


class Record(t.Protocol):
    """What all records have."""

    @property
    def id(self) -> str:
        """Unique over all kinds."""


R = t.TypeVar("R", bound=Record)
Placed = tuple[str, R]  # where a record stands, for messages, and the record


def begun(raw: object, path: str, kinds: t.Sequence[str]) -> tuple[Reader, str]:
    """The reader of one file, and its kind; what else is in it is still to be taken.

    Raises:
        DataError: it is no mapping, of another version, or of none of these kinds; the message names file and path.
    """
    reader = Reader(raw, f"{path}:")
    reader.choice("version", (VERSION,))
    return reader, reader.choice("kind", kinds)


def document(reader: Reader) -> dict[str, t.Any]:
    """A file as the control machine read it: path, data, and layer, which is 0 where none is said.

    Raises:
        DataError: it is not of that form.
    """
    return {"path": reader.text("path"), "data": reader.anything("data"), "layer": reader.count("layer") or 0}


def sources(reader: Reader) -> tuple[str, ...]:
    """The key ``sources`` of a record.

    Raises:
        DataError: it is missing or empty.
    """
    found = reader.texts("sources")
    if not found:
        raise DataError(f"{reader.path}.sources", "is empty: a fact without a source is none", "say where it is from")
    return found


def cited(reader: Reader, known: t.Mapping[str, str]) -> tuple[str, ...]:
    """What the names in ``sources`` of a record stand for. ``known``: the sources that its file defines, by name.

    Raises:
        DataError: it is missing or empty.
        Contradiction: the file does not define one.
    """
    names = sources(reader)
    for index, name in enumerate(names):
        if name not in known:
            raise Contradiction(f"{reader.path}.sources[{index}]", f"the file's sources do not define {name!r}",
                                "add it to sources")
    return tuple(known[name] for name in names)


class Layers(t.Generic[R]):
    """Records of many files by id: a later file replaces those of lower layers.

    Attributes:
        placed: each with its place, in order of appearance.
    """

    def __init__(self) -> None:
        self.placed: dict[str, Placed[R]] = {}
        self._layers: dict[str, int] = {}

    def add(self, document: Document, placed: t.Iterable[Placed[R]]) -> None:
        """Take the records of one file, ``{path, data, layer}``.

        Raises:
            Contradiction: a record of that id is in the same layer already.
        """
        layer = int(document.get("layer", 0))
        for path, record in placed:
            if self._layers.get(record.id) == layer:
                raise Contradiction(f"{path}.id", f"{record.id!r} is also {self.placed[record.id][0]}", "rename one")
            self.placed[record.id], self._layers[record.id] = (path, record), layer

    @property
    def by_id(self) -> dict[str, R]:
        """The records alone."""
        return {ident: record for ident, (_path, record) in self.placed.items()}
