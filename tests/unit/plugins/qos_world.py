# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node for quality of service that is a few variables: two GPUs that take what is set, or do not."""

from __future__ import annotations

import dataclasses as dc
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._act import journal, lock
from ansible_collections.instinct.fleet.plugins.module_utils._core.qos import state
from ansible_collections.instinct.fleet.plugins.module_utils._core.qos.profile import Profile
from ansible_collections.instinct.fleet.plugins.module_utils._core.qos.schedule import read_schedule
from ansible_collections.instinct.fleet.plugins.module_utils._core.qos.shape import (
    CLOCKS,
    LEVEL,
    NODE,
    Step,
    Target,
    Value,
)
from ansible_collections.instinct.fleet.plugins.module_utils._qos import apply, eyes
from ansible_collections.instinct.fleet.plugins.module_utils._qos.request import APPLIED, Known, Request
from ansible_collections.instinct.fleet.tests.unit.support.qos_data import own, profile

A, B = "0000:03:00.0", "0000:26:00.0"
WATT = 1_000_000
MONDAY = 4 * 86400.0  # 1970-01-05 at midnight, UTC
FRESH: dict[str, Value] = {"power_cap": 300 * WATT, "performance_level": "auto", "sclk_min_mhz": 500, "sclk_max_mhz": 1700,
                           "process_isolation": "off"}


class World:
    """The node.

    Attributes:
        values: target -> what it is.
        refuses: setting -> what is said instead of setting it.
        ignored: settings that are taken and not set.
        sets: every step that was tried.
        after: what happens once something was set.
        hour: of Monday.
    """

    def __init__(self) -> None:
        self.values: dict[str, dict[str, Value]] = {NODE: {"numa_balancing": "on"}, A: dict(FRESH), B: dict(FRESH)}
        self.refuses: dict[tuple[str, str], str] = {}
        self.ignored: set[str] = set()
        self.sets: list[str] = []
        self.after: t.Callable[[], t.Any] = lambda: None
        self.hour = 12.0

    def see(self, _products: t.Any, _seconds: float, steps: t.Sequence[Step] = ()) -> tuple[tuple[Target, ...], eyes.Failed]:
        """Steps and a look."""
        failed: eyes.Failed = {}
        for step in steps:
            if failed:
                failed[step.target, step.setting] = "not tried, for one before it failed"
                continue
            self.sets.append(step.words)
            if (step.target, step.setting) in self.refuses:
                failed[step.target, step.setting] = self.refuses[step.target, step.setting]
            elif step.setting not in self.ignored:
                of = self.values[step.target]
                of.update({LEVEL: "manual"} if step.setting in CLOCKS else {})
                of[step.setting] = step.value
        if steps:
            self.after()
        gpus = (Target(bdf, "MI210", False, dict(of), cap=(0, 300 * WATT, 300 * WATT)) for bdf, of in self.values.items() if bdf != NODE)
        return (Target(NODE, values=dict(self.values[NODE])), *gpus), failed

    def live(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> World:
        """Let what runs in this process be on this node. Its files are in a folder."""
        monkeypatch.setattr(lock, "LOCK", str(folder / "lock"))
        monkeypatch.setattr(journal, "JOURNAL", str(folder / "journal.jsonl"))
        monkeypatch.setattr(state, "PATH", str(folder / "qos.json"))
        monkeypatch.setattr(eyes, "see", self.see)
        monkeypatch.setattr(apply, "_clock", lambda: (MONDAY + self.hour * 3600, 0))
        return self


def request(base: str = "one", schedule: t.Any = (), profiles: dict[str, dict[str, t.Any]] | None = None, **options: t.Any) -> Request:
    """What a run is asked; profiles are names and settings."""
    given = profiles if profiles is not None else {"one": {"power_cap": "92%", "numa_balancing": "off"}}
    made = {name: Profile.from_document(profile(name, **settings), name) for name, settings in given.items()}
    found = Request(options.pop("state", APPLIED), Known(own(), ()), made, base, read_schedule(list(schedule), "schedule"))
    return dc.replace(found, **options)
