# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action plugin rocm_container_check: see plugins/modules/rocm_container_check.py for its documentation."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ansible.plugins.action import ActionBase

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.image import host
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Look
from ansible_collections.instinct.fleet.plugins.modules.rocm_container_check import LIMITS, SPEC
from ansible_collections.instinct.fleet.plugins.plugin_utils import container_check_data
from ansible_collections.instinct.fleet.plugins.plugin_utils.plain import from_plain

Result = dict[str, t.Any]


class ActionModule(ActionBase):
    """Look at the node, say on the controller what it is, and let it judge what it has."""

    TRANSFERS_FILES = False

    def run(self, tmp: t.Any = None, task_vars: Result | None = None) -> Result:
        """Return what the module says."""
        result = super().run(tmp, task_vars)
        _valid, args = self.validate_argument_spec(SPEC, **LIMITS)
        given = {name: value for name, value in args.items() if value is not None}
        sections = [*host.SECTIONS, *(["host"] if args["container"] else [])]
        seen = self._execute_module("instinct.fleet.gpu_node_info", {"sections": sections}, task_vars=task_vars)
        if "look" not in seen:
            return result | t.cast("Result", seen)
        try:
            given["checks"] = list(container_check_data.documents(tuple(args["check_dirs"])))
            look = from_plain(Look, seen["look"])
            node = container_check_data.host(look, tuple(args["release_catalogue_dirs"]),
                                             tuple(args["rdma_catalogue_dirs"]))
            if args["container"]:
                common, why = container_check_data.environment(look, args["gpus"], args["rdma"],
                                                               tuple(args["catalogue_dirs"]))
                given["environment"] = {**common, **args["environment"]}
                node = dc.replace(node, unknown={**node.unknown, "environment": why}) if why else node
            given["node"] = dc.asdict(node)
        except FleetError as error:
            return result | {"failed": True, "msg": error.sentence, "failure": error.to_dict()}
        said = self._execute_module("instinct.fleet.rocm_container_check", given, task_vars=task_vars)
        said.pop("invocation", None)  # it repeats the checks
        return result | said
