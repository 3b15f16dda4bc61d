# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action plugin gpu_partition_files: see plugins/modules/gpu_partition_files.py for its documentation."""

from __future__ import annotations

import functools
import typing as t

from ansible.plugins.action import ActionBase

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._partition.data import DATA, INTENT
from ansible_collections.instinct.fleet.plugins.modules.gpu_partition import SPEC as MODULE
from ansible_collections.instinct.fleet.plugins.plugin_utils import (
    agent_archive,
    agent_files,
    partition_cascade,
    partition_data,
)

PROGRAM = "/usr/local/bin/instinct-partition"
UNIT = "/etc/systemd/system/instinct-partition.service"
Result = dict[str, t.Any]
SPEC = {
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "boot": {"type": "bool", "default": True},
    "python": {"type": "path", "default": "/usr/bin/python3"},
    "unit": {"type": "str"},
    **{name: MODULE[name] for name in ("profile", "gpus", "catalogue_dirs", "accept", "stop_units", "reload_allowed",
                                       "reservations", "timeout", "lock_timeout")},
    **partition_cascade.SPEC,
}


class ActionModule(ActionBase):
    """Make all files on the controller, and write on the node what differs."""

    TRANSFERS_FILES = False

    def run(self, tmp: t.Any = None, task_vars: Result | None = None) -> Result:
        """Return what node_files returns, and what others should be told; nothing to do is one look."""
        result = super().run(tmp, task_vars)
        _valid, args = self.validate_argument_spec(SPEC)
        try:
            cascade = partition_cascade.of(args)
            files = [*_own(args), *cascade.files]
        except FleetError as error:
            return result | {"failed": True, "msg": error.sentence, "failure": error.to_dict()}
        execute = functools.partial(self._execute_module, task_vars=task_vars)
        said = agent_files.settle(execute, files, args["lock_timeout"], cascade.others)
        return result | said | cascade.told(said)


def _own(args: t.Mapping[str, t.Any]) -> list[agent_files.File]:
    """The command, what it knows, what the node should be, and the unit."""
    if args["state"] == "absent":
        return [agent_files.absent(path) for path in (PROGRAM, DATA, INTENT, UNIT)]
    if not args["boot"]:
        return []
    if args["unit"] is None:
        raise FleetError("gpu_partition_files", "unit is not given", "give it, or set boot to false")
    return [
        agent_files.program(PROGRAM, agent_archive.PARTITION, args["python"]),
        agent_files.catalogue(DATA, partition_data.agent(args["catalogue_dirs"])),
        agent_files.data(INTENT, partition_data.intent(args)),
        agent_files.file(UNIT, content=args["unit"]),
    ]
