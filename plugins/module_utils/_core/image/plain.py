# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""An image on its way from the control machine to the builder: as plain data, and back."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..strict import Reader
from .shape import Copy, File, Image, Layer, Package, Parent, Python, Repository, Wants, Wheel

T = t.TypeVar("T")


def plain(image: Image) -> dict[str, t.Any]:
    """The image as JSON can hold it."""
    return dc.asdict(image)


def given(raw: object) -> Image:
    """What ``plain`` made.

    Raises:
        DataError: it is not of that form.
    """
    reader = Reader(raw, "image:")
    found = Image(
        reader.text("name"), reader.text("os"), reader.text("os_version"), reader.record("parent", _flat(Parent)),
        tuple(_records(reader, "layers", _layer)), reader.record("wants", _wants), reader.text("source", ""))
    reader.done()
    return found


def _layer(reader: Reader) -> Layer:
    return Layer(
        reader.text("name"), tuple(_records(reader, "packages", _flat(Package))),
        tuple(_records(reader, "repositories", _flat(Repository))), tuple(_records(reader, "files", _flat(File))),
        tuple(_list(reader, "run")), reader.texts_by_name("environment"), reader.count("budget_bytes") or 0,
        tuple(_records(reader, "copies", lambda r: Copy(r.text("image"), tuple(_list(r, "paths"))))),
        None if reader.anything("python") is None else reader.record("python", _python))


def _python(reader: Reader) -> Python:
    packages = tuple(_records(reader, "packages",
                              lambda r: Wheel(r.text("name"), r.text("version"), tuple(_list(r, "hashes")))))
    return Python(packages, reader.text("interpreter"), reader.text("venv", ""), reader.text("index"))


def _wants(reader: Reader) -> Wants:
    gid = reader.anything("render_gid")
    verbs = t.cast("dict[str, int]", reader.anything("verbs"))
    return Wants(
        reader.text("release", ""), reader.text("rocm", ""), tuple(_list(reader, "gfx")),
        None if gid is None else reader.count("render_gid"), {str(name): int(abi) for name, abi in verbs.items()},
        reader.text("machine", ""))


def _flat(cls: type[T]) -> t.Callable[[Reader], T]:
    """Reads a dataclass that holds texts alone."""
    names = [field.name for field in dc.fields(t.cast("t.Any", cls))]
    return lambda reader: cls(**{name: reader.text(name, "") for name in names})


def _list(reader: Reader, key: str) -> list[t.Any]:
    """A list, or the tuple that JSON would make one of."""
    return list(t.cast("t.Sequence[t.Any]", reader.anything(key)))


def _records(reader: Reader, key: str, parse: t.Callable[[Reader], T]) -> t.Iterator[T]:
    for index, raw in enumerate(_list(reader, key)):
        below = Reader(raw, f"{reader.path} {key}[{index}]")
        yield parse(below)
        below.done()
