# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action plugin fleet_reservation_report: see plugins/modules/fleet_reservation_report.py for its documentation."""

from __future__ import annotations

import typing as t

from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation import verdict_fleet
from ansible_collections.instinct.fleet.plugins.plugin_utils import collected, endings, written

INFO = "gpu_reservation_info"  # where playbooks register what the module of that name returned


class ActionModule(ActionBase):
    """Collect the reservations of all hosts of the play. Touches no host: it runs on the controller alone."""

    TRANSFERS_FILES = False
    _requires_connection = False

    def run(self, tmp: t.Any = None, task_vars: dict[str, t.Any] | None = None) -> dict[str, t.Any]:
        """Show the table, write the file if one is asked for, and return the verdicts."""
        result = super().run(tmp, task_vars)
        known = task_vars or {}
        _valid, args = self.validate_argument_spec(dict(collected.OPTIONS))
        nodes = [_node(known, host) for host in collected.hosts(args["hosts"], known)]
        table = verdict_fleet.table(nodes, endings.width(Display().columns))
        Display().display("\n" + table)
        said = verdict_fleet.data(nodes)
        if args["path"]:
            written.replace_json(args["path"], {"version": "v1", "kind": "reservations", **said}, "the reservations")
        return {**result, "changed": False, "table": table, "summary": verdict_fleet.summary(nodes), **said}


def _node(known: dict[str, t.Any], host: str) -> verdict_fleet.Node:
    variables = collected.variables(known, host)
    return verdict_fleet.node(host, collected.said(variables.get(INFO)), collected.why(host, variables))
