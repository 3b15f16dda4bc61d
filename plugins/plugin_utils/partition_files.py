# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Reads what is known of partitions, on the controller: our directory, then those of the site.

A document is plain data: ``{path, data, layer}``. ``layer`` is 0 for our files and counts the site's directories from
1; documents come lowest layer first. A product or a profile of a later directory replaces that of the same name.
"""

from __future__ import annotations

import functools
import pathlib
import typing as t

from ..module_utils._core.errors import DataError, FleetError
from ..module_utils._core.near import nearest
from ..module_utils._core.partition.profile import Profile
from . import strict_yaml

OWN = pathlib.Path(__file__).resolve().parents[2] / "roles/gpu_partition/files/partitioning"
FOLDERS = (".", "profiles")
VARIABLE = "gpu_partition_catalogue_dirs"
CAPABILITIES = ("partition_products", "partition_drivers")
PROFILE = "partition_profile"
KINDS = (*CAPABILITIES, PROFILE)

Document = dict[str, t.Any]


def capabilities(directories: t.Sequence[str] = ()) -> list[Document]:
    """Documents of products and drivers, for ``read_capabilities``. Do not change them: they are read once.

    Raises:
        FleetError: a directory or file cannot be read, or is of no kind; the message names the file.
    """
    return [document for document in _read(tuple(directories)) if document["data"]["kind"] in CAPABILITIES]


def profile(directories: t.Sequence[str], name: str) -> Document:
    """The document of the profile of that name, of the last directory that has one.

    Raises:
        FleetError: as of ``capabilities``; no profile has the name, two of one directory have it, or one has none.
    """
    found = profiles(directories)
    if name not in found:
        near = nearest(name.lower(), found)
        hint = f"did you mean {near}, of " if near else "choose one of "
        raise FleetError("gpu_partition_profile", f"there is no profile {name!r}", hint + ", ".join(found))
    return found[name]


def chosen(directories: t.Sequence[str], name: str, rules: t.Sequence[t.Any], prefix: str = "") -> Profile | None:
    """What a name or rules ask for; None where there is neither. ``prefix``: of the variables that they are in.

    Raises:
        FleetError: as of ``profile``; both are given, or what is given is not of its form.
    """
    if name and rules:
        raise FleetError(f"{prefix}profile", f"is set, and so is {prefix}gpus", "set one of them")
    if rules:
        return Profile.inline(list(rules), f"{prefix}gpus")
    if not name:
        return None
    document = profile(directories, name)
    return Profile.from_document(document["data"], document["path"])


def profiles(directories: t.Sequence[str] = ()) -> dict[str, Document]:
    """All profiles by name, in the order of names. Errors as of ``profile``."""
    found: dict[str, Document] = {}
    for document in _read(tuple(directories)):
        if document["data"]["kind"] == PROFILE:
            name, path = document["data"].get("name"), document["path"]
            if not isinstance(name, str) or not name:
                raise DataError(f"{path}: name", "is missing or no text", "name the profile")
            if name in found and found[name]["layer"] == document["layer"]:
                raise DataError(f"{path}: name", f"{name!r} is also that of {found[name]['path']}", "rename one")
            found[name] = document
    return dict(sorted(found.items()))


@functools.cache
def _read(directories: tuple[str, ...]) -> tuple[Document, ...]:
    return tuple(map(_checked, strict_yaml.documents(OWN, directories, VARIABLE, FOLDERS)))


def _checked(document: Document) -> Document:
    path = document["path"]
    if not isinstance(document["data"], dict):
        raise DataError(path, "is not a mapping", "write version, kind and records")
    kind = document["data"].get("kind")
    if kind not in KINDS:
        raise DataError(f"{path}: kind", f"is {kind!r}", f"choose one of {', '.join(KINDS)}")
    return document
