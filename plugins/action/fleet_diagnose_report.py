# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action plugin fleet_diagnose_report: see plugins/modules/fleet_diagnose_report.py for its documentation."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

from ansible_collections.instinct.fleet.plugins.module_utils._core.diagnosis import fleet
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan import tally
from ansible_collections.instinct.fleet.plugins.plugin_utils import collected, diagnosis_pages, endings

DIAGNOSIS = "fleet_diagnosis"  # where playbooks register what fleet_diagnose returned
GROUPS = 100  # root causes that are returned; files have all


class ActionModule(ActionBase):
    """Collect the diagnoses of all hosts of the play. Touches no host: it runs on the controller alone."""

    TRANSFERS_FILES = False
    _requires_connection = False

    def run(self, tmp: t.Any = None, task_vars: dict[str, t.Any] | None = None) -> dict[str, t.Any]:
        """Show the table, write the files if a directory is given, and return the verdicts."""
        result = super().run(tmp, task_vars)
        known = task_vars or {}
        _valid, args = self.validate_argument_spec({
            **collected.OPTIONS,
            "rows": {"type": "int", "default": 100},
            "details": {"type": "bool"},
        })
        nodes = [_node(known, host) for host in collected.hosts(args["hosts"], known)]
        details = Display().verbosity > 0 if args["details"] is None else args["details"]
        table = fleet.table(nodes, endings.width(Display().columns), max(args["rows"], 0), details)
        Display().display("\n" + table)
        if args["path"]:
            diagnosis_pages.write_fleet(args["path"], nodes)
        return {
            **result, "changed": False, "table": table, "summary": tally.summary(nodes),
            "complete": all(node.status == fleet.DIAGNOSED for node in nodes),
            "answered": all(node.status == fleet.DIAGNOSED and node.verdict != "unknown" for node in nodes),
            "healthy": all(node.verdict == "pass" for node in nodes),
            "counts": tally.counts(nodes), "nodes": {node.node: node.to_dict() for node in nodes},
            "groups": [dc.asdict(group) for group in fleet.grouped(nodes)[:GROUPS]],
        }


def _node(known: dict[str, t.Any], host: str) -> fleet.Node:
    said = collected.said(collected.variables(known, host).get(DIAGNOSIS))
    return fleet.node(host, said, collected.why(host))
