# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action plugin gpu_health_agent: see plugins/modules/gpu_health_agent.py for its documentation."""

from __future__ import annotations

import functools
import typing as t

from ansible.plugins.action import ActionBase

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._gate.agent import DATA
from ansible_collections.instinct.fleet.plugins.plugin_utils import agent_archive, agent_files, gate_data

PROGRAM = "/usr/local/bin/instinct-gate"
SPEC = {
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "python": {"type": "path", "default": "/usr/bin/python3"},
    "profile": {"type": "str", "default": "running"},
    "catalogue_dirs": {"type": "list", "elements": "path", "default": []},
    "wanted": {"type": "dict", "options": {
        "gpus": {"type": "int"}, "compute_partition": {"type": "str"}, "memory_partition": {"type": "str"}}},
    "quarantine": {"type": "bool"},
    "units": {"type": "list", "elements": "dict", "default": [], "options": {
        "path": {"type": "str", "required": True}, "content": {"type": "str", "required": True}}},
    "lock_timeout": {"type": "int", "default": 30},
}


class ActionModule(ActionBase):
    """Make the agent on the controller, and write on the node what differs. Half a megabyte goes there once."""

    TRANSFERS_FILES = False

    def run(self, tmp: t.Any = None, task_vars: dict[str, t.Any] | None = None) -> dict[str, t.Any]:
        """Return what node_files returns; nothing to do is one look."""
        result = super().run(tmp, task_vars)
        _valid, args = self.validate_argument_spec(SPEC)
        try:
            files = _files(args)
        except FleetError as error:
            return result | {"failed": True, "msg": error.sentence, "failure": error.to_dict()}
        execute = functools.partial(self._execute_module, task_vars=task_vars)
        return result | agent_files.settle(execute, files, args["lock_timeout"])


def _files(args: t.Mapping[str, t.Any]) -> list[agent_files.File]:
    """The files of the agent as node_files takes them."""
    if args["state"] == "absent":
        return [agent_files.absent(path) for path in (PROGRAM, DATA, *(unit["path"] for unit in args["units"]))]
    data = gate_data.agent(args["catalogue_dirs"], args["profile"], args["wanted"] or {}, args["quarantine"])
    return [
        agent_files.program(PROGRAM, agent_archive.GATE, args["python"]),
        agent_files.catalogue(DATA, data),
        *(agent_files.file(unit["path"], content=unit["content"]) for unit in args["units"]),
    ]
