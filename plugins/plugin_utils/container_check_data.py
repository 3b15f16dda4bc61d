# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Reads what is checked of images and containers, on the controller: our directory, then those of the site."""

from __future__ import annotations

import functools
import pathlib
import typing as t

from ..module_utils._core.image import host as hosts
from ..module_utils._core.image.argument_rules import ALWAYS, SEVERAL
from ..module_utils._core.image.checks import Checks
from ..module_utils._core.image.host import Host
from ..module_utils._core.look.shape import Look
from ..module_utils._core.rdma.catalogue import Catalogue
from ..module_utils._core.tuning.setting import ENVIRONMENT
from . import catalogue_files, rdma_data, run_arguments, tuning_data
from .node_data import shortened
from .strict_yaml import files_of, load

OWN = pathlib.Path(__file__).resolve().parents[2] / "roles/container_runtime/files/checks"
FOLDERS = (".",)
VARIABLE = "container_runtime_check_dirs"


@functools.cache
def documents(directories: tuple[str, ...] = ()) -> tuple[dict[str, t.Any], ...]:
    """What our directory and ``directories`` hold, as nodes are given it; later ones win. Read once per process.

    Raises:
        FleetError: a directory or file cannot be read, or is not right; the message names file and path.
    """
    found = [{"path": str(path), "data": load(path, VARIABLE), "layer": layer}
             for layer, directory in enumerate((OWN, *map(pathlib.Path, directories)))
             for path in files_of(directory, FOLDERS, VARIABLE)]
    Checks.from_documents(found)
    return tuple(map(shortened, found))


def host(look: Look) -> Host:
    """What a node is to images and containers. ``look``: with ``SECTIONS`` of the core.

    Raises:
        FleetError: a file of ours is not right.
    """
    known = catalogue_files.catalogue((), "")  # no release, but all that releases are checked against
    families = Catalogue.from_documents(rdma_data.documents()).families.values()
    return hosts.of(look, known.products, known.windows,
                    {driver: family.provider for family in families for driver in family.drivers})


def environment(look: Look, gpus: t.Sequence[str], rdma: bool) -> dict[str, str]:
    """What rocm_run_args gives a container on a node. ``gpus``: that it has; none: all. ``look``: with section host.

    Raises:
        FleetError: a file of ours is not right.
    """
    there = look.gpus.gpus if look.gpus else ()
    when = {ALWAYS: True, SEVERAL: len(gpus or there) > 1}
    linked = rdma and bool(look.host and look.host.rdma)
    products = set(tuning_data.node(look).products or ())
    return {rule.name: rule.value for rule in run_arguments.rules().rules
            if rule.kind == ENVIRONMENT and when.get(rule.when, linked)
            and (not rule.products or products & set(rule.products))}
