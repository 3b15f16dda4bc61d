# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""gpu_qos, the module: options reach what runs, and its refusal is one sentence."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._act.outcome import Outcome
from ansible_collections.instinct.fleet.plugins.module_utils._qos.request import Request
from ansible_collections.instinct.fleet.plugins.modules import gpu_qos
from ansible_collections.instinct.fleet.tests.unit.plugins.run_module import run_module
from ansible_collections.instinct.fleet.tests.unit.support.qos_data import profile

GIVEN: dict[str, t.Any] = {"profile": "mine", "product_data": {"documents": [], "products": []},
                           "profile_data": [{"path": "p", "data": profile(power_cap="50%"), "layer": 0}]}


@pytest.mark.parametrize("check", [False, True])
def test_options_reach_the_run(monkeypatch: pytest.MonkeyPatch, check: bool) -> None:
    asked: list[Request] = []

    def run(request: Request) -> Outcome:
        asked.append(request)
        return Outcome(("set it",), values={"as_wanted": True})

    monkeypatch.setattr(gpu_qos, "run", run)
    window = {"profile": "mine", "begins": "22:00", "ends": "06:00", "days": ["mon"]}
    said = run_module(gpu_qos, {**GIVEN, "schedule": [window], "unsupported": "say", "gpus": ["0000:03:00.0"]}, check)
    assert (said["changed"], said["actions"], said["as_wanted"]) == (True, ["set it"], True)
    request = asked[0]
    assert (request.base, request.check, request.refuse, request.gpus) == ("mine", check, False, ("0000:03:00.0",))
    assert [entry.window.days for entry in request.schedule] == [(0,)]


def test_without_its_action_plugin_it_is_refused() -> None:
    said = run_module(gpu_qos, {"profile": "mine"})
    assert (said["failed"], said["msg"]) == (
        True, "gpu_qos: does not know what products take; call it by its full name: its action plugin brings it")
