# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Which profile holds now, and when the next one begins."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..errors import DataError
from ..rollout.reading import windows
from ..rollout.shape import Window
from ..rollout.windows import left

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")  # as systemd calls them
_DAY = 1440


@dc.dataclass(frozen=True)
class Entry:
    """A profile that holds within a window of the week, by the clock of the node."""

    profile: str
    window: Window


def read_schedule(given: object, where: str) -> tuple[Entry, ...]:
    """The schedule as an inventory writes it: a list of {profile, days, begins, ends}.

    Raises:
        DataError: it is not of that form.
    """
    if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
        form = "[{profile: night_training, begins: '22:00', ends: '06:00'}]"
        raise DataError(where, "is no list of windows", f"write {form}")
    for number, one in enumerate(given):
        if not isinstance(one.get("profile"), str) or not one["profile"]:
            raise DataError(f"{where}[{number}].profile", "is missing or no text", "name the profile of this window")
    rest = [{key: value for key, value in one.items() if key != "profile" and value is not None} for one in given]
    return tuple(Entry(one["profile"], window) for one, window in zip(given, windows(rest, where)))


def due(base: str, schedule: t.Sequence[Entry], at: float, zone: int) -> str:
    """The name of the profile that holds: of the first window that is open, else the base.

    Args:
        base: outside of all windows; empty: none.
        schedule: in order.
        at: seconds since 1970.
        zone: minutes that the clock of the node is before UTC.
    """
    return next((entry.profile for entry in schedule if left((entry.window,), at, zone) > 0), base)


def calendar(schedule: t.Iterable[Entry]) -> tuple[str, ...]:
    """When systemd is to look again: begin and end of each window, as systemd.time(7) writes it."""
    found: dict[str, None] = {}
    for entry in schedule:
        window = entry.window
        for minute in (window.begins, window.ends + (_DAY if window.ends <= window.begins else 0)):
            found[_moment(window, minute)] = None
    return tuple(found)


def timer(schedule: t.Sequence[Entry]) -> str:
    """The unit of systemd that lets the command look again when a window begins or ends.

    And every hour: a time that the clock leaps over in spring does not come, and systemd waits for the next day's.
    """
    lines = "".join(f"OnCalendar={moment}\n" for moment in (*calendar(schedule), "hourly"))
    return ("# Written by the role gpu_qos.\n[Unit]\nDescription=Profiles of the GPUs by the time of the week\n\n"
            f"[Timer]\n{lines}AccuracySec=1s\n\n[Install]\nWantedBy=timers.target\n")


def _moment(window: Window, minute: int) -> str:
    minute -= window.zone or 0
    days = sorted({(day + minute // _DAY) % len(DAYS) for day in window.days})
    clock = minute % _DAY
    utc = "" if window.zone is None else " UTC"
    return f"{','.join(DAYS[day] for day in days)} *-*-* {clock // 60:02}:{clock % 60:02}:00{utc}"
