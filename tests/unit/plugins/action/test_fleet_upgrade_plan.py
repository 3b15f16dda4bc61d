# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""fleet_upgrade_plan: what it reads of each host, the schedule that it returns, the files, and its documentation."""

from __future__ import annotations

import json
import os
import typing as t
from pathlib import Path
from unittest import mock

import pytest
import yaml

from ansible_collections.instinct.fleet.plugins.action import fleet_upgrade_plan
from ansible_collections.instinct.fleet.plugins.doc_fragments._report import ModuleDocFragment
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout import note
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.shape import (
    Course,
    Event,
    Note,
    Place,
    Policy,
)
from ansible_collections.instinct.fleet.plugins.modules import fleet_upgrade_plan as module
from ansible_collections.instinct.fleet.plugins.plugin_utils import collected, endings, rollout_log
from ansible_collections.instinct.fleet.tests.unit.support.hostvars import HostVars

RELEASE = {"name": "rocm-7.2.3", "kernel": {"wanted": "6.1.0"}, "rocm": {"version": "7.2.3"},
           "driver": {"source": "dkms", "packages": {"amdgpu-dkms": "1:6.16"}}}


def seen(*steps: str, standing: str = "open", seconds: int = 600, **more: t.Any) -> dict[str, t.Any]:
    """What the pre-flight leaves of a node with these steps."""
    plan = {"todo": bool(steps), "actions": list(steps), "release": RELEASE, "report": {"found": "ROCm 7.0.2"},
            "plans": {"gpu_driver": {"reboot": "new kernel" if steps else "", "problems": [], "steps": []}}}
    return {"plan": plan, "note": "", "standing": {"standing": standing, "before": standing, "reason": ""},
            "checks": [], "seconds": seconds, "partitions": "", "unreachable": False, **more}


DUE, WANTED = seen("install the driver"), seen()
VARIABLES: dict[str, dict[str, t.Any]] = {
    "a": {"fleet_upgrade_seen": DUE, "rack": "r1"},
    "b": {"fleet_upgrade_seen": WANTED, "rack": "r1"},
    "c": {"fleet_upgrade_seen": seen("install the driver", seconds=1200), "rack": "r{{ 1 + 1 }}"},
    "d": {"fleet_upgrade_seen": DUE, "rack": "r1"},
}
GONE = {"fleet_upgrade_seen": {"unreachable": True, "msg": "Task failed: no route"}}
BAD = {"fleet_upgrade_seen": {"failed": True, "msg": "Task failed: Action failed: release: there is none"}}
ROOM = {"fleet_upgrade_seen": seen("x", checks=[{"name": "room", "verdict": "refused", "words": "no room in /boot"}])}
TRIAL = {"fleet_upgrade_trial": {"name": "trial", "verdict": "refused", "words": "it does not build for 6.1.0"}}


class Templated(HostVars):
    """Whoever asks for a host's variables so gets one of them as the inventory means it, and must not ask for all."""

    def __getitem__(self, name: str) -> t.Any:  # type: ignore[override]
        one = mock.Mock(spec=["__getitem__"])
        one.__getitem__ = lambda _self, variable: str(self.raw_get(name)[variable]).replace("{{ 1 + 1 }}", "2")
        return one


def run(
    variables: dict[str, t.Any] | None = None, check: bool = False, forks: int = 5, known: dict[str, t.Any] | None = None, **args: t.Any,
) -> dict[str, t.Any]:
    chosen = VARIABLES if variables is None else variables
    task = mock.Mock(async_val=0, args=args, check_mode=check, diff=False)
    action = fleet_upgrade_plan.ActionModule(task, *[mock.Mock()] * 5)
    task_vars = {"ansible_play_hosts_all": list(chosen), "hostvars": Templated(chosen), "ansible_forks": forks,
                 "groups": {"first": ["d", "elsewhere"]}, **(known or {})}
    with mock.patch.object(fleet_upgrade_plan.Display(), "display") as shown:
        result = action.run(task_vars=task_vars)
    assert [call.args[0] for call in shown.mock_calls] == (["\n" + result["table"]] if args.get("show") and "table" in result else [])
    return result


@pytest.fixture(autouse=True)
def _told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    endings.begin(120)


def test_every_host_of_the_play_has_its_place() -> None:
    result = run()
    assert {name: node["status"] for name, node in result["nodes"].items()} == {
        "a": "due", "b": "as wanted", "c": "due", "d": "due"}
    assert (result["due"], result["canaries"]) == (["a", "c", "d"], ["a"])
    assert {name: (node["turn"], node["begins"], node["ends"]) for name, node in result["nodes"].items()} == {
        "a": (1, 0, 600), "b": (None, None, None), "c": (2, 600, 1800), "d": (3, 1800, 2400)}
    assert (result["seconds"], result["opens"], result["refusal"], result["complete"]) == (2400, 0, "", False)
    assert (result["summary"], result["changed"], result["log"]) == ("4 nodes: 3 due, 1 as wanted", False, "")
    assert result["nodes"]["a"]["reboot"] and result["nodes"]["a"]["steps"] == ["install the driver"]


