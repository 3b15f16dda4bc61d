# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action plugin gpu_partition: see plugins/modules/gpu_partition.py for its documentation."""

from __future__ import annotations

import getpass
import typing as t

from ansible.plugins.action import ActionBase

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.modules.gpu_partition import SPEC
from ansible_collections.instinct.fleet.plugins.plugin_utils import partition_data

Result = dict[str, t.Any]


class ActionModule(ActionBase):
    """Read profile and products on the controller, and let the node do the rest."""

    TRANSFERS_FILES = False

    def run(self, tmp: t.Any = None, task_vars: Result | None = None) -> Result:
        """Return what the module does."""
        result = super().run(tmp, task_vars)
        _valid, args = self.validate_argument_spec(SPEC)
        given = {name: value for name, value in args.items() if value is not None}
        given["actor"] = args["actor"] or getpass.getuser()
        try:
            given["capability_data"] = partition_data.capabilities(args["catalogue_dirs"])
            document = partition_data.profile(args["catalogue_dirs"], args["profile"])
        except FleetError as error:
            return result | {"failed": True, "msg": error.sentence, "failure": error.to_dict()}
        if document is not None:
            given["profile_data"] = document
        said = self._execute_module("instinct.fleet.gpu_partition", given, task_vars=task_vars)
        said.pop("invocation", None)  # it repeats the catalogue
        return result | said
