# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers and times as people say them."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.wording import counted, duration


@pytest.mark.parametrize(("seconds", "text"), [
    (0, "0 s"), (59.9, "59 s"), (60, "1 min 00 s"), (187, "3 min 07 s"), (3599, "59 min 59 s"), (3600, "1 h 00 min"), (7979, "2 h 12 min"),
])
def test_duration(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_counted() -> None:
    assert [counted(number, "node") for number in (0, 1, 2)] == ["0 nodes", "1 node", "2 nodes"]
