# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""gpu_evict: what it is asked reaches the eviction, and its failure comes with what was done."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._act.outcome import Failed, Outcome
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._evict.options import Asked
from ansible_collections.instinct.fleet.plugins.modules import gpu_evict
from ansible_collections.instinct.fleet.tests.unit.plugins.run_module import run_module
from ansible_collections.instinct.fleet.tests.unit.support.evictions import DATA, RULES, A

RULES_DATA = {"path": "rules.yml", "data": DATA}


@pytest.mark.parametrize("check", [False, True])
def test_the_eviction_is_given_what_was_asked(monkeypatch: pytest.MonkeyPatch, check: bool) -> None:
    seen: list[tuple[Asked, bool]] = []

    def run(asked: Asked, checked: bool) -> Outcome:
        seen.append((asked, checked))
        return Outcome(("send SIGTERM to pid 7",), ({"before": "a", "after": ""},), {"survivors": []})

    monkeypatch.setattr(gpu_evict, "run", run)
    said = run_module(gpu_evict, {"devices": [A], "whom": "all", "rules_data": RULES_DATA}, check)
    assert (said["changed"], said["actions"], said["survivors"]) == (True, ["send SIGTERM to pid 7"], [])
    assert said["diff"] == [{"before": "a", "after": ""}]
    ((asked, checked),) = seen
    assert (asked.rules, asked.options["devices"], asked.options["kill_allowed"], checked) == (RULES, [A], False, check)


def test_a_failure_is_one_sentence_with_values(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(*_given: t.Any) -> t.NoReturn:
        raise Failed(FleetError("gpu_evict", "1 device not released", "allow more"), survivors=[7], changed=True, actions=["x"])

    monkeypatch.setattr(gpu_evict, "run", run)
    said = run_module(gpu_evict, {"devices": [A], "rules_data": RULES_DATA})
    assert (said["failed"], said["msg"], said["survivors"], said["changed"]) == (
        True, "gpu_evict: 1 device not released; allow more", [7], True)


def test_p0_is_refused_before_anything_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu_evict, "run", None)
    said = run_module(gpu_evict, {"devices": [A], "classes": ["P0"], "rules_data": RULES_DATA})
    assert (said["failed"], said["msg"]) == (True, "classes: has P0, which is never evicted; choose of P1, P2")
