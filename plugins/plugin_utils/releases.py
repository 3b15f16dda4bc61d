# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""From the variables of gpu_release to the release resolved for one node."""

from __future__ import annotations

import typing as t

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Look
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.resolve import Policy, resolve
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.resolved import Resolved
from ansible_collections.instinct.fleet.plugins.plugin_utils.catalogue_files import catalogue


def resolve_release(look: Look, values: t.Mapping[str, t.Any], driver_source: str) -> Resolved:
    """The release that ``gpu_release_name`` names, checked for this node.

    Raises:
        FleetError: the release is unknown or a rule is broken.
    """
    name = values["gpu_release_name"]
    try:
        policy = Policy.from_dict({
            "accept": values["gpu_release_accept"], "mirrors": values["gpu_release_mirrors"],
            "keys": values["gpu_release_keys"], "kernel": values["gpu_release_kernel"] or "",
            "driver_source": driver_source,
        })
    except DataError as error:  # its keys are the variables without their prefix
        raise DataError(error.where.replace("policy: ", "gpu_release_", 1), error.what, error.hint) from error
    return resolve(catalogue(tuple(values["gpu_release_catalogue_dirs"]), name), name, look, policy)
