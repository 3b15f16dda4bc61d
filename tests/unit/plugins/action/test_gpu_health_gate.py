# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""gpu_health_gate: what the node is given, when the task fails, a look from elsewhere, and its documentation."""

from __future__ import annotations

import dataclasses as dc
import json
import typing as t
from pathlib import Path
from unittest import mock

import pytest
import yaml

from ansible_collections.instinct.fleet.plugins.action import gpu_health_gate
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.plugins.modules import gpu_health_gate as module
from ansible_collections.instinct.fleet.tests.unit.plugins.run_module import run_module
from ansible_collections.instinct.fleet.tests.unit.support.gates import keep_in, lost, show
from ansible_collections.instinct.fleet.tests.unit.support.healthy import A, B, gpu, health, look

BAD = look(healths=(health(A, blocks={"umc": lk.BlockErrors(0, 1, 0)}, xgmi_links=("down", "up")), health(B)))
SAID = {"verdict": "fail", "exit_code": 1, "evidence": ["a of b: c", "d of e: f"], "next_action": "mend it", "profile": "admission",
        "changed": False, "invocation": {"module_args": {}}}


def run(said: dict[str, t.Any] | None = None, **args: t.Any) -> tuple[dict[str, t.Any], mock.Mock]:
    """What the action returns, and how it called the module."""
    task = mock.Mock(async_val=0, args=args, check_mode=False, diff=False)
    action = gpu_health_gate.ActionModule(task, *[mock.Mock()] * 5)
    with mock.patch.object(action, "_execute_module", return_value=dict(said or {})) as called:
        return action.run(task_vars={}), called


def test_the_node_is_given_profile_and_faults() -> None:
    result, called = run(SAID, wait={"timeout": 9}, wanted={"gpus": 4})
    (name, given), _more = called.call_args
    assert name == "instinct.fleet.gpu_health_gate"
    assert (given["profile_data"]["id"], len(given["fault_data"]["documents"]) > 1, bool(given["actor"])) == ("admission", True, True)
    assert (given["wait"]["timeout"], given["wanted"]["gpus"], "look" in given, "quarantine" in given) == (9, 4, False, False)
    assert (result["verdict"], "failed" in result, "invocation" in result) == ("fail", False, False)


@pytest.mark.parametrize(("fail_on", "said", "message"), [
    (["fail"], SAID, "admission: fail: a of b: c and 1 more; mend it"),
    (["unknown"], SAID, None),
    (["warn"], {**SAID, "verdict": "warn", "evidence": ["a of b: c"], "next_action": ""}, "admission: warn: a of b: c"),
    (["unknown"], {**SAID, "verdict": "unknown", "evidence": []}, "admission: unknown; mend it"),
    (["fail"], {"failed": True, "msg": "x: y"}, "x: y"),
])
def test_the_task_fails_only_when_asked_to(fail_on: list[str], said: dict[str, t.Any], message: str | None) -> None:
    result, _called = run(said, fail_on=fail_on)
    assert result.get("failed", False) is (message is not None) and result.get("msg") == message


def test_what_is_wrong_on_the_controller_is_one_sentence() -> None:
    result, called = run(profile="nightly")
    assert (result["failed"], called.called) == (True, False)
    assert result["msg"] == "gpu_health_profile: there is no profile 'nightly'; choose one of admission, burn_in, running"


DISPLAY = gpu(B, 1, device_id="73a3", product=None, market_name="AMD Radeon PRO W6800")


@pytest.mark.parametrize(("seen", "verdict"), [
    (look(), "pass"), (BAD, "fail"), (look((gpu(), DISPLAY), log=lost(A)), "fail"), (look((gpu(), DISPLAY), log=lost(B)), "pass")])
def test_a_look_from_elsewhere_is_judged_here(seen: lk.Look, verdict: str) -> None:
    result, called = run(look=json.loads(json.dumps(dc.asdict(seen))))
    assert (result["verdict"], result["changed"], result["profile"], called.called) == (verdict, False, "admission", False)


def test_a_look_that_is_none_is_one_sentence() -> None:
    assert run(look={"gpus": 5})[0]["msg"] == "look.gpus: is int, not a mapping"


def test_the_module_does_what_the_action_gives_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    keep_in(monkeypatch, tmp_path)
    show(monkeypatch, BAD)
    (_name, given), _more = run(SAID)[1].call_args
    said = run_module(module, given)
    assert (said["verdict"], said["exit_code"], said["changed"], said["profile"]) == ("fail", 1, True, "admission")
    assert said["actions"] == ["record admission: fail", "take a baseline"] and (tmp_path / "health.jsonl").exists()
    assert set(yaml.safe_load(module.RETURN)) - set(said) == {"failure"}
    assert run_module(module, given)["changed"] is False
    assert run_module(module, {})["msg"].startswith("gpu_health_gate: has no profile")


def test_documentation_is_the_specification() -> None:
    options = yaml.safe_load(module.DOCUMENTATION)["options"]
    assert set(options) == set(module.SPEC)
    assert {name: option.get("default") for name, option in options.items()} == {name: option.get("default") for name, option in module.SPEC.items()}
