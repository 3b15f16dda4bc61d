# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Waiting with an end: no module waits a fixed time, each asks again until it is so or the time is over."""

from __future__ import annotations

import time
import typing as t


def ticks(
    timeout: float,
    pause: float = 0.2,
    now: t.Callable[[], float] = time.monotonic,
    rest: t.Callable[[float], None] = time.sleep,
) -> t.Iterator[float]:
    """Yield the seconds gone by, at once and then after every pause; the last one at the end of ``timeout``."""
    start = now()
    while True:
        gone = now() - start
        yield gone
        if gone >= timeout:
            return
        rest(min(pause, timeout - gone))