def test_canaries_may_be_a_group_and_domains_a_variable() -> None:
    result = run(canary=["first"], domain="rack", per_domain=1, max_unavailable=3)
    assert (result["canaries"], result["due"]) == (["d"], ["d", "c", "a"])
    assert {name: node["domain"] for name, node in result["nodes"].items()} == {"a": "r1", "b": "r1", "c": "r2", "d": "r1"}
    assert (result["nodes"]["c"]["begins"], result["nodes"]["a"]["begins"]) == (600, 600)


REFUSALS: dict[str, tuple[dict[str, t.Any], dict[str, t.Any], str]] = {
    "a node that has no plan": ({"e": BAD}, {}, "no node was touched: e refused: release: there is none"),
    "a check": ({"e": ROOM}, {}, "no node was touched: e refused: no room in /boot"),
    "a trial": ({"e": {**VARIABLES["a"], **TRIAL}}, {}, "no node was touched: e refused: it does not build for 6.1.0"),
    "one that is not reached": ({"a": VARIABLES["a"], "e": GONE}, {}, "no node was touched: 1 node failed or could not be reached (e)"),
    "one that may fail": ({"a": VARIABLES["a"], "e": GONE}, {"failures": 1}, ""),
    "a share that may fail": ({"a": VARIABLES["a"], "e": GONE}, {"failures": "50%"}, ""),
}


@pytest.mark.parametrize(("variables", "args", "why"), REFUSALS.values(), ids=REFUSALS)
def test_what_refuses_is_named(variables: dict[str, t.Any], args: dict[str, t.Any], why: str) -> None:
    result = run(variables, show=True, **args)
    assert result["refusal"].startswith(why) and bool(result["refusal"]) == bool(why)
    assert bool(result["log"]) is (why == ""), "no log is begun for a run that must not begin"


def test_a_log_is_begun_for_the_nodes_that_are_due(tmp_path: Path) -> None:
    path = str(tmp_path / "run.jsonl")
    assert run(log=path)["log"] == "" and run(log=path, check=True, show=True)["log"] == ""
    assert not Path(path).exists()
    assert run(log=path, show=True, max_unavailable="50%", pause=30, failures=1)["log"] == path
    course, events = rollout_log.Log(path).seen()
    assert course.places == (Place("a", 600, canary=True), Place("c", 1200), Place("d", 600))
    assert (course.policy, events) == (Policy(2, 1, 0, 30), [])
    assert course.run.endswith(f"-{os.getppid()}")
    assert run({"b": VARIABLES["b"]}, show=True)["log"] == ""
    path = run(show=True)["log"]
    assert Path(path).parent == tmp_path / ".ansible" / "instinct"
    assert Path(path).stem == f"upgrade-{rollout_log.Log(path).seen()[0].run}", "who finds the name in a note finds the log"


def test_a_node_that_took_no_note_of_its_end_is_known_from_the_log_of_its_run() -> None:
    rollout_log.begin(rollout_log.place("run-7"), Course((Place("a"),)))
    with rollout_log.Log(rollout_log.place("run-7")).held() as held:
        held.append(Event(1.0, "a", "begin"))
        held.append(Event(2.0, "a", "end", "failed", "gate: fail"))
    target = run()["nodes"]["a"]["target"]
    cut = note.text(Note(target, "rocm-7.2.3", "s1", "gate", "going", updated="t1", run="run-7"))
    result = run({"a": {"fleet_upgrade_seen": seen("x", note=cut)}, "b": {"fleet_upgrade_seen": seen("x", note=cut)}}, failures=1)
    assert {name: node["verdict"] for name, node in result["nodes"].items()} == {
        "a": "failed before: failed: gate: fail", "b": "due, cut off before"}


def test_no_log_is_begun_beside_a_run_that_goes_on(tmp_path: Path) -> None:
    with mock.patch.object(rollout_log, "refuse_others", side_effect=FleetError("another run", "goes on")) as asked:
        result = run(log=str(tmp_path / "log"), show=True)
        assert result["failed"] and result["msg"] == "another run: goes on" and not (tmp_path / "log").exists()
        assert [call.args for call in asked.mock_calls] == [(["a", "c", "d"],)]
        assert "failed" not in run(show=True, check=True), "to look at the schedule is always possible"


def test_too_few_forks_are_said() -> None:
    assert run(show=True, max_unavailable=3, forks=2)["warnings"] == [
        "3 nodes may be under way, and Ansible works on 2; use --forks 3"]
    assert "warnings" not in run(show=True, max_unavailable=30, forks=5)


