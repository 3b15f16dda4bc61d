# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""gpu_health_agent: only what differs goes to the node, and its documentation."""

from __future__ import annotations

import base64
import hashlib
import typing as t
from unittest import mock

import pytest
import yaml

from ansible_collections.instinct.fleet.plugins.action import gpu_health_agent
from ansible_collections.instinct.fleet.plugins.modules import gpu_health_agent as module
from ansible_collections.instinct.fleet.plugins.plugin_utils import agent_archive

UNIT = {"path": "/etc/systemd/system/x.service", "content": "[Unit]\n"}
Result = dict[str, t.Any]


def wanted() -> list[Result]:
    """The files as node_files would be given them on an empty node."""
    return run({})[1][1][0][1]["files"]


def there(file: Result, **changes: t.Any) -> Result:
    raw = base64.b64decode(file["base64"]) if "base64" in file else file["content"].encode()
    return {"path": file["path"], "sha256": hashlib.sha256(raw).hexdigest(), "mode": file["mode"], "owner": "root", "group": "root",
            "link": None, **changes}


def run(seen: dict[str, Result], **args: t.Any) -> tuple[Result, list[t.Any]]:
    """What the action returns of a node with these files, and how it called modules."""
    absent = {"sha256": None, "mode": None, "owner": None, "group": None, "link": None}

    def execute(name: str, given: Result, task_vars: t.Any) -> Result:
        if name == "instinct.fleet.gpu_node_info":
            return {"look": {"files": {"files": [{**absent, "path": path, **seen.get(path, {})} for path in given["files"]]}}}
        return {"changed": True, "actions": [f"write {file['path']}" for file in given["files"]], "invocation": {}}

    task = mock.Mock(async_val=0, args={"units": [UNIT], **args}, check_mode=False, diff=False)
    action = gpu_health_agent.ActionModule(task, *[mock.Mock()] * 5)
    with mock.patch.object(action, "_execute_module", side_effect=execute) as called:
        return action.run(task_vars={}), called.call_args_list


def test_all_is_written_on_an_empty_node() -> None:
    result, calls = run({})
    files = calls[1][0][1]["files"]
    assert [file["path"] for file in files] == ["/usr/local/bin/instinct-gate", "/usr/local/lib/instinct/gate-data.json", UNIT["path"]]
    assert base64.b64decode(files[0]["base64"]) == agent_archive.build(agent_archive.GATE, "/usr/bin/python3")
    assert (files[0]["mode"], files[0]["validate"]) == ("0755", "/usr/bin/python3 -I %s --help")
    assert (result["changed"], "invocation" in result) == (True, False)


def test_nothing_is_sent_to_a_node_that_has_it() -> None:
    result, calls = run({file["path"]: there(file) for file in wanted()})
    assert (len(calls), result["changed"], result["actions"]) == (1, False, [])


@pytest.mark.parametrize(("present", "removed"), [(True, 3), (False, 0)])
def test_removal(present: bool, removed: int) -> None:
    seen = {file["path"]: there(file) for file in wanted()} if present else {}
    result, calls = run(seen, state="absent")
    assert result["changed"] is present
    assert len(calls[1][0][1]["files"] if present else []) == removed
    assert all(file == {"path": file["path"], "state": "absent"} for file in (calls[1][0][1]["files"] if present else []))


def test_what_is_wrong_on_the_controller_is_one_sentence() -> None:
    result, calls = run({}, profile="nightly")
    assert (result["failed"], calls) == (True, [])
    assert result["msg"] == "gpu_health_profile: there is no profile 'nightly'; choose one of admission, burn_in, running"


def test_documentation_is_the_specification() -> None:
    options = yaml.safe_load(module.DOCUMENTATION)["options"]
    spec = gpu_health_agent.SPEC
    assert set(options) == set(spec)
    assert {name: option.get("default") for name, option in options.items()} == {name: option.get("default") for name, option in spec.items()}
