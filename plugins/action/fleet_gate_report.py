# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action plugin fleet_gate_report: see plugins/modules/fleet_gate_report.py for its documentation."""

from __future__ import annotations

import typing as t

from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

from ansible_collections.instinct.fleet.plugins.module_utils._core.health import fleet_gates
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan import tally
from ansible_collections.instinct.fleet.plugins.plugin_utils import collected, endings, written

VERDICT = "gpu_health_verdict"  # where the role gpu_health registers what gpu_health_gate returned


class ActionModule(ActionBase):
    """Collect the gates of all hosts of the play. Touches no host: it runs on the controller alone."""

    TRANSFERS_FILES = False
    _requires_connection = False

    def run(self, tmp: t.Any = None, task_vars: dict[str, t.Any] | None = None) -> dict[str, t.Any]:
        """Show the table, write the file if one is asked for, and return the verdicts."""
        result = super().run(tmp, task_vars)
        known = task_vars or {}
        _valid, args = self.validate_argument_spec(dict(collected.OPTIONS))
        nodes = [_node(known, host) for host in collected.hosts(args["hosts"], known)]
        table = fleet_gates.table(nodes, endings.width(Display().columns))
        Display().display("\n" + table)
        said = {
            "complete": all(node.status == fleet_gates.GATED for node in nodes),
            "answered": all(node.status == fleet_gates.GATED and node.verdict != "unknown" for node in nodes),
            "open": all(node.verdict in ("pass", "warn") for node in nodes),
            "counts": tally.counts(nodes), "nodes": {node.node: node.to_dict() for node in nodes},
        }
        if args["path"]:
            written.replace_json(args["path"], {"version": "v1", "kind": "gates", **said}, "the gates")
        return {**result, "changed": False, "table": table, "summary": tally.summary(nodes), **said}


def _node(known: dict[str, t.Any], host: str) -> fleet_gates.Node:
    said = collected.said(collected.variables(known, host).get(VERDICT))
    return fleet_gates.node(host, said, collected.why(host))
