# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Reads what diagnosis and the health gate know, on the controller: our directory, then those of the site.

A document is plain data: ``{path, data, layer}``. ``layer`` is 0 for our files and counts the site's directories from
1; documents come lowest layer first, so that a record of a later one replaces that of the same id.
"""

from __future__ import annotations

import contextlib
import dataclasses as dc
import functools
import pathlib
import typing as t

from ..module_utils._core.errors import DataError, FleetError
from ..module_utils._core.faults.catalogue import FaultCatalogue
from .strict_yaml import files_of, load

OWN = pathlib.Path(__file__).resolve().parents[2] / "roles/gpu_health/files/diagnosis"
FOLDERS = (".", "faults", "profiles")
VARIABLE = "gpu_health_catalogue_dirs"
KINDS = ("faults", "marks", "preconditions", "knobs", "health_profile", "joints")

Document = dict[str, t.Any]


@dc.dataclass(frozen=True)
class DiagnosisData:
    """All that is known, site over ours. Documents are for the packages of the core that read them strictly.

    ``logs`` are the documents that ``faults`` was made from, with ``also``: what a node needs to make it anew.
    """

    faults: FaultCatalogue
    logs: tuple[Document, ...]
    also: frozenset[str]
    preconditions: tuple[Document, ...]
    knobs: tuple[Document, ...]
    profiles: tuple[Document, ...]
    joints: tuple[Document, ...]


@functools.cache
def read(directories: tuple[str, ...] = ()) -> DiagnosisData:
    """What our directory and ``directories`` hold; later ones win. Read once per process: do not change the result.

    Raises:
        FleetError: a directory or file cannot be read, or is not right; the message names file and path.
    """
    found: dict[str, list[Document]] = {kind: [] for kind in KINDS}
    ids: set[str] = set()
    for layer, files in enumerate((_once(OWN), *map(_files, map(pathlib.Path, directories)))):
        for path, data in files:
            found[_kind(data, path)].append({"path": str(path), "data": data, "layer": layer})
            ids |= _ids(data)
    logs = (*found["faults"], *found["marks"])
    return DiagnosisData(
        faults=FaultCatalogue.from_documents(logs, ids),
        logs=logs,
        also=frozenset(ids),
        preconditions=tuple(found["preconditions"]),
        knobs=tuple(found["knobs"]),
        profiles=tuple(found["health_profile"]),
        joints=tuple(found["joints"]),
    )


def ahead() -> None:
    """Read what is ours before Ansible forks a process for each task of each host, so that none of them reads it.

    What is wrong with it is told by who uses it.
    """
    with contextlib.suppress(FleetError):
        read()


@functools.cache
def _once(directory: pathlib.Path) -> list[tuple[pathlib.Path, t.Any]]:
    """Files that are read once whatever directories a site adds: ours."""
    return _files(directory)


def _files(directory: pathlib.Path) -> list[tuple[pathlib.Path, t.Any]]:
    return [(path, load(path, VARIABLE)) for path in files_of(directory, FOLDERS, VARIABLE)]


def _kind(data: t.Any, path: pathlib.Path) -> str:
    if not isinstance(data, dict):
        raise DataError(str(path), "is not a mapping", "write version, kind and records")
    kind = data.get("kind")
    if kind not in KINDS:
        raise DataError(f"{path}: kind", f"is {kind!r}", f"choose one of {', '.join(KINDS)}")
    return str(kind)


def _ids(data: dict[t.Any, t.Any]) -> set[str]:
    """Ids that faults may explain besides those of faults, which are checked where they are read."""
    if data["kind"] in ("faults", "marks"):
        return set()
    lists = (value for value in data.values() if isinstance(value, list))
    named = (value for key, value in data.items() if key in ("checks", "active") and isinstance(value, dict))
    return {str(item["id"]) for records in lists for item in records if isinstance(item, dict) and "id" in item} \
        | {str(name) for names in named for name in names}
