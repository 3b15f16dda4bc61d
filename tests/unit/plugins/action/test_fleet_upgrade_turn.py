# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""fleet_upgrade_turn: who may begin, what the run and the node are told, and what becomes of a run that was killed."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
import typing as t
from pathlib import Path
from unittest import mock

import pytest
import yaml
from ansible.errors import AnsibleConnectionFailure, AnsibleError

from ansible_collections.instinct.fleet.plugins.action import fleet_upgrade_turn
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.shape import Course, Place, Policy
from ansible_collections.instinct.fleet.plugins.modules import fleet_upgrade_turn as module
from ansible_collections.instinct.fleet.plugins.plugin_utils import rollout_log

OURS = {"run": "run-7", "noted": "t0", "who": mock.ANY, "lock_timeout": 300}  # what the node is told besides
GOOD = {"note": {"step": "drain", "snapshot": "s1"}, "changed": True}


@pytest.fixture(name="log")
def _log(tmp_path: Path) -> str:
    return rollout_log.begin(str(tmp_path / "run.jsonl"), Course((Place("a", noted="t0"), Place("b"), Place("c")), Policy(2), run="run-7"))


def run(log: str, node: str, answer: t.Any = None, plan: t.Any = None, **args: t.Any) -> tuple[dict[str, t.Any], list[dict[str, t.Any]]]:
    """The result, and what node_progress was told."""
    task = mock.Mock(async_val=0, args={"log": log, **args}, check_mode=False, diff=False)
    action = fleet_upgrade_turn.ActionModule(task, *[mock.Mock()] * 5)
    with mock.patch.object(action, "_execute_module", side_effect=[answer]) as told:
        result = action.run(task_vars={"inventory_hostname": node, "gpu_release_plan": plan})
    assert all(call.args[0] == "instinct.fleet.node_progress" for call in told.mock_calls)
    return result, [call.args[1] for call in told.mock_calls]


def events(log: str) -> list[tuple[str, str, str, str]]:
    return [(one.node, one.event, one.word, one.reason) for one in rollout_log.Log(log).seen()[1]]


def test_a_node_that_may_begin_has_its_place_at_once(log: str) -> None:
    before = time.time()
    result, told = run(log, "a")
    assert (result["word"], result["reason"], result["changed"], told) == ("go", "", False, [])
    assert result["line"] == "rolling: 1 under way, 2 left"
    assert events(log) == [("a", "begin", "", "")]
    assert before <= rollout_log.Log(log).seen()[1][0].at <= time.time()


def test_a_node_that_nobody_planned_is_skipped(log: str) -> None:
    result, _told = run(log, "x")
    assert (result["word"], result["reason"]) == ("skip", "it is not due")
    assert events(log) == [("x", "skip", "", "it is not due")]


def test_a_run_that_has_failed_enough_skips_the_rest(log: str) -> None:
    run(log, "a")
    run(log, "a", event="end", word="failed", reason="no room")
    result, _told = run(log, "b")
    assert result["word"] == "skip" and "1 node failed or could not be reached (a)" in result["reason"]
    assert result["line"] == "stopped: 1 failed, 2 left"


def test_a_step_is_told_to_the_run_and_to_the_node(log: str) -> None:
    run(log, "a")
    result, told = run(log, "a", GOOD, event="step", word="trial", note={"snapshot": "s1"})
    assert result["note"] == GOOD["note"] and "failed" not in result
    assert told == [{"event": "step", "step": "trial", "reason": "", "snapshot": "s1", **OURS}]
    assert events(log)[1:] == [("a", "step", "trial", "")]


def test_the_lock_of_a_node_is_waited_for_as_its_plan_says(log: str) -> None:
    run(log, "a")
    _result, told = run(log, "a", GOOD, plan={"lock_timeout": 900}, event="step", word="drain", note={})
    assert told[0]["lock_timeout"] == 900
    _result, told = run(log, "a", GOOD, plan={"failed": True}, event="end", word="done", note={"lock_timeout": 5})
    assert told[0]["lock_timeout"] == 5


