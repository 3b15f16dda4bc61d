# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Brings the rules of evictions to the node, then runs the module gpu_evict there; see there."""

from __future__ import annotations

import getpass
import pathlib
import typing as t

from ansible.plugins.action import ActionBase

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.eviction.rules import read_rules
from ansible_collections.instinct.fleet.plugins.modules.gpu_evict import SPEC
from ansible_collections.instinct.fleet.plugins.plugin_utils.strict_yaml import load

Result = dict[str, t.Any]
OWN = pathlib.Path(__file__).resolve().parents[2] / "roles/gpu_reservation/files/eviction/rules.yml"


class ActionModule(ActionBase):
    """Read the rules on the controller, and let the node do the rest."""

    TRANSFERS_FILES = False

    def run(self, tmp: t.Any = None, task_vars: Result | None = None) -> Result:
        """Return what the module does."""
        result = super().run(tmp, task_vars)
        _valid, args = self.validate_argument_spec(SPEC)
        given = {name: value for name, value in args.items() if value is not None}
        given["actor"] = args["actor"] or getpass.getuser()
        path = args["rules"] or str(OWN)
        try:
            given["rules_data"] = {"path": path, "data": load(pathlib.Path(path), "rules")}
            read_rules(given["rules_data"])
        except FleetError as error:
            return result | {"failed": True, "msg": error.sentence, "failure": error.to_dict()}
        said = self._execute_module("instinct.fleet.gpu_evict", given, task_vars=task_vars)
        said.pop("invocation", None)  # it repeats the rules
        return result | said
