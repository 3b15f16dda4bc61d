# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong and what was judged: plain data and back, and which verdict is worst."""

from __future__ import annotations

import dataclasses as dc
import json

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.findings import Cause, Check, Finding, worst
from ansible_collections.instinct.fleet.plugins.plugin_utils.plain import from_plain

WHY = Cause("A cause.", "Do something.", ("https://example.com/1",), "derived")
SHAPES = [
    WHY,
    Finding("probe-no-bar", "fault", "error", "pcie", "0000:83:00.0", "no memory window", WHY, ("a line",), 2, 3, 9,
            ("gpu-init-fatal",), "node", "kmsg"),
    Finding("acs", "precondition", "warning", "pcie", "node", "ACS is on", WHY),
    Check("acs", "node", "warn", "off", "on", WHY, "pcie"),
]


@pytest.mark.parametrize("shape", SHAPES)
def test_a_shape_survives_the_way_to_json_and_back(shape):
    assert from_plain(type(shape), json.loads(json.dumps(dc.asdict(shape)))) == shape


@pytest.mark.parametrize(("verdicts", "expected"), [
    ((), "unknown"), (("pass",), "pass"), (("pass", "warn"), "warn"), (("warn", "unknown", "pass"), "unknown"),
    (("unknown", "fail", "pass"), "fail"),
])
def test_the_worst_verdict_counts(verdicts, expected):
    assert worst(verdicts) == expected
