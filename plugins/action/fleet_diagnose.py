# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action plugin fleet_diagnose: see plugins/modules/fleet_diagnose.py for its documentation."""

from __future__ import annotations

import contextlib
import dataclasses as dc
import time
import typing as t

from ansible.plugins.action import ActionBase

from ansible_collections.instinct.fleet.plugins.module_utils._core.diagnosis import fleet
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Look
from ansible_collections.instinct.fleet.plugins.module_utils._core.preconditions.catalogue import Preconditions
from ansible_collections.instinct.fleet.plugins.plugin_utils import bundle, diagnosing, diagnosis_pages
from ansible_collections.instinct.fleet.plugins.plugin_utils.plain import from_plain

LOOK = "instinct.fleet.gpu_node_info"
Result = dict[str, t.Any]


class ActionModule(ActionBase):
    """Diagnose one node: one look on it, or a look or a bundle that is there already; judged on the controller."""

    TRANSFERS_FILES = False

    def run(self, tmp: t.Any = None, task_vars: Result | None = None) -> Result:
        """Return the diagnosis as plain data."""
        result = super().run(tmp, task_vars)
        known = task_vars or {}
        _valid, args = self.validate_argument_spec({
            "look": {"type": "dict"},
            "bundle": {"type": "path"},
            "node": {"type": "str"},
            "profile": {"type": "str", "default": diagnosing.PROFILE},
            "host_profiles": {"type": "list", "elements": "str", "default": [diagnosing.HOST_PROFILE]},
            "catalogue_dirs": {"type": "list", "elements": "path", "default": []},
            "boots": {"type": "str", "choices": ["this", "all"], "default": "this"},
            "write": {"type": "path"},
            "with_look": {"type": "bool", "default": False},
            "timeout": {"type": "int", "default": 30},
        }, mutually_exclusive=[("look", "bundle")])
        try:
            return result | self._diagnose(args, known)
        except FleetError as error:
            return result | {"failed": True, "msg": error.sentence, "failure": error.to_dict()}

    def _diagnose(self, args: Result, known: Result) -> Result:
        data = diagnosing.data(tuple(args["catalogue_dirs"]), args["profile"])
        Preconditions.of(data.knowledge.preconditions).choose(args["host_profiles"])  # refused before anything is read
        name, variables, ahead, files = str(known.get("inventory_hostname", "")), known, None, None
        if args["bundle"]:
            read = bundle.read(args["bundle"], data.log_patterns, data.setting_names)
            look, name, files = read.look, read.name, list(read.notes)
            variables = {}  # whatever runs this knows nothing of that node
        elif args["look"] is not None:
            look = from_plain(Look, args["look"], "look")
        else:
            before = time.time()
            asked = diagnosing.module_arguments(data, args["boots"], args["timeout"])
            said = self._execute_module(LOOK, asked, task_vars=known)
            if said.get("failed") or "look" not in said:
                return said
            look = from_plain(Look, said["look"], "look")
            ahead = diagnosing.skew(look, before, time.time())
        found = diagnosing.judged(look, data, args["host_profiles"], variables, ahead)
        found |= {"files": files} if files is not None else {}
        node = fleet.Node(args["node"] or name, fleet.DIAGNOSED, diagnosis=found)
        if args["write"]:
            diagnosis_pages.write_node(args["write"], node)
        more = {"look": dc.asdict(look)} if args["with_look"] else {}
        return {"changed": False, "node": node.node, "diagnosis": found, **more}


# Strategies load this class in the process from which a worker is forked for each host: what is read here, no worker
# reads again. What is wrong with our files is told when a task asks for them.
with contextlib.suppress(FleetError):
    diagnosing.data((), diagnosing.PROFILE)
