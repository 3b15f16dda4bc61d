# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""How long steps of an upgrade take and how much room they need as a rule, for forecasts and for the pre-flight."""

from __future__ import annotations

import dataclasses as dc
import functools
import typing as t

from ..act.room import MIB, Place, parse_places
from ..errors import DataError
from ..records import Document, begun, cited
from ..release.provenance import CONFIDENCES
from ..strict import Contradiction, Reader

KIND = "rollout_typical"
# What takes time: seconds. A build is of one driver for one kernel; the others are once for a node.
DURATIONS = (
    "look", "snapshot", "build", "packages", "rocm", "initramfs", "load", "reboot", "firmware", "partition", "gate",
)
# What takes room: MiB, where the package manager does not tell or cannot.
SIZES = ("build", "trial", "module", "initramfs", "kernel", "kernel_boot", "driver", "rocm", "spare")
Sources = t.Mapping[str, str]


@dc.dataclass(frozen=True)
class Typical:
    """Attributes: seconds by what and product ("" for any), bytes by what, and where packages put their files."""

    seconds: t.Mapping[tuple[str, str], int]
    sizes: t.Mapping[str, int]
    places: tuple[Place, ...]

    def takes(self, what: str, product: str = "") -> int:
        """Seconds that one of DURATIONS takes with such GPUs."""
        return self.seconds.get((what, product), self.seconds[what, ""])


def read_typical(documents: t.Iterable[Document]) -> Typical:
    """All that the files say; a later one replaces what an earlier one said of the same thing.

    Raises:
        DataError: a file is not of its form, or something is told by none; the message names it.
        Contradiction: a file says two things of one.
    """
    seconds: dict[tuple[str, str], int] = {}
    sizes: dict[str, int] = {}
    places: tuple[Place, ...] = ()
    for document in documents:
        reader, _kind = begun(document["data"], document["path"], (KIND,))
        known = reader.texts_by_name("sources")
        seconds |= _once(reader.records("durations", functools.partial(_duration, known=known), []))
        sizes |= _once(reader.records("sizes", functools.partial(_size, known=known), []))
        rows = reader.records("places", functools.partial(_place, known=known), [])
        places = (*parse_places(rows), *places)
        reader.done()
    for what in (*(f"durations of {w}" for w in DURATIONS if (w, "") not in seconds),
                 *(f"sizes of {w}" for w in SIZES if w not in sizes)):
        raise DataError(KIND, f"says nothing about {what}", "add it to a file of that kind")
    return Typical(seconds, sizes, places)


def _once(rows: t.Iterable[tuple[str, tuple[t.Any, int]]]) -> dict[t.Any, int]:
    found: dict[t.Any, int] = {}
    for path, (key, value) in rows:
        if key in found:
            raise Contradiction(path, "says again what is said above", "remove one")
        found[key] = value
    return found


def _checked(reader: Reader, known: Sources) -> None:
    cited(reader, known)
    reader.choice("confidence", CONFIDENCES)
    reader.text("note", "")


def _number(reader: Reader, key: str) -> int:
    value = reader.count(key)
    if value is None:
        raise DataError(f"{reader.path}.{key}", "is missing", "add it")
    return value


def _duration(reader: Reader, known: Sources) -> tuple[str, tuple[tuple[str, str], int]]:
    _checked(reader, known)
    key = reader.choice("what", DURATIONS), reader.text("product", "")
    return reader.path, (key, _number(reader, "seconds"))


def _size(reader: Reader, known: Sources) -> tuple[str, tuple[str, int]]:
    _checked(reader, known)
    return reader.path, (reader.choice("what", SIZES), _number(reader, "mib") * MIB)


def _place(reader: Reader, known: Sources) -> dict[str, str]:
    _checked(reader, known)
    return {"pattern": reader.text("pattern"), "directory": reader.text("directory", pattern="/.*")}
