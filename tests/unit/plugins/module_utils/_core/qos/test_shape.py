# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a setting is called, and how a step reads."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.qos.shape import (
    CAP,
    LEVEL,
    NODE,
    NUMA,
    SCLK_MAX,
    Step,
    Target,
)

A = "0000:03:00.0"


@pytest.mark.parametrize(("step", "words"), [
    (Step(A, CAP, 300_000_000, 275_000_000), f"set power cap of {A} to 275 W (was 300 W)"),
    (Step(A, CAP, None, 272_500_000), f"set power cap of {A} to 272.5 W"),
    (Step(A, SCLK_MAX, 1700, 1500), f"set sclk max of {A} to 1500 MHz (was 1700 MHz)"),
    (Step(A, LEVEL, "auto", "determinism 1900"), f"set performance level of {A} to determinism 1900 (was auto)"),
    (Step(NODE, NUMA, "on", "off"), "set numa balancing to off (was on)"),
])
def test_words(step: Step, words: str) -> None:
    assert step.words == words


def test_where() -> None:
    assert (Target(NODE).where, Target(A).where) == ("node", f"gpu {A}")
