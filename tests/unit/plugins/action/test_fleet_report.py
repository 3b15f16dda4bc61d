# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""fleet_report: what it reads of each host, and the file that it writes."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path
from unittest import mock

import pytest
from ansible.errors import AnsibleActionFail

from ansible_collections.instinct.fleet.plugins.action import fleet_report
from ansible_collections.instinct.fleet.plugins.plugin_utils import endings
from ansible_collections.instinct.fleet.tests.unit.support.hostvars import HostVars

REPORT = {"gpus": "8 x MI300X", "wanted": "r2", "found": "r1", "changed": ["hold x"], "verdict": "as wanted"}
# a and b planned, c failed, d was not reached, e takes part and says nothing.
PLAY = {
    "ansible_play_hosts_all": ["a", "b", "c", "d", "e"],
    "ansible_play_hosts": ["a", "b", "e"],
    "hostvars": {
        "a": {"gpu_release_plan": {"report": REPORT}},
        "b": {"gpu_release_plan": {"report": {**REPORT, "verdict": "reboot needed: k"}}},
        "c": {"gpu_release_plan": {"failed": True}},
        "d": {},
        "e": {},
        "other": {"gpu_release_plan": {"report": {"verdict": "as wanted"}}},
    },
}


@pytest.fixture(autouse=True)
def _told() -> None:
    endings.begin(100)
    endings.tell("a", "failed", "rescued")
    endings.tell("c", "failed", "does not build")


def run(**args: t.Any) -> dict[str, t.Any]:
    action = fleet_report.ActionModule(
        mock.Mock(async_val=0, args=args, check_mode=False, diff=False),
        mock.Mock(),
        mock.Mock(),
        mock.Mock(),
        mock.Mock(),
        mock.Mock(),
    )
    with mock.patch.object(fleet_report.Display(), "display") as shown:
        result = action.run(task_vars={**PLAY, "hostvars": HostVars(PLAY["hostvars"])})
    assert [call.args[0] for call in shown.mock_calls] == ["\n" + result["table"]]
    return result


def test_every_host_of_the_play_has_a_row_and_its_verdict() -> None:
    result = run()
    assert {row["node"]: row["verdict"] for row in result["report"]} == {
        "a": "as wanted",
        "b": "reboot needed: k",
        "c": "failed: does not build",
        "d": "stopped: the play ended for all nodes",
        "e": "no report",
    }
    assert result["report"][0]["changed"] == ["hold x"]
    assert result["counts"]["as wanted"] == 1
    assert result["changed"] is False
    assert result["table"].splitlines()[0].split() == [
        "node",
        "GPUs",
        "release",
        "wanted",
        "release",
        "found",
        "changed",
        "verdict",
    ]


def test_without_the_callback_nobody_said_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endings, "_TOLD", endings._Told())
    assert [row["verdict"] for row in run()["report"]][2:4] == ["failed or unreachable"] * 2


def test_hosts_of_another_play_can_be_named() -> None:
    report = run(hosts=["other", "c", "unknown"])["report"]
    assert [row["verdict"] for row in report] == ["as wanted", "failed: does not build", "no report"]


def test_no_hosts_is_not_all_hosts() -> None:
    assert run(hosts=[])["report"] == []


def test_file(tmp_path: Path) -> None:
    path = tmp_path / "reports" / "site.json"
    result = run(path=str(path))
    written = json.loads(path.read_text())
    assert written.pop("when").endswith("+00:00")
    assert written == {"version": "v1", "counts": result["counts"], "report": result["report"]}
    assert [p.name for p in path.parent.iterdir()] == ["site.json"]
    assert path.stat().st_mode & 0o777 == 0o644


def test_a_file_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(AnsibleActionFail, match=r"the report cannot be written: (Not a directory|File exists)"):
        run(path=str(tmp_path / "file" / "site.json"))
