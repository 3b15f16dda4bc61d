# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""gpu_reservation_info: what it is asked, what it returns, and its documentation."""

from __future__ import annotations

import typing as t

import pytest
import yaml

from ansible_collections.instinct.fleet.plugins.module_utils._act.outcome import Outcome
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation import verdict_plain
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.verdict import judge
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.verdict_holder import Held
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.verdict_proof import Proof
from ansible_collections.instinct.fleet.plugins.module_utils._reservation import check
from ansible_collections.instinct.fleet.plugins.modules import gpu_reservation_info
from ansible_collections.instinct.fleet.tests.unit.plugins.run_module import run_module
from ansible_collections.instinct.fleet.tests.unit.support.trespass import DEVICES, RECORD, A, holder

VALUES = verdict_plain.plain(judge(RECORD, DEVICES, Held((holder(8, A, user="bob"),))), [Proof("x", A.id, "p", True, False, "trespass")], {}, True)


@pytest.mark.parametrize("checking", [False, True])
def test_it_changes_nothing(monkeypatch: pytest.MonkeyPatch, checking: bool) -> None:
    asked: list[tuple[t.Any, ...]] = []
    monkeypatch.setattr(check, "check", lambda *given: asked.append(given) or Outcome(values=VALUES))
    said = run_module(gpu_reservation_info, {"prove": True, "timeout": 5}, checking)
    assert (said["changed"], said["actions"], said["verdict"], said["proved"], asked) == (False, [], "trespass", "trespass", [(5, True)])
    run_module(gpu_reservation_info, {}, checking)
    assert asked[1:] == [(120, False)]


def test_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_given: t.Any) -> t.NoReturn:
        raise FleetError("prove", "only root can", "run as root")

    monkeypatch.setattr(check, "check", refuse)
    said = run_module(gpu_reservation_info, {"prove": True})
    assert (said["failed"], said["msg"], said["failure"]["where"]) == (True, "prove: only root can; run as root", "prove")


def test_what_is_returned_is_documented() -> None:
    documented = yaml.safe_load(gpu_reservation_info.RETURN)
    assert set(documented) - {"actions", "failure"} == set(VALUES)
    devices = documented["devices"]["contains"]
    assert set(devices) == set(VALUES["devices"][0])
    assert set(devices["holders"]["contains"]) == set(VALUES["devices"][0]["holders"][0])
    assert set(documented["proofs"]["contains"]) == set(VALUES["proofs"][0])
