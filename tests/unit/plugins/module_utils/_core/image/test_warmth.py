# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether files are read into memory."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.image import warmth


@pytest.mark.parametrize(("size", "cold", "available", "state"), [
    (100, 0, 10, "warm"), (0, 0, 0, "warm"), (100, 1, 200, "cold"), (100, 100, 199, "too_large"), (100, 1, 0, "too_large")])
def test_state(size: int, cold: int, available: int, state: str) -> None:
    assert warmth.state(size, cold, available) == state