@pytest.mark.parametrize("none", [{}, {"note": None}, {"note": ""}], ids=["left out", "none", "none, by the oldest ansible"])
def test_a_step_without_a_note_is_told_to_the_run_alone(log: str, none: dict[str, t.Any]) -> None:
    run(log, "a")
    _result, told = run(log, "a", event="step", word="drain", **none)
    assert (told, events(log)[1:]) == ([], [("a", "step", "drain", "")])


ANSWERS = {
    "not reached": (AnsibleConnectionFailure("no route"), "no route"),
    "unreachable": ({"unreachable": True, "msg": "no route"}, "no route"),
    "refused": ({"failed": True, "msg": "/var/lib/instinct/upgrade.json: is not JSON"}, "/var/lib/instinct/upgrade.json: is not JSON"),
    "silent": ({}, "no reason was given; run again with -v"),
}


@pytest.mark.parametrize(("answer", "why"), ANSWERS.values(), ids=ANSWERS)
def test_a_step_that_the_node_does_not_know_of_does_not_begin(log: str, answer: t.Any, why: str) -> None:
    run(log, "a")
    result, _told = run(log, "a", answer, event="step", word="apply", note={})
    assert (result["failed"], result["word"], result["lost"]) == (True, "apply", False)
    assert result["msg"] == f"the node did not take note of the step apply: {why}"


LOST = {"failed": True, "msg": "another run: has taken this node", "failure": {"where": "another run"}}


def test_a_node_that_another_run_has_taken_is_lost_to_this_one(log: str) -> None:
    run(log, "a")
    result, _told = run(log, "a", LOST, event="step", word="snapshot", note={"event": "begin"})
    assert (result["failed"], result["lost"], result["msg"]) == (True, True, LOST["msg"])
    result, _told = run(log, "a", LOST, event="end", word="failed", reason=LOST["msg"], note={})
    assert (result["reason"], events(log)[-1]) == (LOST["msg"], ("a", "end", "failed", LOST["msg"])), "it is said once"


def test_it_may_be_lost_only_at_its_end(log: str) -> None:
    run(log, "a")
    result, _told = run(log, "a", LOST, event="end", word="failed", reason="gate", note={})
    assert result["reason"] == "gate; the node did not take note of that: another run: has taken this node"


def test_what_could_not_be_begun_is_said_once(log: str) -> None:
    run(log, "a")
    full, never = ({"failed": True, "msg": why} for why in ("no room; make room there", "no upgrade was begun"))
    begun, _told = run(log, "a", full, event="step", word="snapshot", note={"event": "begin"})
    ended, _told = run(log, "a", never, event="end", word="failed", reason=begun["msg"], note={})
    assert ended["reason"] == "the node did not take note of the step snapshot: no room; make room there"


def test_a_log_that_is_gone_keeps_no_node_from_its_note(log: str) -> None:
    run(log, "a")
    Path(log).unlink()
    result, told = run(log, "a", GOOD, event="end", word="failed", reason="gate", note={})
    assert result["failed"] and told == [{"event": "end", "state": "failed", "reason": "gate", "who": mock.ANY, "lock_timeout": 300}]


ENDS = {
    "well": (GOOD, "done", "", ("done", "")),
    "badly": (GOOD, "rolled back", "gate", ("rolled back", "gate")),
    "a note that is refused": (
        {"failed": True, "msg": "no room"}, "failed", "gate", ("failed", "gate; the node did not take note of that: no room")),
    "no module can be run": (AnsibleError("no sudo"), "failed", "gate", ("failed", "gate; the node did not take note of that: no sudo")),
    "out of reach": (AnsibleConnectionFailure("no route"), "failed", "gate",
                     ("unreachable", "gate; it did not answer at the end: no route")),
    "done, and then out of reach": ({"unreachable": True, "msg": "gone"}, "done", "",
                                    ("unreachable", "it did not answer at the end: gone")),
}


