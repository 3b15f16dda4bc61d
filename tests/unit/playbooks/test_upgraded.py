# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How upgrade.yml begins and ends, from real runs, and what its files must keep to: nothing is given back unproved."""

from __future__ import annotations

import json
import re
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout import reading
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.shape import Course, Place, Policy
from ansible_collections.instinct.fleet.plugins.plugin_utils import rollout_log
from ansible_collections.instinct.fleet.tests.unit.plugins.run_playbook import HERE, NOWHERE, end_of_playbook
from ansible_collections.instinct.fleet.tests.unit.support.project import ROOT, data, files

TASKS = ROOT / "playbooks/tasks"
CHOOSE = {"ansible.builtin.import_tasks": str(TASKS / "upgrade_schedule.yml")}
TELL = {"ansible.builtin.import_tasks": str(TASKS / "upgraded.yml")}
DETAILED = ("-e", "fleet_upgrade_detailed_exitcode=true")
RELEASE = {"name": "r", "kernel": {"wanted": ""}, "rocm": {"version": "1"}, "driver": {"source": "x", "packages": {}}}


def said(*steps: str, **more: t.Any) -> dict[str, t.Any]:
    """A node with these steps to take."""
    plans = {"gpu_driver": {"reboot": "", "problems": [], "by_action": {}}}
    plan = {"todo": bool(steps), "actions": list(steps), "release": RELEASE, "report": {}, "plans": plans}
    seen = {"plan": plan, "note": "", "standing": {"standing": "open"}, "checks": [], "seconds": 60}
    return {**HERE, "fleet_upgrade_seen": seen, **more}


DUE, WANTED = said("install"), said()
BAD = said(fleet_upgrade_seen={"failed": True, "msg": "release r: there is none", "failure": {"where": "release r"}})
GONE = said(fleet_upgrade_seen={"unreachable": True, "msg": "no route"})

# What begins: nodes, options -> exit code, and the one with exit codes that tell.
BEGINNINGS: dict[str, tuple[dict[str, t.Any], tuple[str, ...], int, int]] = {
    "nodes that are due": ({"a": DUE, "b": WANTED}, (), 0, 0),
    "one that refuses": ({"a": DUE, "b": BAD}, (), 2, 1),
    "one that is not reached": ({"a": DUE, "b": GONE}, (), 2, 1),
    "one that may not be reached": ({"a": DUE, "b": GONE}, ("-e", "fleet_upgrade_failures=50%"), 0, 0),
}
ENDINGS: dict[str, tuple[dict[str, t.Any], tuple[str, ...], int]] = {
    "all were as wanted": ({"a": WANTED}, (), 0),
    "one was not begun": ({"a": WANTED, "b": DUE}, (), 2),
    "a dry run": ({"a": WANTED, "b": DUE}, ("--check",), 0),
    "a dry run that tells": ({"a": WANTED, "b": DUE}, ("--check", *DETAILED), 2),
    "a dry run of what is done": ({"a": WANTED}, ("--check", *DETAILED), 0),
}


@pytest.mark.parametrize(("hosts", "options", "plain", "detailed"), BEGINNINGS.values(), ids=BEGINNINGS)
def test_one_that_refuses_stops_all(
    tmp_path: Path, hosts: dict[str, t.Any], options: tuple[str, ...], plain: int, detailed: int,
) -> None:
    chosen = {"ansible.builtin.debug": {"msg": "GOES ON with {{ hostvars['localhost'].fleet_upgrade_due | join(' ') }}"}}
    trial = ("-e", "fleet_upgrade_kind=rollback", "-e", f"fleet_upgrade_log={tmp_path}/log")  # which builds no driver
    for more, code in (((), plain), (DETAILED, detailed)):
        done = end_of_playbook(tmp_path, hosts, [CHOOSE, chosen], *options, *trial, *more)
        assert (done.returncode, "GOES ON with a" in done.stdout) == (code, code == 0), done.stdout
        assert ("no node was touched: " in done.stdout + done.stderr) is (code != 0)


WRONG = {
    "some tags": ("--tags gpu_driver: a roll-out takes every step or none", "--tags", "gpu_driver"),
    "all but some": ("--skip-tags gpu_driver: a roll-out takes every step or none", "--skip-tags", "gpu_driver"),
    "a slip": ("fleet_upgrade_rollback: is 'flase'; write true or false", "-e", "fleet_upgrade_rollback=flase"),
}


