# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action plugin gpu_reservation_files: see plugins/modules/gpu_reservation_files.py for its documentation."""

from __future__ import annotations

import functools
import typing as t

from ansible.plugins.action import ActionBase

from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.text_names import PROGRAM
from ansible_collections.instinct.fleet.plugins.plugin_utils import agent_archive, agent_files

Result = dict[str, t.Any]
SPEC = {
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "python": {"type": "path", "default": "/usr/bin/python3"},
    "lock_timeout": {"type": "int", "default": 30},
}


class ActionModule(ActionBase):
    """Make the command on the controller, and write it on the node if it differs."""

    TRANSFERS_FILES = False

    def run(self, tmp: t.Any = None, task_vars: Result | None = None) -> Result:
        """Return what node_files returns; nothing to do is one look."""
        result = super().run(tmp, task_vars)
        _valid, args = self.validate_argument_spec(SPEC)
        if args["state"] == "present":
            file = agent_files.program(PROGRAM, agent_archive.RESERVATION, args["python"])
        else:
            file = agent_files.absent(PROGRAM)
        execute = functools.partial(self._execute_module, task_vars=task_vars)
        return result | agent_files.settle(execute, [file], args["lock_timeout"])
