# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Health as a node sends it is read back as it was."""

from __future__ import annotations

import dataclasses as dc
import json

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.health import (
    BlockErrors,
    ClockRange,
    Cper,
    GpuHealth,
    Health,
    Pages,
)
from ansible_collections.instinct.fleet.plugins.plugin_utils.plain import from_plain

FULL = Health((GpuHealth(
    "0000:05:00.0", {"hotspot": 61}, {"hotspot": 100}, 412, 600, 750, {"gfx": ClockRange(132, 500, 2100)}, "auto",
    {"ppt": True}, {"ppt": 35}, {"umc": BlockErrors(3, 1, 0)}, ("umc",), Pages(2, 1, 1, 256),
    (Cper("fatal", 1772368200.0, (30,)), Cper("fatal")), 2, 7, 5, ("up", "down", "absent"), None, 1, 2, 97, 40,
    {"xgmi_error": "why"}),), "amdsmi", (7,), "6.14.14", False, {"pids": "why"})


@pytest.mark.parametrize("health", [FULL, Health()])
def test_round_trip(health: Health) -> None:
    assert from_plain(Health, json.loads(json.dumps(dc.asdict(health)))) == health


def test_a_count_that_is_text_is_refused() -> None:
    with pytest.raises(DataError, match=r"Health\.gpus\[0\]\.pcie_replays: is 'N/A', not int"):
        from_plain(Health, {"gpus": [{"bdf": "0000:05:00.0", "pcie_replays": "N/A"}]})
