# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""gpu_quarantine: set and lifted, in check mode and again, with a diff."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.health.quarantine import Quarantine
from ansible_collections.instinct.fleet.plugins.modules import gpu_quarantine
from ansible_collections.instinct.fleet.tests.unit.plugins.run_module import run_module
from ansible_collections.instinct.fleet.tests.unit.support.gates import keep_in

SET = {"reason": "case 4711", "actor": "alice"}
GATE = Quarantine("gate", "timer", "failed", "then", ("x",))


@pytest.fixture
def state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> t.Any:
    return keep_in(monkeypatch, tmp_path / "instinct")


def run(check: bool = False, **args: t.Any) -> dict[str, t.Any]:
    return run_module(gpu_quarantine, args, check)


def test_it_is_set_once_and_lifted_once(state: t.Any, tmp_path: Path) -> None:
    planned = run(check=True, **SET)
    assert (planned["changed"], planned["actions"], (tmp_path / "instinct").exists()) == (True, ["set the node aside: case 4711"], False)
    first = run(**SET)
    assert (first["changed"], first["quarantine"]["by"], first["diff"][0]["before"]) == (True, "person", "")
    assert first["diff"][0]["after"].endswith(": case 4711\n") and first["diff"][0]["after_header"] == state.quarantine
    for check in (True, False):
        again = run(check=check, **SET)
        assert (again["changed"], again["quarantine"]) == (False, first["quarantine"])
    assert run(check=True, state="absent")["actions"] == ["lift the quarantine"] and state.read_quarantine() is not None
    assert run(state="absent")["changed"] is True and state.read_quarantine() is None
    assert run(check=True, state="absent")["changed"] is run(state="absent")["changed"] is False


@pytest.mark.parametrize("change", [{"reason": "other"}, {"actor": "bob"}])
def test_another_reason_replaces_it(state: t.Any, change: dict[str, str]) -> None:
    run(**SET)
    assert run(**{**SET, **change})["changed"] is True
    assert state.read_quarantine().reason == change.get("reason", "case 4711")


def test_a_person_takes_over_and_lifts_what_a_gate_set(state: t.Any) -> None:
    state.write_quarantine(GATE)
    assert run(**SET)["changed"] is True and state.read_quarantine().by == "person"
    state.write_quarantine(GATE)
    assert run(state="absent")["changed"] is True and state.read_quarantine() is None


def test_what_is_torn_is_not_lifted(state: t.Any) -> None:
    run(**SET)
    Path(state.quarantine).write_text("{", encoding="utf-8")
    said = run(state="absent")
    assert (said["failed"], said["failure"]["where"]) == (True, state.quarantine) and Path(state.quarantine).exists()


@pytest.mark.parametrize("missing", ["reason", "actor"])
def test_who_and_why_are_needed(state: t.Any, missing: str) -> None:
    assert run(**{name: value for name, value in SET.items() if name != missing})["failed"] is True
