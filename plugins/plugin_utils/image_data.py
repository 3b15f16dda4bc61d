# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Definitions of images, read on the controller, our directory first, and resolved with what the site says."""

from __future__ import annotations

import functools
import pathlib
import typing as t

from ..module_utils._core import near
from ..module_utils._core.errors import DataError, FleetError
from ..module_utils._core.image import definition as written
from ..module_utils._core.image import pins, stack_packages
from ..module_utils._core.image.definition import Definition
from ..module_utils._core.image.release_packages import Released, released
from ..module_utils._core.image.resolve import Site, asks, resolve
from ..module_utils._core.image.shape import Image, Parent
from ..module_utils._core.image.stack_packages import Stacked
from ..module_utils._core.image.wants import wants
from ..module_utils._core.rdma.catalogue import Catalogue
from ..module_utils._core.release.policy import Policy
from ..module_utils._core.strict import Reader
from . import rdma_data, strict_yaml
from .catalogue_files import catalogue

OWN = pathlib.Path(__file__).resolve().parents[2] / "roles/rocm_image/files/images"
VARIABLE = "rocm_image_catalogue_dirs"
Options = t.Mapping[str, t.Any]


@functools.cache
def definitions(directories: tuple[str, ...] = ()) -> dict[str, Definition]:
    """What our directory and ``directories`` hold, by name; later ones win. Read once per process.

    Raises:
        FleetError: a directory or file cannot be read, or is not right; the message names file and path.
    """
    return written.definitions(strict_yaml.documents(OWN, directories, VARIABLE))


def image(args: Options) -> Image:
    """The image that is asked for. ``args``: options of rocm_image_build.

    Raises:
        FleetError: there is none of that name, or something of it is open or does not fit.
    """
    there = definitions(tuple(args["catalogue_dirs"]))
    name = str(args["definition"])
    if name not in there:
        raise FleetError("rocm_image_definition", f"there is no image {name!r}", near.hint(name, there))
    found = there[name]
    rdma = Catalogue.from_documents(rdma_data.documents(tuple(args["rdma_catalogue_dirs"])))
    needs = wants(str(args["release"]), args["gfx"], int(args["render_gid"]), dict(args["verbs"]),
                  [family.provider for family in rdma.families.values()])
    stacked = Stacked(_versions(args["rdma_versions"]), stack_packages.sources(rdma))
    return resolve(found, Site(_parent(args["parent"]), _keys(found), _released(found, args), needs, stacked))


def _parent(raw: Options) -> Parent | None:
    """The base that the site gives."""
    if not raw:
        return None
    reader = Reader(dict(raw), "rocm_image_parent")
    parent = written.parent(reader)
    reader.done()
    return parent


def _versions(raw: Options) -> dict[str, str]:
    """Versions of the nodes' RDMA, each exact."""
    reader = Reader(dict(raw), "rocm_image_rdma_versions")
    found = {str(source): reader.text(source) for source in raw}
    for source, version in found.items():
        try:
            pins.package(f"{source}={version}")
        except DataError as error:
            raise DataError(f"rocm_image_rdma_versions.{source}", error.what, error.hint) from error
    return found


def _keys(found: Definition) -> dict[str, str]:
    """The keys that a definition names, which lie where its file lies."""
    directory = pathlib.Path(found.where).parent
    return {origin.key: _text(directory / origin.key)
            for draft in found.layers for origin in draft.repositories}


def _text(path: pathlib.Path) -> str:
    try:
        return path.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not ASCII"
        raise FleetError(str(path), f"cannot be read: {reason}",
                         "put the armoured key of the repository there") from error


def _released(found: Definition, args: Options) -> Released | None:
    """ROCm of the nodes' release, if a layer asks for it. The release is one of the catalogue, whoever asks."""
    name = str(args["release"])
    if not name:
        return None
    try:
        policy = Policy.from_dict({"accept": list(args["release_accept"]), "mirrors": dict(args["release_mirrors"]),
                                   "keys": dict(args["release_keys"])})
    except DataError as error:  # its keys are the variables without their prefix
        raise DataError(f"rocm_image_release_{error.where.removeprefix('policy: ')}", error.what, error.hint) from error
    try:
        known = catalogue(tuple(args["release_catalogue_dirs"]), name)
        known.release(name, "rocm_image_release")
        return released(known, name, found.os, found.os_version, policy) if asks(found) else None
    except FleetError as error:  # the core names the variables of gpu_release
        where, what, hint = (text.replace("gpu_release_", "rocm_image_release_")
                             for text in (error.where, error.what, error.hint))
        raise FleetError(where, what, hint, error.source) from error
