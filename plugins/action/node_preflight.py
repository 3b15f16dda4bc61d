# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action plugin node_preflight: see plugins/modules/node_preflight.py for its documentation."""

from __future__ import annotations

import typing as t

from ansible.plugins.action import ActionBase

from ansible_collections.instinct.fleet.plugins.module_utils._core.act.check import refusal
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.modules.node_preflight import SPEC
from ansible_collections.instinct.fleet.plugins.plugin_utils import preflight

Result = dict[str, t.Any]
_HERE = ("plan", "look", "standing", "fallback", "typical_dirs")  # what nodes are not told


class ActionModule(ActionBase):
    """Work out on the controller what to ask the node, and judge what needs no question."""

    TRANSFERS_FILES = False

    def run(self, tmp: t.Any = None, task_vars: Result | None = None) -> Result:
        """Return all checks. One that refuses does not fail the task."""
        result = super().run(tmp, task_vars)
        _valid, args = self.validate_argument_spec(SPEC)
        given = {name: value for name, value in args.items() if name not in _HERE}
        try:
            judged = preflight.judged(args) if args["plan"] is not None else None
        except FleetError as error:
            return result | {"failed": True, "msg": error.sentence, "failure": error.to_dict()}
        said: Result = self._execute_module(
            "instinct.fleet.node_preflight", given | (judged.options if judged else {}), task_vars=task_vars)
        said.pop("invocation", None)  # it repeats all files
        if said.get("failed") or said.get("unreachable"):
            return result | said
        checks = [*(judged.checks if judged else ()), *preflight.answered(said)]
        forecast = {"timing": judged.timing, "seconds": sum(judged.timing.values())} if judged else {}
        return result | said | {
            "checks": [check.to_dict() for check in checks], "refusal": refusal(checks), **forecast,
        }