@pytest.mark.parametrize(("sentence", "options"), [(one[0], one[1:]) for one in WRONG.values()], ids=WRONG)
def test_what_was_not_meant_so_is_refused_before_a_node_is_touched(tmp_path: Path, sentence: str, options: tuple[str, ...]) -> None:
    done = end_of_playbook(tmp_path, {"a": DUE}, [CHOOSE, {"ansible.builtin.debug": {"msg": "GOES ON"}, "tags": ["always"]}], *options)
    assert (done.returncode, sentence in done.stdout, "GOES ON" in done.stdout) == (2, True, False), done.stdout


def test_a_second_roll_out_of_the_same_process_begins_afresh(tmp_path: Path) -> None:
    chosen = {"ansible.builtin.debug": {"msg": "DUE {{ hostvars['localhost'].fleet_upgrade_due | join(' ') }}."}, "run_once": True}
    again = {"ansible.builtin.set_fact": {"fleet_upgrade_seen": "{{ next }}"}}
    due, wanted = ({"next": one["fleet_upgrade_seen"]} for one in (DUE, WANTED))
    hosts = {"a": DUE | wanted, "b": DUE | due, "c": WANTED | due}
    log = ("-e", f"fleet_upgrade_log={tmp_path}/log", "-e", "fleet_upgrade_kind=rollback", "-e", "fleet_rollback_waits=true", "-e", "fleet_upgrade_canary=c")
    done = end_of_playbook(tmp_path, hosts, [CHOOSE, chosen, again, CHOOSE, chosen], *log)
    assert re.findall(r"DUE ([^.]*)\.", done.stdout) == ["a b", "c b"], done.stdout


LEFT_BEHIND = {"fleet_upgrade_trial", "fleet_upgrade_noted", "fleet_upgrade_kept", "fleet_upgrade_why", "fleet_upgrade_ended"}


@pytest.mark.parametrize("look", ["upgrade_look.yml", "rollback_look.yml"])
def test_what_a_node_of_an_earlier_roll_out_left_is_forgotten(look: str) -> None:
    first = t.cast("list[dict[str, t.Any]]", data(f"playbooks/tasks/{look}"))[0]["block"][0]["ansible.builtin.set_fact"]
    assert {name for name in first if name in LEFT_BEHIND and not first[name]} == LEFT_BEHIND
    node = [TASKS / name for name in ("upgrade_node.yml", "upgrade_steps.yml", "upgrade_failed.yml", "upgrade_snapshot.yml", "upgrade_step.yml",
                                      "upgrade_undrain.yml", "upgrade_trial.yml", "rollback_node.yml", "rollback_steps.yml")]
    kept = {name for path in node for name in re.findall(r"(?:^ +|register: )(fleet_upgrade_[a-z]+)(?::|$)", path.read_text("utf-8"), re.MULTILINE)}
    assert kept - LEFT_BEHIND == {"fleet_upgrade_turn", "fleet_upgrade_retreat"}, "which are set before they are read"


@pytest.mark.parametrize(("hosts", "options", "code"), ENDINGS.values(), ids=ENDINGS)
def test_exit_codes(tmp_path: Path, hosts: dict[str, t.Any], options: tuple[str, ...], code: int) -> None:
    where = tmp_path / "upgrade.json"
    planned = {"a": "as wanted", "b": "due"}
    known = {name: {**host, "fleet_upgrade_plan": {"log": "", "nodes": {n: {"status": planned[n]} for n in hosts}}}
             for name, host in hosts.items()}
    done = end_of_playbook(tmp_path, known, [TELL], *options, "-e", f"fleet_upgrade_path={where}")
    assert done.returncode == code, done.stdout
    assert where.exists() is ("--check" not in options), "in check mode the file is the schedule's"
    if where.exists():
        assert list(json.loads(where.read_text(encoding="utf-8"))["nodes"]) == list(hosts)


