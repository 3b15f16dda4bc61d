# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What counts as holding a device."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.verdict_holder import Hold


@pytest.mark.parametrize(("hold", "real"), [
    (Hold("a", 0, 0), False), (Hold("a", 0), True), (Hold("a", 1, 0), True), (Hold("a", 0, 2), True), (Hold("a"), True)])
def test_held(hold: Hold, real: bool) -> None:
    assert hold.real is real
