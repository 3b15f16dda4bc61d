# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Windows of time, held against a clock that is looked at every half hour of the week."""

from __future__ import annotations

import collections
import math

from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout import windows
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.shape import Window

MONDAY = 4 * 86400  # 1970-01-05
MINUTES = 7 * 24 * 60
STEP = 30
HOURS = st.integers(0, 23).map(lambda hour: 60 * hour)
WINDOWS = st.lists(st.builds(
    Window, st.sets(st.integers(0, 6), min_size=1, max_size=7).map(tuple), HOURS, HOURS, st.sampled_from([None, None, 0, 330, -480])), min_size=1, max_size=3)


def is_open(given: list[Window], minute: int, zone: int) -> bool:
    """Look at the clock of each window: is it between its begin and its end, of today or of yesterday?"""
    for one in given:
        day, now = divmod((minute + (zone if one.zone is None else one.zone)) % MINUTES, 1440)
        over_midnight = one.ends <= one.begins
        if day in one.days and one.begins <= now and (over_midnight or now < one.ends):
            return True
        if over_midnight and (day - 1) % 7 in one.days and now < one.ends:
            return True
    return False


def test_windows_are_open_when_the_clock_says_so() -> None:
    went: collections.Counter[str] = collections.Counter()

    @settings(max_examples=150, deadline=None, derandomize=True, database=None)
    @given(WINDOWS, st.integers(0, MINUTES // STEP - 1), st.sampled_from([0, 60, -120]))
    def check(given: list[Window], steps: int, zone: int) -> None:
        at = MONDAY + 60 * STEP * steps
        ahead = [is_open(given, STEP * (steps + later), zone) for later in range(MINUTES // STEP)]
        left = math.inf if all(ahead) else 60 * STEP * ahead.index(False)
        assert windows.left(given, at, zone) == left
        assert windows.opens(given, at, zone) == 60 * STEP * ahead.index(True)
        went["always" if left == math.inf else "open" if left else "closed"] += 1

    check()
    assert min(went[kind] for kind in ("open", "closed")) > 30
    assert went["always"]