WRONG: dict[str, tuple[dict[str, t.Any], str]] = {
    "max_unavailable": ({"max_unavailable": 0}, "fleet_upgrade_max_unavailable: is 0; write a number from 1, or '10%'"),
    "failures": ({"failures": "many"}, "fleet_upgrade_failures: is 'many'; "),
    "canary": ({"canary": "x"}, "fleet_upgrade_canary: has 'x', which is no node"),
    "retry": ({"retry": ["x"]}, "fleet_upgrade_retry: has 'x', which is no node"),
    "windows": ({"windows": [{"begins": "25:00", "ends": "06:00"}]}, "fleet_upgrade_windows[0].begins: '25:00' is no time of day; "),
}


@pytest.mark.parametrize(("args", "why"), WRONG.values(), ids=WRONG)
def test_a_wrong_value_is_one_sentence(args: dict[str, t.Any], why: str) -> None:
    result = run(**args)
    assert result["failed"] and result["msg"].startswith(why) and "failure" in result


@pytest.mark.parametrize("name", ["rollback", "detailed_exitcode"])
def test_what_is_neither_true_nor_false_is_refused(name: str) -> None:
    assert run(**{name: "flase"})["msg"] == f"fleet_upgrade_{name}: is 'flase'; write true or false"
    assert "failed" not in run(**{name: "false"})


NIGHT = [{"days": [day], "begins": "00:00", "ends": "00:01", "zone": "UTC"}
         for day in ("mon", "tue", "wed", "thu", "fri", "sat", "sun")]  # in which no node would be done


def test_the_way_back_waits_for_places_alone_unless_asked() -> None:
    slow: dict[str, t.Any] = {"windows": NIGHT, "pause": 600, "canary": ["d"], "max_unavailable": 2, "kind": "rollback"}
    result = run(show=True, **slow)
    course, _events = rollout_log.Log(result["log"]).seen()
    assert (result["refusal"], result["canaries"], result["opens"], course.policy) == ("", [], 0, Policy(2))
    assert [node["begins"] for node in result["nodes"].values()] == [0, None, 0, 600]
    for more in ({"waits": True}, {"kind": "upgrade", "waits": False}):
        asked = run(**{**slow, **more})
        assert asked["canaries"] == ["d"] and "no window of time is longer than 1 min 00 s" in asked["refusal"]
    assert run(**{**slow, "waits": "flase"})["msg"] == "fleet_rollback_waits: is 'flase'; write true or false"


def test_each_host_may_say_whether_it_goes_back() -> None:
    fine = {**VARIABLES, "b": {**VARIABLES["b"], "fleet_upgrade_rollback": False}}
    assert "failed" not in run(fine)
    wrong = {**fine, "c": {**VARIABLES["c"], "fleet_upgrade_rollback": "ture"}}
    assert run(wrong)["msg"] == "fleet_upgrade_rollback: is 'ture'; write true or false"


def test_hosts_with_one_name_in_their_scheduler_are_refused() -> None:
    one = {**VARIABLES["a"], "node_maintenance_scheduler": "slurm", "node_maintenance_scheduler_name": "n{{ 1 + 1 }}"}
    assert run({"n1.x": one, "n2.y": {**one, "node_maintenance_scheduler_name": "n1"}})["refusal"] == ""
    result = run({"n1.x": one, "n2.y": {**VARIABLES["b"], "node_maintenance_scheduler": "slurm"}})
    assert result["refusal"].startswith("no node was touched: n1.x, n2.y refused: more than one node of the inventory is n2 in slurm")


def test_a_part_of_the_tasks_is_refused() -> None:
    assert "failed" not in run(known={"ansible_run_tags": ["all"], "ansible_skip_tags": []})
    assert run(known={"ansible_skip_tags": ["gpu_driver"]})["msg"].startswith("--skip-tags gpu_driver: a roll-out takes every step")


def test_a_variable_that_nobody_reads_is_refused() -> None:
    result = run({**VARIABLES, "b": {**VARIABLES["b"], "fleet_upgrade_window": []}})
    assert result["failed"] and result["msg"] == (
        "variable fleet_upgrade_window: no roll-out has such a variable; did you mean fleet_upgrade_windows?")


def test_the_file_has_what_is_documented(tmp_path: Path) -> None:
    path = tmp_path / "schedule.json"
    result = run(path=str(path), check=True, show=True)
    data = json.loads(path.read_text(encoding="utf-8"))
    assert (data["version"], data["kind"]) == ("v1", "upgrade_plan")
    assert set(data) == {"version", "kind", "when", "complete", "refusal", "due", "canaries", "seconds", "opens", "counts", "nodes"}
    assert set(data["nodes"]["a"]) == set(yaml.safe_load(module.RETURN)["nodes"]["contains"])
    assert set(yaml.safe_load(module.RETURN)) == set(result) - {"changed"}
    options = {*yaml.safe_load(ModuleDocFragment.DOCUMENTATION)["options"], *yaml.safe_load(module.DOCUMENTATION)["options"]}
    assert options == {*collected.OPTIONS, "log", "show", *fleet_upgrade_plan.POLICY, *fleet_upgrade_plan.FLAGS, "canary", "retry", "domain", "kind", "waits"}
