# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a tool that was run says: results against limits, failures, and what could not be run."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.health.actives import Ran, judge_active
from ansible_collections.instinct.fleet.tests.unit.plugins.module_utils._core.formats.test_stress import (
    COPIES,
    PEERS,
    RVS,
)
from ansible_collections.instinct.fleet.tests.unit.support.healthy import profile

NOT_MET = "gst-581Tflops-8K-rand-fp16 on GPU 14007: GFLOPS 412003 Target GFLOPS: 581000"
ALL_MET = "".join(line for line in RVS.splitlines(keepends=True) if "14007" not in line)
CASES = {
    "all met": ("active-rvs", Ran(0, ALL_MET), "pass", "28851"),
    "one not met": ("active-rvs", Ran(0, RVS), "fail", NOT_MET),
    "not met, and it says so by its code too": ("active-rvs", Ran(1, RVS), "fail", NOT_MET),
    "a code without a result": ("active-rvs", Ran(255, "", "no module gst\n\n"), "fail", "rvs ended with exit code 255: no module gst"),
    "a code and not a word": ("active-peers", Ran(139), "fail", "transferbench ended with exit code 139: it said nothing"),
    "no result": ("active-rvs", Ran(0, "nothing"), "unknown", "rvs printed no result"),
    "not installed": ("active-rvs", Ran(problem="rvs is not installed"), "unknown", "rvs is not installed"),
    "fast peers": ("active-peers", Ran(0, PEERS), "pass", "GPU->GPU UniDir: 48.65 GB/s"),
    "slow peers": ("active-peers", Ran(0, PEERS.replace("48.65", "12.5")), "fail", "GPU->GPU UniDir: 12.5 GB/s"),
    "one slow copy": ("active-copy", Ran(0, COPIES), "fail", "host to 26:0.0: 21.3 GB/s"),
    "AMD's verdict is good": ("active-health", Ran(0, "ok\n"), "pass", "ok"),
    "AMD's verdict is bad": ("active-health", Ran(1, "GPU 3: 4 errors\n"), "fail", "GPU 3: 4 errors"),
    "AMD does not know": ("active-health", Ran(2, "", "no endpoint\n"), "unknown", "amdgpuhealth does not know: no endpoint"),
}


@pytest.mark.parametrize(("ident", "ran", "verdict", "seen"), CASES.values(), ids=CASES)
def test_judge_active(ident: str, ran: Ran, verdict: str, seen: str) -> None:
    active = next(item for item in profile("burn_in").active if item.rule.id == ident)
    found = judge_active(active, ran, "MI300X")
    assert (found.check.id, found.check.verdict, found.blocks) == (ident, verdict, False)
    assert seen in found.check.seen
