# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""fleet_upgrade_report: how nodes ended by the log, what of it is written, and its documentation."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path
from unittest import mock

import pytest
import yaml

from ansible_collections.instinct.fleet.plugins.action import fleet_upgrade_report
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout import forecast, schedule, table
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.shape import Candidate, Event, Policy
from ansible_collections.instinct.fleet.plugins.modules import fleet_upgrade_report as module
from ansible_collections.instinct.fleet.plugins.plugin_utils import endings, rollout_log

NODES = [Candidate(name, "due", release="rocm-7.2.3") for name in "abcd"] + [Candidate("e", "as wanted")]
COURSE = schedule.course(NODES, Policy(2, failures=0))
PLAIN = table.to_dict(NODES, forecast.forecast(COURSE, 0.0, 0, 5))
STORY = [Event(10.0, "a", "begin"), Event(70.0, "a", "end", "done"), Event(71.0, "b", "begin"),
         Event(72.0, "b", "step", "gate"), Event(75.0, "c", "begin"), Event(76.0, "c", "step", "apply"),
         Event(171.0, "b", "end", "rolled back", "GPU 0: no answer"), Event(172.0, "d", "skip", reason="1 node failed")]


def run(log: str | None = None, **args: t.Any) -> dict[str, t.Any]:
    task = mock.Mock(async_val=0, args={"nodes": PLAIN, "log": log, **args}, check_mode=False, diff=False)
    action = fleet_upgrade_report.ActionModule(task, *[mock.Mock()] * 5)
    with mock.patch.object(fleet_upgrade_report.Display(), "display") as shown:
        result = action.run(task_vars={})
    assert [call.args[0] for call in shown.mock_calls] == (["\n" + result["table"]] if args.get("show", True) else [])
    return result


@pytest.fixture(name="log")
def _log(tmp_path: Path) -> str:
    endings.begin(120)
    path = rollout_log.begin(str(tmp_path / "run.jsonl"), COURSE)
    with rollout_log.Log(path).held() as held:
        for event in STORY:
            held.append(event)
    return path


def test_every_node_is_told_of(log: str) -> None:
    endings.tell("c", "failed", "the worker died")
    result = run(log)
    assert {name: (node["verdict"], node["seconds"], node["step"]) for name, node in result["nodes"].items()} == {
        "a": ("done", 60, None), "b": ("rolled back: GPU 0: no answer", 100, "gate"),
        "c": ("cut off: the worker died", None, "apply"), "d": ("due: 1 node failed", None, None),
        "e": ("as wanted", None, None)}
    assert (result["complete"], result["changed"]) == (False, False)
    assert result["counts"] == {"done": 1, "rolled back": 1, "cut off": 1, "due": 1, "as wanted": 1}
    assert result["stopped"].startswith("1 node left for another run: ")
    assert result["summary"].startswith("5 nodes: 1 done, 1 rolled back")


def test_without_a_log_nothing_began(log: str) -> None:
    result = run(show=False)
    assert {name: node["status"] for name, node in result["nodes"].items()} == {**dict.fromkeys("abcd", "due"), "e": "as wanted"}
    assert run(nodes={"e": PLAIN["e"]})["complete"] is True


def test_a_node_of_another_form_is_one_sentence(log: str) -> None:
    assert run(nodes={"x": {"release": "r"}}, show=False)["msg"].startswith("x: lacks status")


def test_the_file_has_what_is_documented(log: str, tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    result = run(log, path=str(path), kind="rollback")
    data = json.loads(path.read_text(encoding="utf-8"))
    assert set(data) == {"version", "kind", "when", "complete", "stopped", "counts", "nodes"}
    assert (data["version"], data["kind"]) == ("v1", "rollback")
    assert set(data["nodes"]["a"]) == set(yaml.safe_load(module.RETURN)["nodes"]["contains"])
    assert set(yaml.safe_load(module.RETURN)) == set(result) - {"changed"}
    assert set(yaml.safe_load(module.DOCUMENTATION)["options"]) == {"nodes", "log", "path", "kind", "show"}