@pytest.mark.parametrize("story", ["upgrade", "rollback"])
def test_a_node_that_does_not_answer_frees_its_place_and_is_not_given_back(tmp_path: Path, story: str) -> None:
    log = rollout_log.begin(str(tmp_path / "log"), Course((Place("a"), Place("b")), Policy(2)))
    node = {"status": "due", "release": "r", "target": "r", "steps": ["install"], "snapshot": "", "back": ""}
    seen = DUE["fleet_upgrade_seen"] | {"note": "text"}
    plan = {"log": log, "nodes": {"a": node, "b": node}}
    host = {**NOWHERE, "ansible_ssh_timeout": 1, "fleet_upgrade_seen": seen, "fleet_upgrade_plan": plan}
    where = tmp_path / "upgrade.json"
    tasks = [{"ansible.builtin.include_tasks": {"file": str(TASKS / f"{story}_node.yml"), "apply": {"ignore_unreachable": True}}},
             {**TELL, "run_once": True}]
    done = end_of_playbook(tmp_path, {"a": host, "b": host}, tasks, "-e", f"fleet_upgrade_path={where}")
    nodes = json.loads(where.read_text(encoding="utf-8"))["nodes"]
    assert done.returncode == 2 and "Give it back" not in done.stdout
    assert {name: one["status"] for name, one in nodes.items()} == {"a": "unreachable", "b": "unreachable"}
    assert "did not" in nodes["a"]["reason"] and "ssh" in nodes["a"]["reason"].lower()
    assert [one.event for one in rollout_log.Log(log).seen()[1] if one.node == "b"][-1] == "end"


@pytest.mark.parametrize("story", ["upgrade", "rollback"])
def test_a_node_for_which_no_task_can_be_run_any_more_frees_its_place(tmp_path: Path, story: str) -> None:
    log = rollout_log.begin(str(tmp_path / "log"), Course((Place("a"),), Policy(1)))
    node = {"status": "due", "release": "r", "target": "r", "steps": ["install"], "snapshot": "", "back": ""}
    gone = "{{ undef(hint='the token is no longer valid') if fleet_upgrade_turn is defined else 'secret' }}"
    host = {**HERE, "ansible_become": True, "ansible_become_password": gone, "fleet_upgrade_plan": {"log": log, "nodes": {"a": node}},
            "fleet_upgrade_seen": DUE["fleet_upgrade_seen"] | {"note": "text"}}
    done = end_of_playbook(tmp_path, {"a": host}, [{"ansible.builtin.include_tasks": str(TASKS / f"{story}_node.yml")}])
    ended = rollout_log.Log(log).seen()[1][-1]
    assert (ended.event, ended.word) == ("end", "unreachable") and "the token is no longer valid" in ended.reason, done.stdout


def included(name: str) -> list[str]:
    """What a file of tasks includes, in its order: files, and the entries of roles that change a node's place."""
    text = (TASKS / name).read_text(encoding="utf-8")
    found = re.findall(r"include_tasks: (\S+)|tasks_from: (drain|undrain|gate|rollback|snapshot)$", text, re.MULTILINE)
    return ["".join(one) for one in found]


def test_giving_back_is_the_last_step_behind_a_gate() -> None:
    steps = {
        "upgrade_steps.yml": ["upgrade_snapshot.yml", "upgrade_build.yml", "upgrade_drain.yml", "upgrade_apply.yml",
                              "upgrade_gate.yml", "upgrade_undrain.yml"],
        "rollback_steps.yml": ["upgrade_drain.yml", "upgrade_back.yml", "upgrade_undrain.yml"],
        "partition_steps.yml": ["drain", "node_gate.yml", "node_undrain.yml"],
        "upgrade_undrain.yml": ["upgrade_step.yml", "node_undrain.yml"],
        "upgrade_gate.yml": ["upgrade_step.yml", "node_gate.yml"],
        "node_undrain.yml": ["undrain"],
        "node_gate.yml": ["gate"],
        "upgrade_back.yml": ["upgrade_step.yml", "rollback", "upgrade_gate.yml"],
    }
    assert {name: included(name) for name in steps} == steps
    acting = [path for path in files("playbooks/tasks/*.yml") if "_look" not in path]
    assert [p for p in acting if "undrain" in included(Path(p).name)] == ["playbooks/tasks/node_undrain.yml"]
    assert [p for p in acting if "node_undrain.yml" in included(Path(p).name)] == [
        "playbooks/tasks/partition_steps.yml", "playbooks/tasks/upgrade_undrain.yml"]
    assert [p for p in acting if "upgrade_undrain.yml" in included(Path(p).name)] == [
        "playbooks/tasks/rollback_steps.yml", "playbooks/tasks/upgrade_steps.yml"]


