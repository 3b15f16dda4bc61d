# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Resetting a GPU: what the library says of it."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Smi
from ansible_collections.instinct.fleet.plugins.module_utils._node.machine import Machine
from ansible_collections.instinct.fleet.plugins.module_utils._smi import amdsmi_reset, amdsmi_set, reset
from ansible_collections.instinct.fleet.plugins.module_utils._smi.child import Heard

A = "0000:05:00.0"


@pytest.mark.parametrize(("said", "problem", "expected"), [
    ({"told": {A: {"code": 0, "status": "AMDSMI_STATUS_SUCCESS", "words": ""}}}, None, ""),
    ({"told": {A: {"code": 2, "status": "AMDSMI_STATUS_NOT_SUPPORTED", "words": "Feature not supported"}}}, None,
     "AMDSMI_STATUS_NOT_SUPPORTED: Feature not supported"),
    ({"told": {A: {"code": None, "status": "", "words": "the library does not list this GPU"}}}, None, "the library does not list this GPU"),
    ({"step": f"resetting {A}"}, "the library did not answer in 60 s", "the library did not answer in 60 s"),
    ({}, None, "the library gave no answer"),
], ids=["done", "not supported", "not listed", "it hangs", "nothing"])
def test_what_came_of_it(monkeypatch: pytest.MonkeyPatch, said: dict[str, t.Any], problem: str | None, expected: str) -> None:
    asked: list[t.Any] = []

    def heard(_machine: Machine, seconds: float, programs: t.Any, **request: t.Any) -> Heard:
        asked.append((seconds, programs, request))
        return Heard(Smi(), said, problem)

    monkeypatch.setattr(reset, "heard", heard)
    assert reset.reset(Machine(), A, 60) == expected
    assert asked == [(60, (amdsmi_set, amdsmi_reset), {"lock": "/run/instinct-smi.lock", "bdf": A})]
