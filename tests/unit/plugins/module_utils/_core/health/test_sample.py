# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Why a field has no value, and of which GPU nothing is told."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.health.sample import Seen, reason_of, without
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.tests.unit.support.healthy import A, B, gpu, health, look

UNKNOWN = {"pages": "error 10", "temperatures_c.edge": "no sensor", "blocks[umc]": "error 2"}


@pytest.mark.parametrize(("field", "reason"), [
    ("pages", "error 10"), ("pages.pending", "error 10"), ("temperatures_c.edge", "no sensor"), ("temperatures_c", "no sensor"),
    ("temperatures_c.memory", ""), ("blocks", "error 2"), ("page", ""), ("power_w", ""),
])
def test_reason_of(field: str, reason: str) -> None:
    assert reason_of(UNKNOWN, field) == reason


def test_reason_of_everything() -> None:
    assert reason_of({"*": "no library"}, "power_w") == "no library"


def test_a_field_that_nobody_gives_a_reason_for_is_not_supported() -> None:
    assert without(gpu(), "power_w", health()).supported is False
    assert without(gpu(), "power_w", health(unknown={"power_w": "error 2"})).reason == "error 2"


@pytest.mark.parametrize(("section", "reason"), [
    (None, "section health was not looked at"),
    (lk.Health((), unknown={A: "suspended", "gpus": "no library"}), "suspended"),
    (lk.Health((), unknown={"gpus": "no library"}), "no library"),
    (lk.Health((), unknown={"pids": "error 2"}), "error 2"),
    (lk.Health(()), "nothing told of this GPU"),
])
def test_healths_says_why_a_gpu_is_silent(section: lk.Health | None, reason: str) -> None:
    told = {item.bdf: said for item, said in Seen(dc.replace(look(), health=section)).healths()}
    assert told[A] == reason and set(told) == {A, B}
