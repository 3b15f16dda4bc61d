# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Windows of time: hours that cross midnight and the week, zones, windows that touch."""

from __future__ import annotations

import math

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout import windows
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.shape import Window

MONDAY = 4 * 86400  # 1970-01-05, 00:00 UTC
HOUR = 3600
ALL = tuple(range(7))
NIGHT = Window(ALL, 22 * 60, 6 * 60)
WEEKEND = Window((5, 6), 0, 0)

# windows, hours since Monday, minutes that the control machine is before UTC -> hours open, hours until one opens
OPEN: dict[str, tuple[tuple[Window, ...], float, int, float, float]] = {
    "without windows it never closes": ((), 3, 0, math.inf, 0),
    "at its first second": ((NIGHT,), 22, 0, 8, 0),
    "a second before": ((NIGHT,), 22 - 1 / HOUR, 0, 0, 1 / HOUR),
    "after midnight": ((NIGHT,), 5.5, 0, 0.5, 0),
    "half a second before its end": ((NIGHT,), 6 - 0.5 / HOUR, 0, 0.5 / HOUR, 0),
    "at its end": ((NIGHT,), 6, 0, 0, 16),
    "over the end of the week": ((Window((6,), 22 * 60, 6 * 60),), 1, 0, 5, 0),
    "on another day": ((Window((2,), 8 * 60, 9 * 60),), 8.5, 0, 0, 47.5),
    "days that touch": ((WEEKEND,), 5 * 24 + 1, 0, 47, 0),
    "until it opens in the next week": ((Window((0,), 60, 120),), 3, 0, 0, 7 * 24 - 2),
    "one begins where another ends": ((Window(ALL, 60, 120), Window(ALL, 120, 180)), 1.5, 0, 1.5, 0),
    "one within another": ((Window(ALL, 60, 300), Window(ALL, 120, 180)), 2.5, 0, 2.5, 0),
    "all the time": ((Window(ALL, 60, 60),), 9, 0, math.inf, 0),
    "by the clock of the control machine": ((NIGHT,), 21, 60, 8, 0),
    "by the clock of a machine west of UTC": ((NIGHT,), 22, -90, 0, 1.5),
    "by a clock of its own": ((Window(ALL, 22 * 60, 6 * 60, 120),), 20, 600, 8, 0),
    "by UTC, whatever the control machine has": ((Window(ALL, 22 * 60, 6 * 60, 0),), 23, 600, 7, 0),
}


@pytest.mark.parametrize(("given", "hours", "zone", "left", "opens"), OPEN.values(), ids=OPEN)
def test_how_long_it_is_open(given: tuple[Window, ...], hours: float, zone: int, left: float, opens: float) -> None:
    at = MONDAY + hours * HOUR
    assert windows.left(given, at, zone) == pytest.approx(left * HOUR)
    assert windows.opens(given, at, zone) == pytest.approx(opens * HOUR)


def test_the_weeks_are_alike() -> None:
    later = MONDAY + 2950 * windows.WEEK + 23 * HOUR
    assert windows.left([NIGHT], later, 0) == 7 * HOUR


LONGEST: dict[str, tuple[tuple[Window, ...], float]] = {
    "without windows": ((), math.inf),
    "one": ((NIGHT,), 8),
    "of several": ((NIGHT, Window((2,), 10 * 60, 20 * 60)), 10),
    "of two that touch": ((NIGHT, Window((2,), 6 * 60, 10 * 60)), 12),
    "of two that overlap": ((NIGHT, Window((2,), 5 * 60, 10 * 60)), 12),
    "a weekend": ((WEEKEND,), 48),
}


@pytest.mark.parametrize(("given", "hours"), LONGEST.values(), ids=LONGEST)
def test_longest(given: tuple[Window, ...], hours: float) -> None:
    assert windows.longest(given, 60) == hours * HOUR


@pytest.mark.parametrize(("one", "other", "overlaps"), [
    ((), (NIGHT,), True), ((NIGHT,), (), True), ((NIGHT,), (Window(ALL, 6 * 60, 22 * 60),), False),
    ((NIGHT,), (Window((0,), 5 * 60, 7 * 60),), True), ((Window((6,), 23 * 60, 60),), (Window((0,), 0, 30),), True),
    ((Window((0,), 60, 60),), (Window((1,), 0, 30), Window((2,), 0, 60)), True), ((WEEKEND,), (Window((0, 1), 0, 0),), False),
    # By clocks that differ, or of which one is not told.
    ((Window(ALL, 60, 120, 0),), (Window(ALL, 120, 180, 60),), True), ((Window(ALL, 60, 120, 0),), (Window(ALL, 60, 120, 60),), False),
    ((Window(ALL, 60, 120),), (Window(ALL, 180, 240, 0),), True),
])
def test_overlaps(one: tuple[Window, ...], other: tuple[Window, ...], overlaps: bool) -> None:
    assert [windows.overlap(*both) for both in ((one, other), (other, one))] == [overlaps, overlaps]
