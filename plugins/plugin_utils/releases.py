# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""From the variables of gpu_release to the release resolved for one node."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Look
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.resolve import Policy, resolve
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.resolved import Resolved
from ansible_collections.instinct.fleet.plugins.plugin_utils.catalogue_files import catalogue


@dc.dataclass(frozen=True)
class Choices:
    """What variables of other roles say about a release: Policy tells what each means."""

    driver_source: str = "dkms"
    driver_stays: bool = False
    components: tuple[str, ...] = ()
    side_by_side: tuple[str, ...] = ()

    @classmethod
    def of(cls, values: t.Mapping[str, t.Mapping[str, t.Any]], roles: t.Collection[str]) -> Choices:
        """From the variables of all roles, and the roles that will run."""
        rocm = values["rocm_userspace"]
        return cls(values["gpu_driver"]["gpu_driver_source"], "gpu_driver" not in roles,
                   tuple(rocm["rocm_userspace_components"]), tuple(rocm["rocm_userspace_side_by_side"]))


def resolve_release(look: Look, values: t.Mapping[str, t.Any], choices: Choices) -> Resolved:
    """The release that ``gpu_release_name`` names, checked for this node.

    Raises:
        FleetError: the release is unknown or a rule is broken.
    """
    name = values["gpu_release_name"]
    try:
        policy = Policy.from_dict({
            "accept": values["gpu_release_accept"], "mirrors": values["gpu_release_mirrors"],
            "keys": values["gpu_release_keys"], "kernel": values["gpu_release_kernel"] or "",
            "driver_source": choices.driver_source, "driver_stays": choices.driver_stays,
            "components": list(choices.components), "side_by_side": list(choices.side_by_side),
        })
    except DataError as error:  # its keys are the variables without their prefix
        key = error.where.removeprefix("policy: ")
        prefix = "rocm_userspace" if key.startswith(("components", "side_by_side")) else "gpu_release"
        raise DataError(f"{prefix}_{key}", error.what, error.hint) from error
    directories = tuple(values["gpu_release_catalogue_dirs"])
    return resolve(catalogue(directories, name, choices.side_by_side), name, look, policy)
