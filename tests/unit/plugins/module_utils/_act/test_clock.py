# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Waiting ends when its time is over, not later, and looks once more then."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._act.clock import ticks

WAITS = {
    "no time at all": (0, 5, [0]),
    "even": (10, 5, [0, 5, 10]),
    "cut short": (12, 5, [0, 5, 10, 12]),
}


@pytest.mark.parametrize(("timeout", "pause", "seen"), WAITS.values(), ids=WAITS)
def test_ticks(timeout: float, pause: float, seen: list[float]) -> None:
    clock = [100.0]

    def rest(seconds: float) -> None:
        clock[0] += seconds

    assert list(ticks(timeout, pause, now=lambda: clock[0], rest=rest)) == seen
