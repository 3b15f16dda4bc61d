# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""fleet_plan_report: what it reads of each host, the file that it writes, and its documentation."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path
from unittest import mock

import pytest
import yaml
from ansible.errors import AnsibleActionFail

from ansible_collections.instinct.fleet.plugins.action import fleet_plan_report
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.plan import Plan, Step
from ansible_collections.instinct.fleet.plugins.modules import fleet_plan_report as module
from ansible_collections.instinct.fleet.plugins.plugin_utils import endings
from ansible_collections.instinct.fleet.tests.unit.support.hostvars import HostVars

PLAN = Plan("gpu_driver", (Step("hold", "hold x"),)).to_dict()
PLANNED = {"gpu_release_look": {"look": {}}, "gpu_release_plan": {"plans": {"gpu_driver": PLAN}, "report": {"gpus": "8 x MI300X"}}}
REFUSED = {"gpu_release_plan": {"failed": True, "msg": "Task failed: Action failed: x: y", "failure": {"where": "x"}}}
GONE = {"gpu_release_look": {"unreachable": True, "msg": "Task failed: no route"}}
INVALID = {"ansible_failed_result": {"failed": True, "msg": "gpu_release_name is missing"}}
VARIABLES = {"a": PLANNED, "b": REFUSED, "c": GONE, "d": INVALID, "e": {}}


def run(play: dict[str, t.Any] | None = None, **args: t.Any) -> dict[str, t.Any]:
    task = mock.Mock(async_val=0, args=args, check_mode=False, diff=False)
    action = fleet_plan_report.ActionModule(task, *[mock.Mock()] * 5)
    known = {"ansible_play_hosts_all": list(VARIABLES), "hostvars": HostVars(VARIABLES)} if play is None else play
    with mock.patch.object(fleet_plan_report.Display(), "display") as shown:
        result = action.run(task_vars=known)
    assert [call.args[0] for call in shown.mock_calls] == ["\n" + result["table"]]
    return result


@pytest.fixture(autouse=True)
def _told() -> None:
    endings.begin(120)
    endings.tell("e", "failed", "told by the callback")


def test_every_host_of_the_play_is_told_of() -> None:
    result = run()
    assert {name: node["verdict"] for name, node in result["nodes"].items()} == {
        "a": "changes due", "b": "refused: x: y", "c": "unreachable: no route", "d": "failed: gpu_release_name is missing",
        "e": "failed: told by the callback"}
    assert (result["complete"], result["due"], result["changed"]) == (False, True, False)
    assert result["summary"] == "5 nodes: 1 changes due, 1 refused, 1 unreachable, 2 failed"


@pytest.mark.parametrize(("hosts", "complete", "due"), [(["a"], True, True), ([], True, False), (["nobody"], False, False)])
def test_hosts_can_be_named(hosts: list[str], complete: bool, due: bool) -> None:
    result = run(hosts=hosts)
    assert (list(result["nodes"]), result["complete"], result["due"]) == (hosts, complete, due)


def test_file(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    result = run(path=str(path), against="recorded")
    written = json.loads(path.read_text())
    assert written.pop("when").endswith("+00:00")
    assert written == {"version": "v1", "kind": "plan", "against": "recorded",
                       **{key: result[key] for key in ("complete", "due", "counts", "nodes")}}
    assert result["table"].startswith("node  GPUs        recorded")


def test_a_file_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(AnsibleActionFail, match="the plan cannot be written"):
        run(path=str(tmp_path / "file" / "plan.json"))


def test_the_documentation_is_about_this_plugin() -> None:
    result = run(play={})
    assert set(yaml.safe_load(module.RETURN)) == set(result) - {"changed"}
    node = next(iter(run(hosts=["a"])["nodes"].values()))
    assert set(yaml.safe_load(module.RETURN)["nodes"]["contains"]) == set(node)
