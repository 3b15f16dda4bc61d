# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action plugin fleet_upgrade_report: see plugins/modules/fleet_upgrade_report.py for its documentation."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout import outcome, progress
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.shape import Candidate, Course
from ansible_collections.instinct.fleet.plugins.plugin_utils import collected, endings, rollout_log, written
from ansible_collections.instinct.fleet.plugins.plugin_utils.plain import from_plain

_FIELDS = [field.name for field in dc.fields(Candidate) if field.name != "node"]


class ActionModule(ActionBase):
    """Tell how every node of a roll-out ended. Touches no host: it runs on the controller alone."""

    TRANSFERS_FILES = False
    _requires_connection = False

    def run(self, tmp: t.Any = None, task_vars: dict[str, t.Any] | None = None) -> dict[str, t.Any]:
        """Show the table, write the file if one is asked for, and return the nodes."""
        result = super().run(tmp, task_vars)
        _valid, args = self.validate_argument_spec({
            "nodes": {"type": "dict", "required": True}, "log": {"type": "path"}, "path": {"type": "path"},
            "kind": {"type": "str", "choices": ["upgrade", "rollback"], "default": "upgrade"},
            "show": {"type": "bool", "default": True},
        })
        try:
            candidates = [_candidate(name, node) for name, node in args["nodes"].items()]
            course, events = rollout_log.Log(args["log"]).seen() if args["log"] else (Course(), [])
        except FleetError as error:
            return {**result, "failed": True, "msg": error.sentence, "failure": error.to_dict()}
        folded = progress.fold(course, events)
        nodes = outcome.results(candidates, folded, {one.node: collected.why(one.node) for one in candidates})
        table = outcome.table(nodes, endings.width(Display().columns))
        if args["show"]:
            Display().display("\n" + table)
        said = {
            "complete": outcome.complete(nodes), "stopped": outcome.stopped(folded, nodes),
            "counts": outcome.counts(nodes), "nodes": {node.node: node.to_dict() for node in nodes},
        }
        if args["path"]:
            written.replace_json(args["path"], {"version": "v1", "kind": args["kind"], **said}, "the report")
        return {**result, "changed": False, "table": table, "summary": outcome.summary(nodes), **said}


def _candidate(name: str, node: dict[str, t.Any]) -> Candidate:
    """A node as fleet_upgrade_plan returned it."""
    return from_plain(Candidate, {"node": name, **{key: node[key] for key in _FIELDS if key in node}}, name)
