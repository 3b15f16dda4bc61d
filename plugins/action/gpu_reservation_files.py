# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action plugin gpu_reservation_files: see plugins/modules/gpu_reservation_files.py for its documentation."""

from __future__ import annotations

import functools
import typing as t

from ansible.plugins.action import ActionBase

from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.text_names import (
    DROP_IN,
    PROGRAM,
    SERVICE,
    UNITS,
)
from ansible_collections.instinct.fleet.plugins.plugin_utils import agent_archive, agent_files

UNIT = f"{UNITS}/{SERVICE}"
# A file and no link of systemctl enable, so that it is in the set, and check mode tells of it.
WANTED = f"{UNITS}/multi-user.target.d/{DROP_IN}"
Result = dict[str, t.Any]
SPEC = {
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "python": {"type": "path", "default": "/usr/bin/python3"},
    "unit": {"type": "str", "default": ""},
    "lock_timeout": {"type": "int", "default": 30},
}


class ActionModule(ActionBase):
    """Make all files on the controller, and write on the node what differs."""

    TRANSFERS_FILES = False

    def run(self, tmp: t.Any = None, task_vars: Result | None = None) -> Result:
        """Return what node_files returns; nothing to do is one look."""
        result = super().run(tmp, task_vars)
        _valid, args = self.validate_argument_spec(SPEC)
        files = [agent_files.absent(path) for path in (PROGRAM, UNIT, WANTED)]
        if args["state"] == "present":
            files = [
                agent_files.program(PROGRAM, agent_archive.RESERVATION, args["python"]),
                agent_files.file(UNIT, content=args["unit"]),
                agent_files.file(WANTED, content=f"[Unit]\nWants={SERVICE}\n"),
            ]
        execute = functools.partial(self._execute_module, task_vars=task_vars)
        return result | agent_files.settle(execute, files, args["lock_timeout"])
