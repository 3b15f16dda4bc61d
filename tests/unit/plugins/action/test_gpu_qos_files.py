# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""gpu_qos_files: what boots and what the time of the week starts are one set, and its documentation."""

from __future__ import annotations

import base64
import json
import typing as t
from unittest import mock

import pytest
import yaml

from ansible_collections.instinct.fleet.plugins.action import gpu_qos_files
from ansible_collections.instinct.fleet.plugins.doc_fragments._qos import ModuleDocFragment
from ansible_collections.instinct.fleet.plugins.modules import gpu_qos_files as module
from ansible_collections.instinct.fleet.plugins.plugin_utils import agent_archive

Result = dict[str, t.Any]
FILES = ["/usr/local/bin/instinct-qos", "/usr/local/lib/instinct/qos-data.json", "/etc/instinct/qos.json",
         "/etc/systemd/system/instinct-qos.service", "/etc/udev/rules.d/72-instinct-qos.rules", "/etc/systemd/system/instinct-qos.timer"]
NIGHT = {"profile": "night_training", "begins": "22:00", "ends": "06:00"}


def run(there: str | None = None, **args: t.Any) -> tuple[Result, list[Result]]:
    """What the action returns of a node that has none of the files, or other ones, and the files that it wrote there."""
    sent: list[Result] = []

    def execute(name: str, given: Result, task_vars: t.Any) -> Result:
        if name == "instinct.fleet.gpu_node_info":
            nothing = {"sha256": there, "mode": None, "owner": None, "group": None, "link": None}
            return {"look": {"files": {"files": [{**nothing, "path": path} for path in given["files"]]}}}
        sent.extend(given["files"])
        return {"changed": True, "actions": [], "files": [{"path": file["path"], "changed": True} for file in sent]}

    task = mock.Mock(async_val=0, args={"unit": "[Unit]\n", "profile": "serving", **args}, check_mode=False, diff=False)
    action = gpu_qos_files.ActionModule(task, *[mock.Mock()] * 5)
    with mock.patch.object(action, "_execute_module", side_effect=execute):
        return action.run(task_vars={}), sent


def test_command_data_intent_unit_and_timer() -> None:
    result, sent = run(schedule=[NIGHT])
    assert [file["path"] for file in sent] == result["written"] == FILES
    assert [(file["owner"], file["group"], file["mode"]) for file in sent] == [("root", "root", mode) for mode in ("0755", *["0644"] * 5)]
    program, data, intent, unit, rule, timer = sent
    assert base64.b64decode(program["base64"]) == agent_archive.build(agent_archive.QOS, "/usr/bin/python3")
    assert json.loads(base64.b64decode(data["base64"]))["kind"] == "qos_data"
    wanted = json.loads(intent["content"])
    assert (wanted["kind"], wanted["profile"], wanted["schedule"]) == ("qos_intent", "serving", [NIGHT])
    assert [document["data"]["name"] for document in wanted["profiles"]] == ["serving", "night_training"]
    assert rule["content"].splitlines()[1:] == ['SUBSYSTEM=="kfd", ACTION=="add", TAG+="systemd", ENV{SYSTEMD_WANTS}+="instinct-qos.service"']
    assert (unit["content"], "OnCalendar=Mon,Tue" in timer["content"]) == ("[Unit]\n", True)


def test_without_windows_there_is_no_timer() -> None:
    assert [file["path"] for file in run()[1]] == FILES[:-1]
    assert run("0")[1][-1] == {"path": FILES[-1], "state": "absent"}


def test_removal() -> None:
    assert run("0", state="absent")[1] == [{"path": path, "state": "absent"} for path in FILES]


@pytest.mark.parametrize(("args", "sentence"), [
    ({"profile": "servin"}, "gpu_qos_profile: there is no profile 'servin'; "), ({"unit": None}, "gpu_qos_files: unit is not given; "),
])
def test_what_is_wrong_is_one_sentence_and_nothing_is_written(args: Result, sentence: str) -> None:
    result, sent = run(**args)
    assert (result["failed"], sent) == (True, []) and result["msg"].startswith(sentence)


def test_documentation_is_the_specification() -> None:
    shared, spec = yaml.safe_load(ModuleDocFragment.DOCUMENTATION)["options"], gpu_qos_files.SPEC
    options = {**yaml.safe_load(module.DOCUMENTATION)["options"], **shared}
    assert set(options) == set(spec)
    for key in ("default", "choices"):
        assert {name: option.get(key) for name, option in options.items()} == {name: option.get(key) for name, option in spec.items()}
