# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a record holds at a moment, where each device is now, and when that changes."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.shape import Record
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.text_now import (
    devices_of,
    located,
    standing,
    turns,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.shape import Window
from ansible_collections.instinct.fleet.tests.unit.support.granted import (
    FIRST,
    HALF,
    OTHER_HALF,
    RECORD,
    SECOND,
    SHARED,
    SPARE,
    grant,
)

NIGHT = Window((0, 4), 22 * 60, 6 * 60, 120)  # Monday and Friday, in a zone two hours before UTC
WINDOWED = Record((), (grant("day", "vision", FIRST), grant("night", "research", FIRST, SECOND, windows=(NIGHT,))), (), (HALF,))
MONDAY = 4 * 86400  # 1970-01-05


@pytest.mark.parametrize(("hour", "holds", "pool"), [
    (19, ["day"], (SECOND, HALF)),
    (20, ["day", "night"], (HALF,)),
    (27, ["day", "night"], (HALF,)),
    (28, ["day"], (SECOND, HALF)),
])
def test_a_window_opens_and_closes_and_what_nobody_holds_meanwhile_is_in_the_pool(hour: int, holds: list[str], pool: tuple) -> None:
    now = standing(WINDOWED, MONDAY + hour * 3600, 0)
    assert ([grant.wish.name for grant in now.grants], now.pool) == (holds, pool)


def test_without_a_zone_the_clock_of_the_node_counts() -> None:
    record = Record((), (grant("night", "research", FIRST, windows=(Window((0,), 60, 120),)),))
    assert [bool(standing(record, MONDAY + 3600, zone).grants) for zone in (0, 60, -60)] == [True, False, False]


def test_without_windows_all_holds_always() -> None:
    assert standing(RECORD, 0, 0) == RECORD


def test_turns_are_moments_of_the_week_and_each_is_named_once() -> None:
    sunday = Window((6,), 23 * 60, 60)
    record = Record((), (grant("a", "vision", windows=(NIGHT,)), grant("b", "vision", windows=(NIGHT, sunday))))
    assert turns(record) == ("Mon *-*-* 01:00:00", "Mon *-*-* 20:00:00 UTC", "Tue *-*-* 04:00:00 UTC",
                             "Fri *-*-* 20:00:00 UTC", "Sat *-*-* 04:00:00 UTC", "Sun *-*-* 23:00:00")
    assert turns(RECORD) == ()


def test_a_window_of_a_whole_day_ends_a_day_later() -> None:
    assert turns(Record((), (grant("a", "vision", windows=(Window((1,), 60, 60),)),))) == ("Tue *-*-* 01:00:00", "Wed *-*-* 01:00:00")


def test_devices_are_where_a_look_found_them_and_nowhere_if_it_did_not() -> None:
    moved = dc.replace(HALF, render_node="/dev/dri/renderD140")
    here = located(RECORD, (FIRST, SECOND, SHARED, moved, SPARE))
    assert {one.id: one.render_node for one in devices_of(here)} == {
        **{one.id: one.render_node for one in (FIRST, SECOND, SHARED, SPARE)}, HALF.id: "/dev/dri/renderD140", OTHER_HALF.id: None}
