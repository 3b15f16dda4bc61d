# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The clock: kept right, and the same as that of the control machine."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.host import Clock
from ansible_collections.instinct.fleet.plugins.module_utils._core.preconditions.view import Known
from ansible_collections.instinct.fleet.tests.unit.support.preconditions import GOOD, but, judged

SYNCHRONIZED = [
    (Clock(0.0, True), [("pass", "the clock is synchronized")]),
    (Clock(0.0, False), [("warn", "the clock is not synchronized")]),
    (Clock(0.0), [("unknown", "the kernel does not tell whether the clock is synchronized")]),
    (None, [("unknown", "host.clock is not told")]),
]
SKEWS = [
    (None, [("unknown", "the clock was not compared with that of the control machine")]),
    (30.0, [("pass", "the clock is 30 s ahead of the control machine's")]),
    (31.0, [("warn", "the clock is 31 s ahead of the control machine's")]),
    (-7200.4, [("warn", "the clock is 7200 s behind the control machine's")]),
]


@pytest.mark.parametrize(("clock", "expected"), SYNCHRONIZED)
def test_the_kernel_says_whether_the_clock_is_kept_right(clock, expected):
    assert judged("clock-synchronized", but(host={"clock": clock})) == expected


@pytest.mark.parametrize(("seconds", "expected"), SKEWS)
def test_the_clocks_are_held_against_each_other(seconds, expected):
    assert judged("clock-skew", GOOD, known=Known(skew_seconds=seconds)) == expected
