# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""gpu_partition_files: what boots and what follows from the devices are one set, and its documentation."""

from __future__ import annotations

import base64
import json
import typing as t
from unittest import mock

import pytest
import yaml

from ansible_collections.instinct.fleet.plugins.action import gpu_partition_files
from ansible_collections.instinct.fleet.plugins.doc_fragments._partition import ModuleDocFragment
from ansible_collections.instinct.fleet.plugins.modules import gpu_partition_files as module
from ansible_collections.instinct.fleet.plugins.plugin_utils import agent_archive

Result = dict[str, t.Any]
OWN = ["/usr/local/bin/instinct-partition", "/usr/local/lib/instinct/partition-data.json", "/etc/instinct/partition.json",
       "/etc/systemd/system/instinct-partition.service"]
DEVICE = {"gpu": "0000:05:00.0", "gpu_index": 0, "partition": 0, "index": 0, "compute": "SPX", "memory": "NPS1",
          "product": "MI300X", "render_node": "/dev/dri/renderD128", "seen": True}


def run(**args: t.Any) -> tuple[Result, list[Result]]:
    """What the action returns of an empty node, and the files that it wrote there."""
    sent: list[Result] = []

    def execute(name: str, given: Result, task_vars: t.Any) -> Result:
        if name == "instinct.fleet.gpu_node_info":
            nothing = {"sha256": None, "mode": None, "owner": None, "group": None, "link": None}
            there = nothing if args.get("state") != "absent" else {**nothing, "sha256": "0"}
            return {"look": {"files": {"files": [{**there, "path": path} for path in given["files"]]}}}
        sent.extend(given["files"])
        return {"changed": True, "actions": [], "files": [{"path": file["path"], "changed": True} for file in sent]}

    task = mock.Mock(async_val=0, args={"unit": "[Unit]\n", "profile": "cpx-nps4", **args}, check_mode=False, diff=False)
    action = gpu_partition_files.ActionModule(task, *[mock.Mock()] * 5)
    with mock.patch.object(action, "_execute_module", side_effect=execute):
        return action.run(task_vars={}), sent


def test_command_data_intent_and_unit() -> None:
    result, sent = run()
    assert [file["path"] for file in sent] == result["written"] == OWN
    program, data, intent, unit = sent
    assert base64.b64decode(program["base64"]) == agent_archive.build(agent_archive.PARTITION, "/usr/bin/python3")
    assert json.loads(base64.b64decode(data["base64"]))["kind"] == "partition_data"
    wanted = json.loads(intent["content"])
    assert (wanted["kind"], wanted["profile"]["data"]["name"], wanted["reload_allowed"]) == ("partition_intent", "cpx-nps4", True)
    assert unit["content"] == "[Unit]\n"


def test_devices_are_in_the_same_set() -> None:
    result, sent = run(devices=[DEVICE], gres="/etc/slurm/gres.conf")
    assert [file["path"] for file in sent] == [*OWN, "/etc/slurm/gres.conf"]
    assert (result["restart"], result["slurm"]["definition"], result["toolkit"]) == (["slurmd.service"], "gpu:mi300x:1", False)


def test_without_boot_only_what_follows_from_devices() -> None:
    assert [file["path"] for file in run(boot=False, devices=[DEVICE], cdi="own")[1]] == ["/etc/cdi/amd.json"]


def test_removal_leaves_what_tells_of_devices() -> None:
    assert run(state="absent")[1] == [{"path": path, "state": "absent"} for path in OWN]


@pytest.mark.parametrize(("args", "sentence"), [
    ({"profile": "cpx-nps5"}, "gpu_partition_profile: there is no profile 'cpx-nps5'; "),
    ({"unit": None}, "gpu_partition_files: unit is not given; "),
    ({"devices": [{**DEVICE, "render_node": None}], "cdi": "own"}, "gpu 0000:05:00.0 partition 0: its render node is not known; "),
])
def test_what_is_wrong_is_one_sentence_and_nothing_is_written(args: Result, sentence: str) -> None:
    result, sent = run(**args)
    assert (result["failed"], sent) == (True, []) and result["msg"].startswith(sentence)


def test_documentation_is_the_specification() -> None:
    shared, spec = yaml.safe_load(ModuleDocFragment.DOCUMENTATION)["options"], gpu_partition_files.SPEC
    options = {**yaml.safe_load(module.DOCUMENTATION)["options"], **shared}
    assert set(options) == set(spec)
    assert {name: option.get("default") for name, option in options.items()} == {name: option.get("default") for name, option in spec.items()}
    assert {name: option.get("choices") for name, option in options.items()} == {name: option.get("choices") for name, option in spec.items()}
