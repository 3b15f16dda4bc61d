# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Which settings a host gets: read on the controller, our directory first, and judged by what the node is."""

from __future__ import annotations

import dataclasses as dc
import functools
import pathlib
import typing as t

from ..module_utils._core.errors import FleetError
from ..module_utils._core.knobs import judge
from ..module_utils._core.look.settings import Setting as Place
from ..module_utils._core.look.settings import Settings
from ..module_utils._core.look.shape import Look
from ..module_utils._core.release.products import candidates
from ..module_utils._core.tuning.catalogue import Catalogue
from ..module_utils._core.tuning.choose import Choice, Node, Wish, choose
from ..module_utils._core.tuning.setting import ARGUMENT, ENVIRONMENT, Setting
from . import diagnosis_files, node_data, strict_yaml

OWN = pathlib.Path(__file__).resolve().parents[2] / "roles/host_tuning/files/tuning"
FOLDERS = (".", "profiles")
VARIABLE = "host_tuning_catalogue_dirs"
SECTIONS = ("kernel", "driver", "rocm", "gpus", "host")  # of a look, that decide about settings
_DRIVER = "amdgpu."


@functools.cache
def catalogue(directories: tuple[str, ...] = ()) -> Catalogue:
    """What our directory and ``directories`` hold; later ones win. Read once per process.

    Raises:
        FleetError: a directory or file cannot be read, or is not right; the message names file and path.
    """
    return Catalogue.from_documents(strict_yaml.documents(OWN, directories, VARIABLE, FOLDERS))


def chosen(args: t.Mapping[str, t.Any], look: Look) -> tuple[Choice, tuple[str, ...]]:
    """The settings of a node, and what a person should know of them. ``args``: options of host_tuning.

    Raises:
        FleetError: as of ``catalogue`` and ``choose``; or a setting does nothing on the node.
    """
    wish = Wish(args["profile"], tuple(args["also"]), tuple(args["skip"]),
                {str(ident): str(value) for ident, value in args["values"].items()})
    found = choose(catalogue(tuple(args["catalogue_dirs"])), wish, node(look))
    return found, judged(found.settings, look, "host_tuning")


def node(look: Look) -> Node:
    """What the node is. A GPU of no known product makes all of them unknown."""
    gpus, known, unknown = look.gpus, node_data.products(), ""
    names: set[str] = set()
    for gpu in gpus.gpus if gpus else ():
        products = candidates(known, gpu.device_id, gpu.market_name)
        unknown = unknown if products else f"GPU {gpu.bdf} has the PCI device id {gpu.device_id}, which no product has"
        names |= {product.name for product in products}
    if gpus is None or gpus.unknown.get("gpus"):
        unknown = gpus.unknown["gpus"] if gpus else "no look at them was taken"
    return Node(None if unknown else tuple(sorted(names)), look.host.cpu_vendor if look.host else None, unknown)


def judged(settings: t.Sequence[Setting], look: Look, where: str) -> tuple[str, ...]:
    """What the catalogue of knobs says of environment variables and kernel arguments. ``where``: they come from.

    Raises:
        FleetError: one does nothing on the node, or is not of the form in which it is read.
    """
    places = tuple(Place(setting.name, setting.value, _kind(setting), setting.id) for setting in settings
                   if setting.kind in (ARGUMENT, ENVIRONMENT))
    words = " ".join(setting.word for setting in settings if setting.kind == ARGUMENT)
    kernel = dc.replace(look.kernel, cmdline=words) if look.kernel else None
    notes = []
    for finding in judge.check(Settings(places), dc.replace(look, kernel=kernel), diagnosis_files.read().knobs):
        if finding.severity != "info":
            raise FleetError(where, finding.summary, finding.why.remedy, "; ".join(finding.why.sources))
        notes.append(finding.summary)
    return tuple(notes)


def _kind(setting: Setting) -> str:
    if setting.kind == ENVIRONMENT:
        return "environment"
    return "module_parameter" if setting.name.startswith(_DRIVER) else "kernel_parameter"
