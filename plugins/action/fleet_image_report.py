# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action plugin fleet_image_report: see plugins/modules/fleet_image_report.py for its documentation."""

from __future__ import annotations

import typing as t

from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

from ansible_collections.instinct.fleet.plugins.module_utils._core.image import fleet
from ansible_collections.instinct.fleet.plugins.plugin_utils import collected, endings, written

# Where playbooks register what rocm_container_check returned, and what the role rocm_image says.
LABELS, TREE, BROUGHT = "fleet_image_labels", "fleet_image_check", "rocm_image_result"


class ActionModule(ActionBase):
    """Collect what became of an image on all hosts of the play. Touches no host: it runs on the controller alone."""

    TRANSFERS_FILES = False
    _requires_connection = False

    def run(self, tmp: t.Any = None, task_vars: dict[str, t.Any] | None = None) -> dict[str, t.Any]:
        """Show the table, write the file if one is asked for, and return the verdicts."""
        result = super().run(tmp, task_vars)
        known = task_vars or {}
        _valid, args = self.validate_argument_spec(dict(collected.OPTIONS))
        nodes = [_node(known, host) for host in collected.hosts(args["hosts"], known)]
        table = fleet.table(nodes, endings.width(Display().columns))
        Display().display("\n" + table)
        said = fleet.data(nodes)
        if args["path"]:
            written.replace_json(args["path"], {"version": "v1", "kind": "images", **said}, "what became of the image")
        return {**result, "changed": False, "table": table, "summary": fleet.summary(nodes), **said}


def _node(known: dict[str, t.Any], host: str) -> fleet.Node:
    variables = collected.variables(known, host)
    labels, tree, brought = (collected.said(variables.get(name)) for name in (LABELS, TREE, BROUGHT))
    return fleet.node(host, labels, tree, brought, collected.why(host, variables))