@pytest.mark.parametrize(("answer", "word", "reason", "ended"), ENDS.values(), ids=ENDS)
def test_whatever_a_node_answers_its_place_is_free(
    log: str, answer: t.Any, word: str, reason: str, ended: tuple[str, str],
) -> None:
    run(log, "a")
    result, told = run(log, "a", answer, event="end", word=word, reason=reason, note={})
    assert told == [{"event": "end", "state": word, "reason": reason, **OURS}]
    assert ((result["word"], result["reason"]), "failed" in result) == (ended, False)
    assert events(log)[1:] == [("a", "end", *ended)]


@pytest.mark.parametrize("error", [KeyError("getpwuid(): uid not found: 1000770000"), OSError("No username set in the environment")])
def test_who_has_no_name_is_unknown(log: str, error: Exception) -> None:
    run(log, "a")
    with mock.patch.object(fleet_upgrade_turn.getpass, "getuser", side_effect=error):
        _result, told = run(log, "a", GOOD, event="end", word="done", note={})
    assert told[0]["who"] == "unknown" and events(log)[-1] == ("a", "end", "done", "")


def test_the_note_may_say_another_end_than_the_run(log: str) -> None:
    run(log, "a")
    result, told = run(log, "a", GOOD, event="end", word="done", note={"state": "rolled back", "reason": "asked for"})
    assert (told[0]["state"], told[0]["reason"], result["word"]) == ("rolled back", "asked for", "done")


def _begin(log: str, node: str, results: t.Any) -> None:
    results.put((node, run(log, node)[0]["word"]))


def test_who_waits_goes_when_a_place_is_free(log: str) -> None:
    run(log, "a")
    run(log, "b")
    fork = multiprocessing.get_context("fork")
    results = fork.Queue()
    waiting = fork.Process(target=_begin, args=(log, "c", results))
    waiting.start()
    while ("c", "wait", "", "2 nodes may be under way at a time") not in events(log):
        time.sleep(0.01)
    run(log, "a", event="end", word="done")
    assert results.get(timeout=30) == ("c", "go")
    waiting.join()
    assert [one[:2] for one in events(log)] == [("a", "begin"), ("b", "begin"), ("c", "wait"), ("a", "end"), ("c", "begin")]


def _run_that_is_killed(log: str, pids: t.Any) -> None:
    worker = multiprocessing.get_context("fork").Process(target=run, args=(log, "c"))
    worker.start()
    pids.put(worker.pid)
    worker.join()


def test_a_process_whose_run_was_killed_does_not_begin(log: str) -> None:
    run(log, "a")
    run(log, "b")
    fork = multiprocessing.get_context("fork")
    pids = fork.Queue()
    main = fork.Process(target=_run_that_is_killed, args=(log, pids))
    main.start()
    left = pids.get(timeout=30)
    while ("c", "wait") not in [one[:2] for one in events(log)]:
        time.sleep(0.01)
    os.kill(t.cast(int, main.pid), signal.SIGKILL)
    main.join()
    for _glance in range(500):
        if not Path(f"/proc/{left}").exists() or Path(f"/proc/{left}/stat").read_text(encoding="utf-8").split(")")[1].split()[0] == "Z":
            break
        time.sleep(0.02)
    else:
        raise AssertionError("it goes on waiting")
    run(log, "a", event="end", word="done")
    assert ("c", "begin") not in [one[:2] for one in events(log)]


def test_a_log_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    result, _told = run(str(tmp_path / "gone"), "a")
    assert result["failed"] and result["msg"] == (
        f"{tmp_path}/gone: the log of the run: No such file or directory; set fleet_upgrade_log to another file")


def test_options_and_values_are_those_of_the_documentation(log: str) -> None:
    assert set(yaml.safe_load(module.DOCUMENTATION)["options"]) == {"log", "event", "word", "reason", "note"}
    returned = yaml.safe_load(module.RETURN)
    run(log, "a")
    result, _told = run(log, "a", GOOD, event="step", word="drain", note={})
    assert set(returned) - {"lost"} == set(result) - {"changed"}
    assert {name for name in returned if name not in ("note", "lost")} == set(run(log, "b")[0]) - {"changed"}
    assert "lost" in run(log, "a", LOST, event="step", word="apply", note={})[0]
