# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the callback tells is what the action plugin finds, for this run alone."""

from __future__ import annotations

from ansible_collections.instinct.fleet.plugins.plugin_utils import endings


def test_the_last_ending_counts_and_a_new_run_forgets() -> None:
    endings.begin(100)
    endings.tell("a", "failed", "first")
    endings.tell("a", "unreachable", "second")
    assert (endings.ending("a"), endings.ending("b")) == (("unreachable", "second"), None)
    endings.begin(80)
    assert endings.ending("a") is None
    assert endings.told() is True


def test_width_is_the_one_told() -> None:
    endings.begin(123)
    assert endings.width(79) == 123
    endings.begin(0)
    assert endings.width(79) == 79