def test_what_is_known_of_a_gate_is_forgotten_before_it_is_asked() -> None:
    gate = t.cast("list[dict[str, t.Any]]", data("playbooks/tasks/node_gate.yml"))
    assert gate[0]["ansible.builtin.set_fact"] == {"gpu_health_verdict": {}}
    assert gate[2]["ansible.builtin.assert"]["that"] == "gpu_health_verdict.verdict | default('') in ['pass', 'warn']"


VERDICTS = {"pass": "", "warn": "", "fail": "its gate says fail", "unknown": "its gate says unknown", None: "the node did not answer"}


def test_only_a_gate_that_passed_lets_a_node_go_on_whatever_fails_a_gate_elsewhere(tmp_path: Path) -> None:
    last = t.cast("list[dict[str, t.Any]]", data("playbooks/tasks/node_gate.yml"))[-1]
    hosts = {str(said): {**HERE, "gpu_health_verdict": {"verdict": said} if said else {}} for said in VERDICTS}
    done = end_of_playbook(tmp_path, hosts, [last, {"ansible.builtin.debug": {"msg": "GOES ON {{ inventory_hostname }}"}}])
    assert sorted(re.findall(r"GOES ON (\w+)", done.stdout)) == ["pass", "warn"]
    assert all(why in done.stdout for why in VERDICTS.values())


def test_variables_are_those_of_the_documentation_and_no_fact_is_taken_for_one() -> None:
    rows = re.findall(r"^\| `fleet_upgrade_(\w+)` \|", (ROOT / "docs/upgrade.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(rows) == sorted(reading.VARIABLES)
    text = "".join((ROOT / path).read_text(encoding="utf-8") for path in files("playbooks/*.yml", "playbooks/tasks/*.yml"))
    reading.refuse_misspelt(re.findall(r"\bfleet_upgrade_\w+", text))


STANDINGS = {"open": {"standing": "open"}, "foreign": {"standing": "foreign"}, "ours": {"standing": "ours"}, "silent": {"unreachable": True}}


def test_a_node_that_is_still_out_of_work_by_us_is_not_done(tmp_path: Path) -> None:
    proof = t.cast("list[dict[str, t.Any]]", data("playbooks/tasks/node_undrain.yml"))[-1]
    last = [proof, t.cast("list[dict[str, t.Any]]", data("playbooks/tasks/upgrade_undrain.yml"))[-1]]
    told = {"ansible.builtin.debug": {"msg": "DONE {{ inventory_hostname }} {{ fleet_upgrade_ended.state }}"}}
    hosts = {name: {**HERE, "node_maintenance_standing": found} for name, found in STANDINGS.items()}
    done = end_of_playbook(tmp_path, hosts, [*last, told])
    assert sorted(re.findall(r"DONE (\w+ \w+)", done.stdout)) == ["foreign done", "open done"]


@pytest.mark.parametrize("story", ["upgrade", "rollback"])
def test_nodes_have_no_barrier_and_each_ends_whatever_happens(story: str) -> None:
    plays = t.cast("list[dict[str, t.Any]]", data(f"playbooks/{story}.yml"))
    assert [play.get("strategy") for play in plays] == [None, "host_pinned", None]
    assert all(play["ignore_unreachable"] is True and "serial" not in play for play in plays)
    turn, block = t.cast("list[dict[str, t.Any]]", data(f"playbooks/tasks/{story}_node.yml"))
    assert "event" not in turn["instinct.fleet.fleet_upgrade_turn"]
    assert block["when"] == "fleet_upgrade_turn.word == 'go'"
    assert [task["ansible.builtin.import_tasks"] for task in block["always"]] == ["upgrade_end.yml"]
    (end,) = t.cast("list[dict[str, t.Any]]", data("playbooks/tasks/upgrade_end.yml"))
    assert [task["instinct.fleet.fleet_upgrade_turn"]["event"] for task in (*end["block"], *end["rescue"])] == ["end", "end"]
