# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""fleet_partition_report: what it reads of each host, the file that it writes, and its documentation."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path
from unittest import mock

import pytest
import yaml
from ansible.errors import AnsibleActionFail

from ansible_collections.instinct.fleet.plugins.action import fleet_partition_report
from ansible_collections.instinct.fleet.plugins.doc_fragments._report import ModuleDocFragment
from ansible_collections.instinct.fleet.plugins.modules import fleet_partition_report as module
from ansible_collections.instinct.fleet.plugins.plugin_utils import collected, endings
from ansible_collections.instinct.fleet.tests.unit.support.hostvars import HostVars

LOOK = {"gpus": [{"product": "MI300X", "before": "SPX/NPS1", "wanted": "CPX/NPS1"}], "as_wanted": False, "changes": [{"words": "set CPX"}]}
OPEN = {"standing": "open", "before": "open", "reason": ""}
VARIABLES = {
    "a": {"fleet_partition_look": LOOK, "node_maintenance_standing": OPEN},
    "b": {"fleet_partition_look": LOOK, "node_maintenance_standing": OPEN, "fleet_partition_ended": {"failed": "gate"}},
    "c": {"fleet_partition_look": LOOK, "node_maintenance_standing": OPEN, "fleet_partition_ended": {"failed": ""}},
    "d": {"fleet_partition_look": {"failed": True, "msg": "Task failed: Action failed: x: no", "failure": {"where": "x"}}},
    "e": {}, "f": {"ansible_failed_result": {"msg": "no such variable"}},
}


def run(**args: t.Any) -> dict[str, t.Any]:
    task = mock.Mock(async_val=0, args=args, check_mode=False, diff=False)
    action = fleet_partition_report.ActionModule(task, *[mock.Mock()] * 5)
    with mock.patch.object(fleet_partition_report.Display(), "display") as shown:
        result = action.run(task_vars={"ansible_play_hosts_all": list(VARIABLES), "hostvars": HostVars(VARIABLES)})
    assert [call.args[0] for call in shown.mock_calls] == (["\n" + result["table"]] if args.get("show", True) else [])
    return result


@pytest.fixture(autouse=True)
def _told() -> None:
    endings.begin(120)


def test_every_host_of_the_play_is_told_of() -> None:
    result = run(wave="50%", show=False)
    assert {name: node["verdict"] for name, node in result["nodes"].items()} == {
        "a": "due", "b": "failed: gate", "c": "partitioned", "d": "refused: x: no", "e": "nothing asked",
        "f": "failed: no such variable"}
    assert (result["complete"], result["due"], result["changed"]) == (False, ["a"], False)
    assert [node["wave"] for node in result["nodes"].values()] == [1, 2, 3, None, None, None]
    assert result["stopped"] == "stopped after 1 node failed (b); 0 may" and run(failures=1)["stopped"] == ""
    assert result["refusal"].startswith("no node was touched: b failed: gate; d refused: x: no; f failed")


@pytest.mark.parametrize(("hosts", "complete"), [(["c", "e"], True), (["a"], False), ([], True)])
def test_hosts_can_be_chosen(hosts: list[str], complete: bool) -> None:
    assert run(hosts=hosts)["complete"] is complete


def test_a_wave_that_is_none_is_refused() -> None:
    with pytest.raises(AnsibleActionFail, match=r"^fleet_partition_wave: is 'all', and no number of nodes; "):
        run(wave="all")


def test_the_file_has_what_is_documented(tmp_path: Path) -> None:
    run(path=str(tmp_path / "partitions.json"))
    data = json.loads((tmp_path / "partitions.json").read_text(encoding="utf-8"))
    assert set(data) == {"version", "kind", "when", "complete", "due", "refusal", "stopped", "counts", "nodes"}
    assert (data["version"], data["kind"]) == ("v1", "partitions")
    assert set(data["nodes"]["a"]) == set(yaml.safe_load(module.RETURN)["nodes"]["contains"])
    assert set(yaml.safe_load(module.RETURN)) == set(run()) - {"changed"}
    options = {*yaml.safe_load(ModuleDocFragment.DOCUMENTATION)["options"], *yaml.safe_load(module.DOCUMENTATION)["options"]}
    assert options == {*collected.OPTIONS, "wave", "failures", "show"}
