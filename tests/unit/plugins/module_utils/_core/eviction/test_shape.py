# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The words of evictions: what is asked if nothing is said, and what each class is given."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.eviction.shape import (
    CHECKPOINTS,
    EVICTABLE,
    WHOM,
    Request,
)
from ansible_collections.instinct.fleet.plugins.modules.gpu_evict import SPEC
from ansible_collections.instinct.fleet.tests.unit.support.evictions import RULES


def test_nothing_forceful_is_done_unless_it_is_asked_for() -> None:
    asked = Request(("0000:05:00.0",))
    assert (asked.whom, asked.checkpoint, asked.kill_allowed, asked.reset_allowed, asked.protection) == (
        "trespassers", "required", False, False, True)


def test_defaults_are_those_of_the_module() -> None:
    asked = Request(("0000:05:00.0",))
    for name in ("whom", "checkpoint", "kill_allowed", "reset_allowed", "protection", "grace"):
        assert getattr(asked, name) == SPEC[name]["default"]
    assert set(asked.classes) == set(SPEC["classes"]["default"]) == {"P1", "P2"}
    assert (set(SPEC["whom"]["choices"]), set(SPEC["checkpoint"]["choices"])) == (set(WHOM), set(CHECKPOINTS))


@pytest.mark.parametrize(("priority", "seconds"), [("P1", 30), ("P2", 15)])
def test_each_class_that_may_be_evicted_has_its_time(priority: str, seconds: int) -> None:
    assert (RULES.grace(priority), priority in EVICTABLE) == (seconds, True)
