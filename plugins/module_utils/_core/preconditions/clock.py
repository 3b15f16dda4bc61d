# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Checks of the clock: what times in logs, certificates and jobs mean."""

from __future__ import annotations

from .values import Values
from .view import Result, UnseenError, View


def synchronized(view: View, _want: Values) -> Result:
    """Whether the kernel says that something keeps its clock right."""
    clock = view.known(view.host.clock, "host.clock")
    reason = "the kernel does not tell whether the clock is synchronized"
    is_right = view.known(clock.synchronized, "host.clock.synchronized", reason)
    return Result(is_right, "a synchronized clock", f"the clock is {'' if is_right else 'not '}synchronized")


def skew(view: View, want: Values) -> Result:
    """Whether the node's clock is that of the control machine."""
    most, apart = want.number("seconds"), view.given.skew_seconds
    if apart is None:
        raise UnseenError("the clock was not compared with that of the control machine")
    side = "ahead of" if apart > 0 else "behind"
    return Result(abs(apart) <= most, f"at most {most} s from the control machine's clock",
                  f"the clock is {abs(apart):.0f} s {side} the control machine's")
