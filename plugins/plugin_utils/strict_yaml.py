# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Reads YAML files of a catalogue directory strictly: one name ending, no key twice, nothing evaluated."""

from __future__ import annotations

import pathlib
import typing as t

import yaml

from ..module_utils._core.errors import FleetError


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Safe, and strict about a key that is there twice."""


def _mapping(loader: t.Any, node: yaml.MappingNode) -> dict[t.Any, t.Any]:
    pairs = loader.construct_pairs(node, deep=True)
    keys = [key for key, _value in pairs]
    for index, (where, _node) in enumerate(node.value):
        if keys[index] in keys[:index]:
            raise yaml.MarkedYAMLError(problem=f"key {keys[index]!r} is there twice", problem_mark=where.start_mark)
    return dict(pairs)


_Loader.add_constructor("tag:yaml.org,2002:map", _mapping)


def files_of(directory: pathlib.Path, folders: t.Iterable[str], variable: str) -> list[pathlib.Path]:
    """The files of a catalogue directory, folder by folder, in order of their names.

    Args:
        directory: where they are.
        folders: below it; one that is not there has none.
        variable: that names the directory, for messages.

    Raises:
        FleetError: the directory is none, or a file ends as other tools would have it.
    """
    if not directory.is_dir():
        raise FleetError(variable, f"{directory} is not a directory", "name existing directories")
    found = []
    for folder in folders:
        for path in sorted((directory / folder).glob("*")):
            if path.suffix in (".yaml", ".json"):
                raise FleetError(str(path), "is not read: catalogue files end in .yml", "rename it")
            if path.suffix == ".yml":
                found.append(path)
    return found


def documents(own: pathlib.Path, directories: t.Iterable[str], variable: str, folders: t.Sequence[str] = (".",),
              ) -> t.Iterator[dict[str, t.Any]]:
    """What our directory and those of the site hold, file by file: path, data, and layer, of which ours is 0.

    Args:
        own: our directory.
        directories: of the site; later ones are higher layers.
        variable: that names them, for messages.
        folders: below each directory.

    Raises:
        FleetError: as of ``files_of`` and ``load``.
    """
    for layer, directory in enumerate((own, *map(pathlib.Path, directories))):
        for path in files_of(directory, folders, variable):
            yield {"path": str(path), "data": load(path, variable), "layer": layer}


def load(path: pathlib.Path, variable: str) -> t.Any:
    """What a file holds.

    Raises:
        FleetError: it cannot be read, or is not YAML; the message names the file and ``variable``.
    """
    try:
        return yaml.load(path.read_text(encoding="utf-8"), Loader=_Loader)  # noqa: S506 (a subclass of the safe loader)
    except (OSError, UnicodeDecodeError, yaml.YAMLError, RecursionError) as error:
        raise FleetError(str(path), f"cannot be read: {_complaint(error)}",
                         f"mend the file, or take its directory out of {variable}") from error


def _complaint(error: Exception) -> str:
    """What the file system or the reader of YAML says, in a few words and with the line."""
    if isinstance(error, OSError):
        return error.strerror or str(error)
    if isinstance(error, UnicodeDecodeError):
        return f"byte {error.start} is not UTF-8"
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    mark, problem = getattr(error, "problem_mark", None), getattr(error, "problem", None)
    return f"{problem or error}, line {mark.line + 1}" if mark else " ".join(str(error).split())
