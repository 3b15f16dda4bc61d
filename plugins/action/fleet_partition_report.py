# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action plugin fleet_partition_report: see plugins/modules/fleet_partition_report.py for its documentation."""

from __future__ import annotations

import typing as t

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition import rollout
from ansible_collections.instinct.fleet.plugins.plugin_utils import collected, endings, written

# Where the tasks of the playbook keep what was seen first, who has the node out of work, and what became of it.
LOOK, STANDING, ENDED = "fleet_partition_look", "node_maintenance_standing", "fleet_partition_ended"


class ActionModule(ActionBase):
    """Collect how far all hosts are. Touches no host: it runs on the controller alone."""

    TRANSFERS_FILES = False
    _requires_connection = False

    def run(self, tmp: t.Any = None, task_vars: dict[str, t.Any] | None = None) -> dict[str, t.Any]:
        """Show the table, write the file if one is asked for, and return the nodes."""
        result = super().run(tmp, task_vars)
        known = task_vars or {}
        _valid, args = self.validate_argument_spec({
            **collected.OPTIONS,
            "wave": {"type": "raw", "default": 1}, "failures": {"type": "int", "default": 0},
            "show": {"type": "bool", "default": True},
        })
        found = [_node(known, host) for host in collected.hosts(args["hosts"], known)]
        try:
            nodes = rollout.in_waves(found, args["wave"])
        except FleetError as error:
            raise AnsibleActionFail(error.sentence) from error
        table = rollout.table(nodes, endings.width(Display().columns))
        if args["show"]:
            Display().display("\n" + table)
        said = {
            "complete": all(node.status in (rollout.DONE, rollout.WANTED, rollout.UNASKED) for node in nodes),
            "due": [node.node for node in nodes if node.status == rollout.DUE],
            "refusal": rollout.refusal(nodes), "stopped": rollout.stopped(nodes, args["failures"]),
            "counts": rollout.counts(nodes), "nodes": {node.node: node.to_dict() for node in nodes},
        }
        if args["path"]:
            written.replace_json(args["path"], {"version": "v1", "kind": "partitions", **said}, "the report")
        return {**result, "changed": False, "table": table, "summary": rollout.summary(nodes), **said}


def _node(known: dict[str, t.Any], host: str) -> rollout.Node:
    variables = collected.variables(known, host)
    look, standing = collected.said(variables.get(LOOK)), collected.said(variables.get(STANDING))
    return rollout.node(host, look, standing, variables.get(ENDED), collected.why(host, variables))
