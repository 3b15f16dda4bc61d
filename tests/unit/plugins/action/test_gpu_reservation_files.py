# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""gpu_reservation_files: the command, and its documentation."""

from __future__ import annotations

import base64
import typing as t
from unittest import mock

import yaml

from ansible_collections.instinct.fleet.plugins.action import gpu_reservation_files
from ansible_collections.instinct.fleet.plugins.modules import gpu_reservation_files as module
from ansible_collections.instinct.fleet.plugins.plugin_utils import agent_archive

Result = dict[str, t.Any]
OWN = "/usr/local/bin/instinct-reservation"


def run(there: str | None = None, **args: t.Any) -> list[Result]:
    """The files that the action writes on a node. ``there``: digest of those that it has."""
    sent: list[Result] = []

    def execute(name: str, given: Result, task_vars: t.Any) -> Result:
        if name == "instinct.fleet.gpu_node_info":
            seen = {"sha256": there, "mode": None, "owner": None, "group": None, "link": None}
            return {"look": {"files": {"files": [{**seen, "path": path} for path in given["files"]]}}}
        sent.extend(given["files"])
        return {"changed": True, "actions": [], "files": []}

    task = mock.Mock(async_val=0, args=args, check_mode=False, diff=False)
    action = gpu_reservation_files.ActionModule(task, *[mock.Mock()] * 5)
    with mock.patch.object(action, "_execute_module", side_effect=execute):
        assert action.run(task_vars={})["changed"] is bool(sent)
    return sent


def test_the_command() -> None:
    (sent,) = run()
    assert (sent["path"], sent["mode"]) == (OWN, "0755")
    assert base64.b64decode(sent["base64"]) == agent_archive.build(agent_archive.RESERVATION, "/usr/bin/python3")


def test_removal() -> None:
    assert run(there="0", state="absent") == [{"path": OWN, "state": "absent"}]
    assert run(state="absent") == []


def test_documentation_is_the_specification() -> None:
    options, spec = yaml.safe_load(module.DOCUMENTATION)["options"], gpu_reservation_files.SPEC
    assert {name: (one["type"], one.get("default"), one.get("choices")) for name, one in options.items()} == {
        name: (one["type"], one.get("default"), one.get("choices")) for name, one in spec.items()}
