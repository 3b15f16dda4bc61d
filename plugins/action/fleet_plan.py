# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action plugin fleet_plan: see plugins/modules/fleet_plan.py for its documentation."""

from __future__ import annotations

import typing as t

from ansible.errors import AnsibleError
from ansible.plugins.action import ActionBase

from ansible_collections.instinct.fleet.plugins.module_utils._core.act.way_back import fetches
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Look
from ansible_collections.instinct.fleet.plugins.plugin_utils import (
    catalogue_files,
    drifting,
    keeping,
    planning,
    role_specs,
)
from ansible_collections.instinct.fleet.plugins.plugin_utils.plain import from_plain

SPEC: dict[str, t.Any] = {
    "look": {"type": "dict", "required": True},
    "roles": {"type": "list", "elements": "str", "choices": list(planning.ROLES), "default": list(planning.ROLES)},
    "previous": {"type": "dict"},
    "against": {"type": "str", "choices": ["inventory", "recorded", "kept"], "default": "inventory"},
    "kept": {"type": "dict"},
    "offline": {"type": "bool", "default": False},
}

catalogue_files.ahead()


class ActionModule(ActionBase):
    """Plan all roles for one node. Touches nothing: it runs on the controller alone."""

    TRANSFERS_FILES = False
    _requires_connection = False

    def run(self, tmp: t.Any = None, task_vars: dict[str, t.Any] | None = None) -> dict[str, t.Any]:
        """Return plans, their diff, and in check mode whether they would change anything."""
        result = super().run(tmp, task_vars)
        task_vars = task_vars or {}
        _valid, args = self.validate_argument_spec(SPEC)
        seen: dict[str, t.Any] = {}
        try:
            values = {role: self._values(role, task_vars) for role in planning.ROLES}
            roles = planning.chosen(args["roles"], task_vars["ansible_run_tags"], task_vars["ansible_skip_tags"])
            look = from_plain(Look, args["look"], "look")
            seen.update(planning.glimpse(look))
            fleet, drift = self._plan(args, look, values, roles)
        except FleetError as error:
            return result | {"failed": True, "msg": error.sentence, "failure": error.to_dict(), "seen": seen}
        if drift:
            result["drift"] = drift
        if fleet is None:
            return result | {"changed": False, "todo": False, "left": [], "actions": [], "release": {}, "plans": {},
                             "report": seen}
        steps = [step for plan in fleet.plans.values() for step in plan.steps]
        result.update(
            changed=bool(steps) and self._task.check_mode,
            check_mode=self._task.check_mode,
            todo=bool(steps),
            left=fleet.left,
            fetches=fetches(fleet.plans.values()),
            actions=[step.words for step in steps],
            lock_timeout=values["gpu_release"]["gpu_release_lock_timeout"],
            release=fleet.release,
            plans={role: plan.to_dict() for role, plan in fleet.plans.items()},
            report=fleet.report(args["previous"], self._task.check_mode),
            ansible_facts={"gpu_driver_reboot_required": fleet.reboot != ""},
        )
        if self._task.diff:
            result["diff"] = [entry for plan in fleet.plans.values() for entry in plan.diff()]
        return result

    @staticmethod
    def _plan(
        args: dict[str, t.Any], look: Look, values: planning.Values, roles: list[str],
    ) -> tuple[planning.NodePlan | None, dict[str, t.Any]]:
        if args["against"] == "recorded":
            return drifting.plan_recorded(look, values, roles)
        if args["against"] == "kept":
            return keeping.plan_kept(look, values, roles, args["kept"], args["offline"]), {}
        return planning.plan_node(look, values, roles), {}

    def _values(self, role: str, task_vars: dict[str, t.Any]) -> dict[str, t.Any]:
        """The role's variables as this host has them, validated."""
        role_specs.refuse_misspelt(role, task_vars)
        names = role_specs.options(role)
        given = {n: self._templated(n, task_vars[n]) for n in names if n in task_vars}
        read = role_specs.validated(role, given)
        # A default may name a variable of Ansible, such as inventory_hostname_short.
        return {n: v if n in given or not isinstance(v, str) or "{{" not in v else self._templated(n, v)
                for n, v in read.items()}

    def _templated(self, name: str, value: t.Any) -> t.Any:
        """The value of a variable. Ansible's own error does not say which variable it is about."""
        try:
            return self._templar.template(value)
        except (AnsibleError, ArithmeticError, LookupError, TypeError, ValueError) as error:
            raise FleetError(name, f"cannot be templated: {' '.join(str(error).split()).rstrip('.')}",
                             "correct it in the inventory") from error
