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
from ..module_utils._core.image.checks import Checks
from ..module_utils._core.image.host import Host
from ..module_utils._core.image.running import address
from ..module_utils._core.look.shape import Look
from ..module_utils._core.rdma.catalogue import Catalogue
from ..module_utils._core.tuning.setting import ENVIRONMENT
from . import catalogue_files, rdma_data, run_arguments, strict_yaml, tuning_data
from .node_data import shortened

OWN = pathlib.Path(__file__).resolve().parents[2] / "roles/container_runtime/files/checks"
VARIABLE = "check_dirs"


@functools.cache
def documents(directories: tuple[str, ...] = ()) -> tuple[dict[str, t.Any], ...]:
    """What our directory and ``directories`` hold, as nodes are given it; later ones win. Read once per process.

    Raises:
        FleetError: a directory or file cannot be read, or is not right; the message names file and path.
    """
    found = list(strict_yaml.documents(OWN, directories, VARIABLE))
    Checks.from_documents(found)
    return tuple(map(shortened, found))


def host(look: Look, releases: tuple[str, ...] = (), rdma: tuple[str, ...] = ()) -> Host:
    """What a node is to images and containers.

    Args:
        look: with ``SECTIONS`` of the core.
        releases, rdma: directories of the site with releases, whose windows and products count, and with RDMA.

    Raises:
        FleetError: a file is not right.
    """
    known = catalogue_files.catalogue(releases, "")  # no release, but all that releases are checked against
    families = Catalogue.from_documents(rdma_data.documents(rdma)).families.values()
    return hosts.of(look, known.products, known.windows,
                    {driver: family.provider for family in families for driver in family.drivers})


def environment(look: Look, gpus: t.Sequence[str], rdma: bool, directories: tuple[str, ...] = (),
                ) -> tuple[dict[str, str], str]:
    """What rocm_run_args gives a container on a node, and what of that is not known, in words.

    Args:
        look: with section host.
        gpus: that it has; none: all.
        directories: of the site, with arguments.

    Raises:
        FleetError: a file is not right.
    """
    names = {address(name) for name in gpus}
    there = [gpu for gpu in (look.gpus.gpus if look.gpus else ()) if gpu.bdf in names or not names]
    several = sum(part.render_node is not None for gpu in there for part in gpu.partitions) > 1
    linked = rdma and bool(look.host and look.host.rdma)
    known = tuning_data.node(look)
    rules = [rule for rule in run_arguments.rules(directories).due(several, linked) if rule.kind == ENVIRONMENT]
    open_ = [rule.name for rule in rules if rule.fits(known.products) is None]
    why = f"whether {', '.join(open_)} is needed depends on GPUs that are not known" if open_ else ""
    if rdma and (look.host is None or "rdma" in look.host.unknown):
        why = "; ".join(filter(None, (why, "what RDMA needs depends on devices that are not known")))
    return {rule.name: rule.value for rule in rules if rule.fits(known.products)}, why
