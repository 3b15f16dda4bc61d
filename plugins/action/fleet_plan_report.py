# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action plugin fleet_plan_report: see plugins/modules/fleet_plan_report.py for its documentation."""

from __future__ import annotations

import typing as t

from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

from ansible_collections.instinct.fleet.plugins.module_utils._core.plan import overview
from ansible_collections.instinct.fleet.plugins.plugin_utils import collected, endings, written

LOOK, PLAN = "gpu_release_look", "gpu_release_plan"  # where gpu_release registers look and plan


class ActionModule(ActionBase):
    """Collect the plans of all hosts of the play. Touches no host: it runs on the controller alone."""

    TRANSFERS_FILES = False
    _requires_connection = False

    def run(self, tmp: t.Any = None, task_vars: dict[str, t.Any] | None = None) -> dict[str, t.Any]:
        """Show the table, write the file if one is asked for, and return the plans."""
        result = super().run(tmp, task_vars)
        known = task_vars or {}
        against = [overview.INVENTORY, overview.RECORDED]
        _valid, args = self.validate_argument_spec({
            **collected.OPTIONS,
            "against": {"type": "str", "choices": against, "default": overview.INVENTORY},
        })
        nodes = [_node(known, host) for host in collected.hosts(args["hosts"], known)]
        table = overview.table(nodes, args["against"], endings.width(Display().columns))
        Display().display("\n" + table)
        said = {
            "complete": all(node.settled for node in nodes), "due": any(node.due for node in nodes),
            "counts": overview.counts(nodes), "nodes": {node.node: node.to_dict() for node in nodes},
        }
        if args["path"]:
            data = {"version": "v1", "kind": "plan", "against": args["against"], **said}
            written.replace_json(args["path"], data, "the plan")
        return {**result, "changed": False, "table": table, "summary": overview.summary(nodes), **said}


def _node(known: dict[str, t.Any], host: str) -> overview.Node:
    variables = collected.variables(known, host)
    look, plan = collected.said(variables.get(LOOK)), collected.said(variables.get(PLAN))
    return overview.node(host, look, plan, collected.why(host, variables))
