# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Windows of time in a week: how long one stays open, and when the next opens.

The clock of the control machine is taken to be as far from UTC as it is now; when summer time begins or ends, a window
that is open then is an hour off.
"""

from __future__ import annotations

import math
import typing as t

from .shape import Window

DAY = 86400
WEEK = 7 * DAY
_THURSDAY = 3 * DAY  # 1970-01-01
Windows = t.Sequence[Window]


def _spans(windows: Windows, zone: int) -> list[tuple[int, int]]:
    """Begin and length of each, in seconds of a week that begins on Monday in UTC."""
    return [
        ((day * DAY + 60 * (one.begins - (zone if one.zone is None else one.zone))) % WEEK,
         60 * ((one.ends - one.begins) % 1440 or 1440))
        for one in windows for day in one.days]


def left(windows: Windows, at: float, zone: int) -> float:
    """Seconds for which it is open from then on; infinite if it never closes, 0 if it is closed.

    Args:
        windows: all of them; one that begins where another ends prolongs it.
        at: seconds since 1970.
        zone: minutes that the clock of the control machine is before UTC.
    """
    return _left(_spans(windows, zone), at + _THURSDAY)


def _left(spans: t.Sequence[tuple[int, int]], begin: float) -> float:
    if not spans:
        return math.inf
    reached = 0.0
    while reached < WEEK:
        more = max(length - (begin + reached - start) % WEEK for start, length in spans)
        if more <= 0:
            return reached
        reached += more
    return math.inf


def overlap(one: Windows, other: Windows) -> bool:
    """Whether there is a time at which both are open. Where not all clocks are told, or all not, that is assumed."""
    told = {window.zone is not None for window in (*one, *other)}
    if not one or not other or len(told) > 1:
        return True
    return any((begins - starts) % WEEK < length or (starts - begins) % WEEK < more
               for starts, length in _spans(one, 0) for begins, more in _spans(other, 0))


def opens(windows: Windows, at: float, zone: int) -> float:
    """Seconds until one opens; 0 if one is open."""
    spans = _spans(windows, zone)
    begin = at + _THURSDAY
    return 0.0 if _left(spans, begin) > 0 else min((start - begin) % WEEK for start, _length in spans)


def longest(windows: Windows, zone: int) -> float:
    """Seconds for which it is ever open without a break."""
    spans = _spans(windows, zone)
    return max((_left(spans, start) for start, _length in spans), default=math.inf)
