# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action plugin gpu_qos_files: see plugins/modules/gpu_qos_files.py for its documentation."""

from __future__ import annotations

import functools
import typing as t

from ansible.plugins.action import ActionBase

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.qos.schedule import read_schedule, timer
from ansible_collections.instinct.fleet.plugins.module_utils._qos.data import DATA, INTENT
from ansible_collections.instinct.fleet.plugins.modules.gpu_qos import SPEC as MODULE
from ansible_collections.instinct.fleet.plugins.plugin_utils import agent_archive, agent_files, qos_data

PROGRAM = "/usr/local/bin/instinct-qos"
UNIT = "/etc/systemd/system/instinct-qos.service"
TIMER = "/etc/systemd/system/instinct-qos.timer"
# With the driver comes KFD, and all that was set is gone. udevd reads its rules anew by itself.
# source: systemd.device(5); systemd src/udev/udev-manager.c, manager_reload()
RULE = "/etc/udev/rules.d/72-instinct-qos.rules"
_RULE = """# Written by the role gpu_qos of instinct.fleet; changes are lost.
SUBSYSTEM=="kfd", ACTION=="add", TAG+="systemd", ENV{SYSTEMD_WANTS}+="instinct-qos.service"
"""
Result = dict[str, t.Any]
SPEC = {
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "python": {"type": "path", "default": "/usr/bin/python3"},
    "unit": {"type": "str"},
    **{name: MODULE[name] for name in ("profile", "schedule", "gpus", "catalogue_dirs", "unsupported", "timeout",
                                       "lock_timeout")},
}


class ActionModule(ActionBase):
    """Make all files on the controller, and write on the node what differs."""

    TRANSFERS_FILES = False

    def run(self, tmp: t.Any = None, task_vars: Result | None = None) -> Result:
        """Return what node_files returns, and which files were written; nothing to do is one look."""
        result = super().run(tmp, task_vars)
        _valid, args = self.validate_argument_spec(SPEC)
        try:
            files = _files(args)
        except FleetError as error:
            return result | {"failed": True, "msg": error.sentence, "failure": error.to_dict()}
        execute = functools.partial(self._execute_module, task_vars=task_vars)
        said = agent_files.settle(execute, files, args["lock_timeout"])
        written = [file["path"] for file in said.get("files", []) if file["changed"]]
        return result | said | {"written": written}


def _files(args: t.Mapping[str, t.Any]) -> list[agent_files.File]:
    """The command, what it knows, which profiles hold when, the unit, what starts it, and the timer for windows."""
    if args["state"] == "absent":
        return [agent_files.absent(path) for path in (PROGRAM, DATA, INTENT, UNIT, RULE, TIMER)]
    if args["unit"] is None:
        raise FleetError("gpu_qos_files", "unit is not given", "give it")
    schedule = read_schedule(args["schedule"], "gpu_qos_schedule")
    return [
        agent_files.program(PROGRAM, agent_archive.QOS, args["python"]),
        agent_files.catalogue(DATA, qos_data.agent(args["catalogue_dirs"])),
        agent_files.data(INTENT, qos_data.intent(args)),
        agent_files.file(UNIT, content=args["unit"]),
        agent_files.file(RULE, content=_RULE),
        agent_files.file(TIMER, content=timer(schedule)) if schedule else agent_files.absent(TIMER),
    ]
