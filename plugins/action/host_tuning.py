# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action plugin host_tuning: see plugins/modules/host_tuning.py for its documentation."""

from __future__ import annotations

import typing as t

from ansible.plugins.action import ActionBase

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Look
from ansible_collections.instinct.fleet.plugins.modules.host_tuning import SPEC
from ansible_collections.instinct.fleet.plugins.plugin_utils import tuning_data
from ansible_collections.instinct.fleet.plugins.plugin_utils.plain import from_plain

Result = dict[str, t.Any]


class ActionModule(ActionBase):
    """Look at the node, choose its settings on the controller, and let the node have them."""

    TRANSFERS_FILES = False

    def run(self, tmp: t.Any = None, task_vars: Result | None = None) -> Result:
        """Return what the module does, and what was chosen."""
        result = super().run(tmp, task_vars)
        _valid, args = self.validate_argument_spec(SPEC)
        told: Result = {"left": {}, "notes": []}
        if args["state"] != "absent":
            seen = self._execute_module("instinct.fleet.gpu_node_info", {"sections": list(tuning_data.SECTIONS)},
                                        task_vars=task_vars)
            if "look" not in seen:
                return result | t.cast("Result", seen)
            try:
                choice, notes = tuning_data.chosen(args, from_plain(Look, seen["look"]))
            except FleetError as error:
                return result | {"failed": True, "msg": error.sentence, "failure": error.to_dict()}
            args["chosen"] = [setting.told for setting in choice.settings]
            told = {"left": choice.left, "notes": list(notes)}
        said = self._execute_module("instinct.fleet.host_tuning", args, task_vars=task_vars)
        said.pop("invocation", None)  # it repeats the settings
        return result | said | told
