# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action plugin gpu_health_agent: see plugins/modules/gpu_health_agent.py for its documentation."""

from __future__ import annotations

import base64
import hashlib
import json
import typing as t

from ansible.plugins.action import ActionBase

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._gate.agent import DATA
from ansible_collections.instinct.fleet.plugins.plugin_utils import agent_archive, gate_data

PROGRAM = "/usr/local/bin/instinct-gate"
File = dict[str, t.Any]
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
        asked = {"sections": ["files"], "files": [file["path"] for file in files]}
        seen = self._execute_module("instinct.fleet.gpu_node_info", asked, task_vars=task_vars)
        if "look" not in seen:
            return result | seen
        there = {file["path"]: file for file in seen["look"]["files"]["files"]}
        stale = [file for file in files if _differs(file, there[file["path"]])]
        if not stale:
            return result | {"changed": False, "actions": [], "files": []}
        given = {"files": stale, "lock_timeout": args["lock_timeout"]}
        said = self._execute_module("instinct.fleet.node_files", given, task_vars=task_vars)
        said.pop("invocation", None)  # it repeats the program
        return result | said


def _files(args: t.Mapping[str, t.Any]) -> list[File]:
    """The files of the agent as node_files takes them."""
    paths = [PROGRAM, DATA, *(unit["path"] for unit in args["units"])]
    if args["state"] == "absent":
        return [{"path": path, "state": "absent"} for path in paths]
    data = gate_data.agent(args["catalogue_dirs"], args["profile"], args["wanted"] or {}, args["quarantine"])
    program = base64.b64encode(agent_archive.build(args["python"])).decode("ascii")
    # The program says itself whether that Python can run it.
    check = f"{args['python']} -I %s --help"
    return [
        _file(PROGRAM, mode="0755", base64=program, validate=check),
        _file(DATA, content=json.dumps(data, indent=1, sort_keys=True) + "\n"),
        *(_file(unit["path"], content=unit["content"]) for unit in args["units"]),
    ]


def _file(path: str, mode: str = "0644", **content: str) -> File:
    return {"path": path, "mode": mode, "owner": "root", "group": "root", **content}


def _differs(wanted: File, there: t.Mapping[str, t.Any]) -> bool:
    if wanted.get("state") == "absent":
        return there["sha256"] is not None or there["link"] is not None
    raw = base64.b64decode(wanted["base64"]) if "base64" in wanted else wanted["content"].encode()
    found = (there["sha256"], there["mode"], there["owner"], there["group"], there["link"])
    return found != (hashlib.sha256(raw).hexdigest(), wanted["mode"], wanted["owner"], wanted["group"], None)
