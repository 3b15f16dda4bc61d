# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action plugin fleet_reservation_plan: see plugins/modules/fleet_reservation_plan.py for its documentation."""

from __future__ import annotations

import typing as t

from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation import fleet, overview, spares
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.demand import Demand
from ansible_collections.instinct.fleet.plugins.plugin_utils import collected, endings, reserving, written

Given = dict[str, t.Any]
Left = dict[str, tuple[str, str]]  # host -> status and reason of one that is not planned


class ActionModule(ActionBase):
    """Allocate the GPUs of all hosts of the play. Touches none of them: it runs on the controller alone."""

    TRANSFERS_FILES = False
    _requires_connection = False

    def run(self, tmp: t.Any = None, task_vars: Given | None = None) -> Given:
        """Show the plan, write the file that is asked for, and return the record of each host."""
        result = super().run(tmp, task_vars)
        known = task_vars or {}
        _valid, args = self.validate_argument_spec({
            **collected.OPTIONS, "show": {"type": "bool", "default": True},
            "look": {"type": "str", "default": "gpu_reservation_look"},
            "spare_share": {"type": "int", "default": spares.Rule.share},
            "spare_node": {"type": "int", "default": spares.Rule.large},
        })
        hosts = collected.hosts(args["hosts"], known)
        demands, left, refused = self._asked(hosts, args["look"], known)
        outside = [host for host in known.get("groups", {}).get("all", []) if host not in hosts]
        try:
            by = spares.rule(args["spare_share"], args["spare_node"])
            reserving.refuse_parts(demands, {host: collected.variables(known, host) for host in outside})
        except FleetError as error:
            return {**result, "failed": True, "msg": error.sentence, "failure": error.to_dict()}
        plans = (*fleet.plan(demands, by), *refused)
        nodes = overview.to_dict(plans, left)
        table = overview.table(plans, nodes, endings.width(Display().columns))
        if args["show"]:
            Display().display("\n" + table)
        said = {"records": overview.records(plans), "nodes": nodes, "refusal": overview.refusal(plans),
                "counts": overview.counts(nodes)}
        if args["path"]:
            written.replace_json(args["path"], {"version": "v1", "kind": "reservation_plan", **said}, "the plan")
        due = any(node["status"] == overview.DUE for node in nodes.values())
        failure = {"failed": True, "msg": said["refusal"]} if said["refusal"] else {}
        return {**result, "changed": due and self._task.check_mode, "table": table,
                "summary": overview.summary(nodes), **said, **failure}

    @staticmethod
    def _asked(hosts: list[str], look: str, known: Given) -> tuple[list[Demand], Left, list[fleet.Planned]]:
        demands: list[Demand] = []
        left: Left = {}
        refused: list[fleet.Planned] = []
        for host in hosts:
            variables = collected.variables(known, host)
            said = collected.said(variables.get(look)) or {}
            if not isinstance(said.get("look"), dict):
                left[host] = overview.UNSEEN, said.get("msg") or collected.why(host, variables) or "nobody looked at it"
                continue
            try:
                reserving.refuse_misspelt(variables, look)
                demand = reserving.demand(host, known["hostvars"][host], said["look"])
            except FleetError as error:
                refused.append(fleet.Planned(host, refusal=error.sentence))
                continue
            if demand is None:
                left[host] = overview.UNASKED, ""
            else:
                demands.append(demand)
        return demands, left, refused
