# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which profile holds when, and when systemd looks again."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.qos.schedule import (
    calendar,
    due,
    read_schedule,
    timer,
)

NIGHT = {"profile": "night", "begins": "22:00", "ends": "06:00"}
BURST = {"profile": "burst", "begins": "23:00", "ends": "03:00", "days": ["fri"], "zone": None}
MONDAY = 4 * 86400  # 1970-01-05, UTC


@pytest.mark.parametrize(("hours", "zone", "profile"), [
    (12, 0, "day"), (21.99, 0, "day"), (22, 0, "night"), (29.99, 0, "night"), (30, 0, "day"), (21, 60, "night"), (28.99, 60, "night"),
    (29, 60, "day"), (4 * 24 + 23, 0, "burst"), (4 * 24 + 26.9, 0, "burst"), (4 * 24 + 27, 0, "night"), (23, 0, "night"),
])
def test_due(hours: float, zone: int, profile: str) -> None:
    assert due("day", read_schedule([BURST, NIGHT], "s"), MONDAY + hours * 3600, zone) == profile


def test_without_a_window_the_base_holds() -> None:
    assert (due("day", (), MONDAY, 0), due("", (), MONDAY, 0)) == ("day", "")


@pytest.mark.parametrize(("given", "moments"), [
    ([NIGHT], ("Mon,Tue,Wed,Thu,Fri,Sat,Sun *-*-* 22:00:00", "Mon,Tue,Wed,Thu,Fri,Sat,Sun *-*-* 06:00:00")),
    ([BURST], ("Fri *-*-* 23:00:00", "Sat *-*-* 03:00:00")),
    ([{"profile": "p", "days": ["sun"], "begins": "22:00", "ends": "22:00"}], ("Sun *-*-* 22:00:00", "Mon *-*-* 22:00:00")),
    ([{"profile": "p", "days": ["mon"], "begins": "01:30", "ends": "04:00", "zone": "+02:00"}],
     ("Sun *-*-* 23:30:00 UTC", "Mon *-*-* 02:00:00 UTC")),
    ([{"profile": "p", "days": ["sun"], "begins": "20:00", "ends": "21:00", "zone": "-05:00"}],
     ("Mon *-*-* 01:00:00 UTC", "Mon *-*-* 02:00:00 UTC")),
    ([NIGHT, {**NIGHT, "profile": "other"}], ("Mon,Tue,Wed,Thu,Fri,Sat,Sun *-*-* 22:00:00",
                                              "Mon,Tue,Wed,Thu,Fri,Sat,Sun *-*-* 06:00:00")),
])
def test_calendar(given: list[dict[str, t.Any]], moments: tuple[str, ...]) -> None:
    assert calendar(read_schedule(given, "s")) == moments


def test_timer() -> None:
    text = timer(read_schedule([BURST], "s"))
    assert "\nOnCalendar=Fri *-*-* 23:00:00\nOnCalendar=Sat *-*-* 03:00:00\nOnCalendar=hourly\nAccuracySec=1s\n" in text
    assert text.startswith("# Written by the role gpu_qos.\n[Unit]\n") and text.endswith("[Install]\nWantedBy=timers.target\n")


@pytest.mark.parametrize(("given", "sentence"), [
    ("x", "s: is no list of windows; write [{profile: night_training, begins: '22:00', ends: '06:00'}]"),
    ([1], "s: is no list of windows; write [{profile: night_training, begins: '22:00', ends: '06:00'}]"),
    ([{"begins": "22:00"}], "s[0].profile: is missing or no text; name the profile of this window"),
    ([{"profile": ""}], "s[0].profile: is missing or no text; name the profile of this window"),
])
def test_what_is_no_schedule_is_refused(given: t.Any, sentence: str) -> None:
    with pytest.raises(DataError) as error:
        read_schedule(given, "s")
    assert error.value.sentence == sentence
