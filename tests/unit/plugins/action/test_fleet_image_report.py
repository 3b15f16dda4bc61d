# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""fleet_image_report: what it reads of each host, the file that it writes, and its documentation."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path
from unittest import mock

import pytest
import yaml

from ansible_collections.instinct.fleet.plugins.action import fleet_image_report
from ansible_collections.instinct.fleet.plugins.modules import fleet_image_report as module
from ansible_collections.instinct.fleet.plugins.plugin_utils import endings
from ansible_collections.instinct.fleet.tests.unit.support.hostvars import HostVars

PASS: dict[str, t.Any] = {"verdict": "pass", "findings": [], "unknown": {}}
VARIABLES = {
    "a": {"fleet_image_labels": PASS, "fleet_image_check": PASS, "rocm_image_result": {"tag": "localhost/duo/base:1", "digest": "sha256:1"}},
    "b": {"fleet_image_labels": {**PASS, "verdict": "fail", "findings": [{"summary": "no window", "remedy": "another"}]}},
    "c": {"fleet_image_labels": PASS, "ansible_failed_result": {"msg": "Task failed: Module failed: reg: cannot be reached"}},
    "d": {"fleet_image_labels": {"unreachable": True, "msg": "Task failed: no route"}}, "e": {}}


def run(**args: t.Any) -> dict[str, t.Any]:
    task = mock.Mock(async_val=0, args=args, check_mode=False, diff=False)
    action = fleet_image_report.ActionModule(task, *[mock.Mock()] * 5)
    with mock.patch.object(fleet_image_report.Display(), "display") as shown:
        result = action.run(task_vars={"ansible_play_hosts_all": list(VARIABLES), "hostvars": HostVars(VARIABLES)})
    assert [call.args[0] for call in shown.mock_calls] == ["\n" + result["table"]]
    return result


@pytest.fixture(autouse=True)
def _told() -> None:
    endings.begin(160)


def test_every_host_of_the_play_is_told_of() -> None:
    result = run()
    assert {name: (node["status"], node["reason"]) for name, node in result["nodes"].items()} == {
        "a": ("has", None), "b": ("left_out", None), "c": ("failed", "reg: cannot be reached"), "d": ("unreachable", "no route"),
        "e": ("failed", "it was not looked at")}
    assert (result["complete"], result["good"], result["changed"]) == (False, False, False)
    assert run(hosts=["a"])["good"] and "remedy for b:" in result["table"]


def test_the_file_has_what_is_documented(tmp_path: Path) -> None:
    run(path=str(tmp_path / "images.json"))
    data = json.loads((tmp_path / "images.json").read_text(encoding="utf-8"))
    assert set(data) == {"version", "kind", "when", "complete", "answered", "good", "counts", "nodes"} and data["kind"] == "images"
    assert set(data["nodes"]["a"]) == set(yaml.safe_load(module.RETURN)["nodes"]["contains"])
    assert set(yaml.safe_load(module.RETURN)) == set(run()) - {"changed"}
