# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of a role on a node: one look, and only what differs is sent."""

from __future__ import annotations

import base64
import hashlib
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.plugin_utils import agent_archive, agent_files

Result = dict[str, t.Any]
UNIT = agent_files.file("/etc/systemd/system/x.service", content="[Unit]\n")
RAW = agent_files.file("/usr/local/bin/x", mode="0755", base64=base64.b64encode(b"PK").decode())
NOTHING: Result = {"sha256": None, "mode": None, "owner": None, "group": None, "link": None}


def there(file: agent_files.File, **changes: t.Any) -> Result:
    """A file as the look tells of it after it was written."""
    raw = base64.b64decode(file["base64"]) if "base64" in file else file["content"].encode()
    return {"path": file["path"], "sha256": hashlib.sha256(raw).hexdigest(), "mode": file["mode"], "owner": "root",
            "group": "root", "link": None, **changes}


def settle(files: list[agent_files.File], seen: list[Result], others: dict[str, str] | None = None) -> tuple[Result, list[tuple[str, Result]]]:
    """What it returns on a node with these files, and which modules it ran there."""
    found, calls = {file["path"]: file for file in seen}, []

    def execute(name: str, given: Result) -> Result:
        calls.append((name, given))
        if name == "instinct.fleet.gpu_node_info":
            return {"look": {"files": {"files": [{**NOTHING, "path": path, **found.get(path, {})} for path in given["files"]]}}}
        return {"changed": True, "actions": [f"write {file['path']}" for file in given["files"]], "invocation": {"long": 1}}

    return agent_files.settle(execute, files, 30, others), calls


def test_an_empty_node_is_sent_all_of_it() -> None:
    result, calls = settle([RAW, UNIT], [])
    assert calls == [
        ("instinct.fleet.gpu_node_info", {"sections": ["files"], "files": [RAW["path"], UNIT["path"]]}),
        ("instinct.fleet.node_files", {"files": [RAW, UNIT], "lock_timeout": 30})]
    assert result == {"changed": True, "actions": [f"write {RAW['path']}", f"write {UNIT['path']}"]}


def test_a_node_that_has_it_is_sent_nothing() -> None:
    result, calls = settle([RAW, UNIT], [there(RAW), there(UNIT)])
    assert (len(calls), result) == (1, {"changed": False, "actions": [], "files": []})


@pytest.mark.parametrize("change", [{"sha256": "0"}, {"mode": "0600"}, {"owner": "alice"}, {"group": "staff"}, {"link": "/tmp/x"}])
def test_what_differs_is_sent_alone(change: Result) -> None:
    _result, calls = settle([RAW, UNIT], [there(RAW), there(UNIT, **change)])
    assert calls[1][1]["files"] == [UNIT]


@pytest.mark.parametrize(("seen", "removed"), [({}, False), ({"sha256": "0"}, True), ({"link": "/nowhere"}, True)])
def test_what_is_not_wanted_is_removed_where_it_is(seen: Result, removed: bool) -> None:
    gone = agent_files.absent(UNIT["path"])
    result, calls = settle([gone], [{"path": UNIT["path"], **seen}])
    assert (result["changed"], calls[1:]) == (removed, [("instinct.fleet.node_files", {"files": [gone], "lock_timeout": 30})] * removed)


@pytest.mark.parametrize(("mode", "left", "sent"), [("0755", [UNIT["path"]], [RAW]), (None, [], [RAW, UNIT])])
def test_a_file_that_a_program_of_the_node_writes_is_left_to_it(mode: str | None, left: list[str], sent: list[Result]) -> None:
    result, calls = settle([RAW, UNIT], [{"path": "/usr/bin/writer", "mode": mode}], {UNIT["path"]: "/usr/bin/writer"})
    assert calls[0][1]["files"] == [RAW["path"], UNIT["path"], "/usr/bin/writer"]
    assert (result["left"], calls[1][1]["files"]) == (left, sent)


def test_a_node_that_cannot_be_looked_at_says_so() -> None:
    assert agent_files.settle(lambda *_: {"failed": True, "msg": "no python"}, [UNIT], 30) == {"failed": True, "msg": "no python"}


def test_a_program_says_itself_whether_it_can_run() -> None:
    found = agent_files.program("/usr/local/bin/x", agent_archive.GATE, "/usr/bin/python3")
    assert base64.b64decode(found.pop("base64")) == agent_archive.build(agent_archive.GATE, "/usr/bin/python3")
    assert found == {"path": "/usr/local/bin/x", "mode": "0755", "owner": "root", "group": "root",
                     "validate": "/usr/bin/python3 -I %s --help"}


def test_data_is_written_so_that_a_difference_can_be_read() -> None:
    assert agent_files.data("/etc/x.json", {"b": [1], "a": {}})["content"] == '{\n "a": {},\n "b": [\n  1\n ]\n}\n'
