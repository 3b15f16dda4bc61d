# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What nodes need of quality of service, read on the controller: profiles by name, and what products take.

A document is plain data: ``{path, data, layer}``. ``layer`` is 0 for our files and counts the site's directories from
1; a profile or a product of a later directory replaces that of the same name.
"""

from __future__ import annotations

import functools
import pathlib
import typing as t

from ..module_utils._core.errors import DataError, FleetError
from ..module_utils._core.near import nearest
from ..module_utils._core.qos import products, profile
from ..module_utils._core.qos.schedule import read_schedule
from ..module_utils._qos import data
from . import strict_yaml
from .node_data import product_ids, shortened

OWN = pathlib.Path(__file__).resolve().parents[2] / "roles/gpu_qos/files/qos"
FOLDERS = (".", "profiles")
VARIABLE = "gpu_qos_catalogue_dirs"
KINDS = (products.KIND, profile.KIND)
Plain = dict[str, t.Any]
Options = t.Mapping[str, t.Any]


def known(directories: t.Sequence[str]) -> Plain:
    """What products take, and the PCI ids by which they are known.

    Raises:
        FleetError: a file is not right.
    """
    documents = [shortened(one) for one in _read(tuple(directories)) if one["data"]["kind"] == products.KIND]
    products.read_products(documents)
    return {"documents": documents, "products": product_ids()}


def chosen(options: Options) -> list[Plain]:
    """The documents of all profiles that options name, each of its form.

    Raises:
        FleetError: there is no such profile, a file is not right, or the schedule is none.
    """
    found = _profiles(options["catalogue_dirs"])
    entries = read_schedule(options["schedule"], "gpu_qos_schedule")
    named = dict.fromkeys(filter(None, (options["profile"], *(entry.profile for entry in entries))))
    for name in named:
        if name not in found:
            near = nearest(name.lower(), found)
            hint = f"did you mean {near}, of " if near else "choose one of "
            raise FleetError("gpu_qos_profile", f"there is no profile {name!r}", hint + ", ".join(found))
        profile.Profile.from_document(found[name]["data"], found[name]["path"])
    return [shortened(found[name]) for name in named]


def windows(options: Options) -> list[Plain]:
    """The schedule without what is not said, which a validated list has as null: to a module that is no choice."""
    return [{key: value for key, value in one.items() if value is not None} for one in options["schedule"]]


def agent(directories: t.Sequence[str]) -> Plain:
    """The data file of the command. Errors as of ``known``."""
    return data.plain_known(known(directories))


def intent(options: Options) -> Plain:
    """The intent file of the command. Errors as of ``chosen``."""
    return data.plain_intent(chosen(options), {**options, "schedule": windows(options)})


def _profiles(directories: t.Sequence[str]) -> dict[str, Plain]:
    found: dict[str, Plain] = {}
    for one in _read(tuple(directories)):
        if one["data"]["kind"] == profile.KIND:
            name, path = str(one["data"].get("name")), one["path"]
            if name in found and found[name]["layer"] == one["layer"]:
                raise DataError(f"{path}: name", f"{name!r} is also that of {found[name]['path']}", "rename one")
            found[name] = one
    return dict(sorted(found.items()))


@functools.cache
def _read(directories: tuple[str, ...]) -> tuple[Plain, ...]:
    return tuple(map(_checked, strict_yaml.documents(OWN, directories, VARIABLE, FOLDERS)))


def _checked(document: Plain) -> Plain:
    raw, path = document["data"], document["path"]
    if not isinstance(raw, dict):
        raise DataError(path, "is not a mapping", "write version, kind and the rest")
    if raw.get("kind") not in KINDS:
        raise DataError(f"{path}: kind", f"is {raw.get('kind')!r}", f"choose one of {', '.join(KINDS)}")
    return document
