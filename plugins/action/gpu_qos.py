# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action plugin gpu_qos: see plugins/modules/gpu_qos.py for its documentation."""

from __future__ import annotations

import getpass
import typing as t

from ansible.plugins.action import ActionBase

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.modules.gpu_qos import SPEC
from ansible_collections.instinct.fleet.plugins.plugin_utils import qos_data

Result = dict[str, t.Any]


class ActionModule(ActionBase):
    """Read profiles and products on the controller, and let the node do the rest."""

    TRANSFERS_FILES = False

    def run(self, tmp: t.Any = None, task_vars: Result | None = None) -> Result:
        """Return what the module does."""
        result = super().run(tmp, task_vars)
        _valid, args = self.validate_argument_spec(SPEC)
        given = {name: value for name, value in args.items() if value is not None}
        given["actor"] = args["actor"] or getpass.getuser()
        given["schedule"] = qos_data.windows(args)
        try:
            given["profile_data"] = qos_data.chosen(args)
            given["product_data"] = qos_data.known(args["catalogue_dirs"])
        except FleetError as error:
            return result | {"failed": True, "msg": error.sentence, "failure": error.to_dict()}
        said = self._execute_module("instinct.fleet.gpu_qos", given, task_vars=task_vars)
        said.pop("invocation", None)  # it repeats the catalogue
        return result | said
