# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""gpu_idle: what it is asked reaches what waits, and its refusal is one sentence."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._act.outcome import Outcome
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._partition import idle
from ansible_collections.instinct.fleet.plugins.modules import gpu_idle
from ansible_collections.instinct.fleet.tests.unit.plugins.run_module import run_module


@pytest.mark.parametrize("check", [False, True])
def test_it_changes_nothing(monkeypatch: pytest.MonkeyPatch, check: bool) -> None:
    asked: list[tuple[t.Any, ...]] = []
    monkeypatch.setattr(idle, "wait", lambda *given: asked.append(given) or Outcome())
    said = run_module(gpu_idle, {"timeout": 5, "stop_units": ["a.service"]}, check)
    assert (said["changed"], said["actions"], asked) == (False, [], [(5, ("a.service",), check)])


def test_gpus_that_are_held_are_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    def wait(*_given: t.Any) -> t.NoReturn:
        raise FleetError("gpu a", "is held by pid 7", "drain the node first")

    monkeypatch.setattr(idle, "wait", wait)
    said = run_module(gpu_idle, {})
    assert (said["failed"], said["msg"], said["failure"]["where"]) == (True, "gpu a: is held by pid 7; drain the node first", "gpu a")
