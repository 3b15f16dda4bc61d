# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Arguments of a container, on the controller: our catalogue, then those of the site, judged by what the node is."""

from __future__ import annotations

import dataclasses as dc
import functools
import pathlib
import re

from ..module_utils._core.errors import DataError, FleetError
from ..module_utils._core.image.argument_rules import Rules
from ..module_utils._core.image.arguments import Argument, Node, Workload, arguments
from ..module_utils._core.look.shape import Look
from ..module_utils._core.partition.cdi import cdi_spec
from ..module_utils._core.partition.layout import layout, refuse_unknown
from ..module_utils._core.partition.reading import read_capabilities
from ..module_utils._core.tuning.setting import ENVIRONMENT, Setting
from . import partition_files, strict_yaml, tuning_data

OWN = pathlib.Path(__file__).resolve().parents[2] / "roles/container_runtime/files/arguments"
VARIABLE = "catalogue_dirs"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


@functools.cache
def rules(directories: tuple[str, ...] = ()) -> Rules:
    """What our directory and ``directories`` hold; later ones win. Read once per process.

    Raises:
        FleetError: a directory or file cannot be read, or is not right; the message names file and path.
    """
    return Rules.from_documents(strict_yaml.documents(OWN, directories, VARIABLE), tuning_data.catalogue().settings)


def chosen(workload: Workload, look: Look, directories: tuple[str, ...] = ()) -> tuple[Argument, ...]:
    """The arguments of a workload on the node that was looked at.

    Raises:
        FleetError: as of ``rules`` and ``arguments``; the GPUs could not be read; or a variable does nothing on them.
    """
    for name, value in workload.environment.items():
        if not _NAME.fullmatch(name) or "\n" in value or "\0" in value:
            raise DataError("environment", f"{name!r} is no variable with a value of one line", "correct it")
    found = arguments(workload, _node(look), rules(directories))
    variables = (one.value.partition("=") for one in found if one.kind == ENVIRONMENT)
    # ROCm of the container is that of its image, whatever the node has.
    tuning_data.judged([Setting(name, ENVIRONMENT, name, value) for name, _equals, value in variables],
                       dc.replace(look, rocm=None), "environment of the container")
    return found


def _node(look: Look) -> Node:
    if look.gpus is None or look.devices is None:
        raise FleetError("look", "has no section gpus, or none of devices", "look with both, and with host for RDMA")
    refuse_unknown(look.gpus)
    devices = layout(look.gpus, read_capabilities(partition_files.capabilities()), None)
    by_name = {device["name"]: tuple(node["path"] for node in device["containerEdits"]["deviceNodes"])
               for device in cdi_spec(devices)["devices"]} if devices else {}
    known, host = tuning_data.node(look), look.host
    ports = None if host is None or "rdma" in host.unknown else tuple(dict.fromkeys(one.device for one in host.rdma))
    return Node(by_name, {one.path: one.gid for one in look.devices.nodes}, look.devices.groups, known.products,
                known.unknown, ports)
