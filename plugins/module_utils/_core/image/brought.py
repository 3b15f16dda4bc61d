# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What a layer is brought besides packages: files of the builder, and paths of other images."""

from __future__ import annotations

import typing as t

from ..errors import DataError
from ..strict import Contradiction, Reader
from . import pins
from .shape import Copy, File

# A path that a Containerfile and a shell take as it is.
PATH = r"/(?:[A-Za-z0-9_+@%=:,.-]+/)*[A-Za-z0-9_+@%=:,.-]+"


def file(reader: Reader) -> File:
    """One record of ``files``."""
    found = File(reader.text("source", pattern=PATH), reader.read("digest", pins.digest),
                 reader.text("path", pattern=PATH),
                 reader.text("mode", None if reader.has("mode") else "0644", r"0[0-7]{3}"))
    whole(f"{reader.path}.path", found.path)
    return found


def copy(reader: Reader) -> Copy:
    """One record of ``copy``."""
    found = Copy(reader.read("image", pins.image).image, reader.texts("paths", pattern=PATH))
    if not found.paths:
        raise DataError(f"{reader.path}.paths", "is empty", "name what is taken from the image")
    for index, path in enumerate(found.paths):
        whole(f"{reader.path}.paths[{index}]", path)
    return found


def whole(where: str, path: str) -> str:
    """The path, if it says where something is.

    Raises:
        DataError: it has . or .. in it.
    """
    if {".", ".."} & set(path.split("/")):
        raise DataError(where, f"is {path!r}, which does not say where the file is",
                        "write the whole path, without . and ..")
    return path


def apart(where: str, paths: t.Sequence[str]) -> None:
    """Refuse files of one path, and one that would have to be the folder of another.

    Raises:
        Contradiction: there are such.
    """
    for index, path in enumerate(paths):
        if path in paths[:index]:
            raise Contradiction(where, f"two files are {path}", "remove one")
        if any(other.startswith(f"{path}/") for other in paths):
            raise Contradiction(where, f"{path} is a file and the folder of another",
                                "write the whole path of the file")
