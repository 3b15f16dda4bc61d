# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action plugin fleet_report: see plugins/modules/fleet_report.py for its documentation."""

from __future__ import annotations

import typing as t

from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

from ansible_collections.instinct.fleet.plugins.module_utils._core.plan import report
from ansible_collections.instinct.fleet.plugins.plugin_utils import collected, endings, written

_PLAN = "gpu_release_plan"  # where gpu_release registers the result of fleet_plan


class ActionModule(ActionBase):
    """Collect how every host of the play ended. Touches no host: it runs on the controller alone."""

    TRANSFERS_FILES = False
    _requires_connection = False

    def run(self, tmp: t.Any = None, task_vars: dict[str, t.Any] | None = None) -> dict[str, t.Any]:
        """Show the table, write the file if one is asked for, and return the rows."""
        result = super().run(tmp, task_vars)
        known = task_vars or {}
        _valid, args = self.validate_argument_spec(dict(collected.OPTIONS))
        left = set(known.get("ansible_play_hosts", []))
        took_part = set(known.get("ansible_play_hosts_all", []))
        rows = []
        for host in collected.hosts(args["hosts"], known):
            ending = endings.ending(host)
            in_play = host in left or (host not in took_part and ending is None)
            rows.append(report.row(host, _report_of(known, host), ending or _stopped(), in_play))
        table = report.table(rows, endings.width(Display().columns))
        Display().display("\n" + table)
        plain = [row.to_dict() for row in rows]
        if args["path"]:
            data = {"version": "v1", "counts": report.counts(rows), "report": plain}
            written.replace_json(args["path"], data, "the report")
        return {**result, "changed": False, "report": plain, "table": table, "counts": report.counts(rows)}


def _stopped() -> tuple[str, str] | None:
    """How a host left the play that had no failure of its own, as with any_errors_fatal."""
    return ("stopped", "the play ended for all nodes") if endings.told() else None


def _report_of(known: dict[str, t.Any], host: str) -> dict[str, t.Any] | None:
    """What the host reported about itself."""
    plan: dict[str, t.Any] = collected.variables(known, host).get(_PLAN) or {}
    return plan.get("report")
