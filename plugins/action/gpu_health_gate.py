# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action plugin gpu_health_gate: see plugins/modules/gpu_health_gate.py for its documentation."""

from __future__ import annotations

import getpass
import typing as t

from ansible.plugins.action import ActionBase

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.health.profile import Profile
from ansible_collections.instinct.fleet.plugins.module_utils._core.health.sample import Wanted
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Look
from ansible_collections.instinct.fleet.plugins.module_utils._gate.gate import Answer, judged
from ansible_collections.instinct.fleet.plugins.modules.gpu_health_gate import SPEC
from ansible_collections.instinct.fleet.plugins.plugin_utils import diagnosis_files, gate_data, node_data
from ansible_collections.instinct.fleet.plugins.plugin_utils.plain import from_plain

Result = dict[str, t.Any]

diagnosis_files.ahead()


class ActionModule(ActionBase):
    """Read profile and faults on the controller, gate the node with them, and fail only when asked to."""

    TRANSFERS_FILES = False

    def run(self, tmp: t.Any = None, task_vars: Result | None = None) -> Result:
        """Return the verdict."""
        result = super().run(tmp, task_vars)
        _valid, args = self.validate_argument_spec(SPEC)
        try:
            document = gate_data.profile(args["catalogue_dirs"], args["profile"])
            if args["look"] is not None:
                return result | self._ending(_outside(args, document), args["fail_on"])
            given = {name: value for name, value in args.items() if value is not None}
            given |= {"profile_data": document, "fault_data": gate_data.faults(args["catalogue_dirs"]),
                      "actor": args["actor"] or getpass.getuser()}
        except FleetError as error:
            return result | {"failed": True, "msg": error.sentence, "failure": error.to_dict()}
        said = self._execute_module("instinct.fleet.gpu_health_gate", given, task_vars=task_vars)
        return result | self._ending(said, args["fail_on"])

    @staticmethod
    def _ending(said: Result, fail_on: t.Sequence[str]) -> Result:
        """The result, which fails if the verdict is one of those: with what is wrong first, and what to do."""
        said.pop("invocation", None)  # it repeats all profiles and faults
        if said.get("failed") or said.get("verdict") not in fail_on:
            return said
        evidence = said["evidence"]
        more = f" and {len(evidence) - 1} more" if len(evidence) > 1 else ""
        first = f": {evidence[0]}{more}" if evidence else ""
        hint = f"; {said['next_action']}" if said["next_action"] else ""
        return {**said, "failed": True, "msg": f"{said['profile']}: {said['verdict']}{first}{hint}"}


def _outside(args: Result, document: Result) -> Result:
    """The verdict of a look that is there already."""
    look = from_plain(Look, args["look"], "look")
    profile = Profile.from_document(document, args["profile"])
    faults = diagnosis_files.read(tuple(args["catalogue_dirs"])).faults
    wanted = Wanted(**(args["wanted"] or {}))
    found = Answer(judged(look, profile, faults, wanted=wanted, products=node_data.products()))
    return {**found.to_dict(), "changed": False, "actions": [], "profile": profile.id}
