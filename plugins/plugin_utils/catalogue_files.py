# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Reads catalogue directories on the controller: ours, then those of the site, whose records replace ours by name."""

from __future__ import annotations

import contextlib
import functools
import json
import pathlib
import typing as t

from ..module_utils._core.errors import DataError, FleetError
from ..module_utils._core.release.catalogue import Catalogue, read_document
from .strict_yaml import files_of, load

try:
    import jsonschema
    import referencing
except ImportError:  # the controller need not have them: the strict reader accepts exactly what the schemas accept
    jsonschema = None

OWN = pathlib.Path(__file__).resolve().parents[2] / "roles/gpu_release/files/catalogue"
SCHEMAS = OWN / "schema"
FOLDERS = (".", "windows", "releases")
VARIABLE = "gpu_release_catalogue_dirs"


@functools.cache
def read(
    directories: tuple[str, ...] = (), name: str | None = None, schema: bool = False, also: tuple[str, ...] = (),
) -> dict[str, t.Any]:
    """The files of our directory and of ``directories``: what ``Catalogue.from_dict`` takes. Do not change the result.

    Args:
        directories: site directories; later ones win.
        name: read only this release's file, besides everything that releases are checked against.
        schema: also validate by JSON Schema, if the controller has the library.
        also: further releases to read if ``name`` is one.

    Raises:
        FleetError: a directory or file cannot be read, or is not right; the message names file and path.
    """
    files: list[dict[str, t.Any]] = []
    names: set[str] = set()
    for directory in (OWN, *map(pathlib.Path, directories)):
        for path in files_of(directory, FOLDERS, VARIABLE):
            if path.parent.name == "releases":
                names.add(path.stem)
                if name not in (None, path.stem) and path.stem not in also:
                    continue
            document = _own if directory == OWN and path.parent.name != "releases" else _document
            files.append({"path": str(path), "data": document(path, schema)})
    return {"files": files, "names": sorted(names)}


@functools.cache
def catalogue(
    directories: tuple[str, ...] = (), name: str | None = None, also: tuple[str, ...] = (),
) -> Catalogue:
    """The catalogue, parsed once per process; arguments and errors as of ``read``."""
    return Catalogue.from_dict(read(directories, name, also=also))


@functools.cache
def _own(path: pathlib.Path, schema: bool) -> t.Any:
    return _document(path, schema)


def ahead() -> None:
    """Read those files of ours that every release is checked against. What is wrong with them is told by who uses them.

    Ansible forks a process for each task of each host: what was read before that, none of them reads.
    """
    with contextlib.suppress(FleetError):
        for path in files_of(OWN, FOLDERS[:-1], VARIABLE):
            _own(path, False)


def _document(path: pathlib.Path, schema: bool) -> t.Any:
    data = load(path, VARIABLE)
    if schema and jsonschema:
        _validate(data, path)
    for release in read_document(data, str(path)).get("releases", ()):
        if release.name != path.stem:
            raise DataError(f"{path}: release.name", f"is {release.name!r}", f"name the file {release.name}.yml")
    return data


def _validate(data: t.Any, path: pathlib.Path) -> None:
    kind = data.get("kind") if isinstance(data, dict) else None
    validator = validators().get(kind) if isinstance(kind, str) else None
    if validator is None:
        return  # the strict reader says what is wrong
    error = jsonschema.exceptions.best_match(validator.iter_errors(data))
    if error:
        parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.absolute_path)
        raise DataError(f"{path}: {''.join(parts).lstrip('.')}".rstrip(": "), error.message)


@functools.cache
def validators() -> dict[str, t.Any]:
    """A JSON Schema validator for each kind of file."""
    schemas = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in SCHEMAS.glob("*.schema.json")}
    registry = referencing.Registry().with_resources(
        (name, referencing.Resource.from_contents(content)) for name, content in schemas.items())
    return {name.removesuffix(".schema.json"): jsonschema.Draft202012Validator(content, registry=registry)
            for name, content in schemas.items()}
