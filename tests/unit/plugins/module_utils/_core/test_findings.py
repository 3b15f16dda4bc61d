# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong and what was judged: plain data and back, and which verdict is worst."""

from __future__ import annotations

import dataclasses as dc
import json

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.findings import worst
from ansible_collections.instinct.fleet.tests.unit.support import shapes


def test_a_finding_as_json() -> None:
    finding = json.loads(json.dumps(dc.asdict(shapes.FINDING)))
    assert finding["why"] == {"cause": "A cause.", "remedy": "Do something.", "sources": ["https://example.com/1"],
                              "confidence": "derived"}
    assert (finding["subject"], finding["count"], finding["explains"]) == ("0000:83:00.0", 2, ["gpu-init-fatal"])


def test_a_finding_as_modules_return_it() -> None:
    plain = shapes.FINDING.plain
    assert json.loads(json.dumps(plain)) == plain
    assert {name: plain[name] for name in ("cause", "remedy", "sources", "confidence")} == dc.asdict(shapes.FINDING.why) | {
        "sources": ["https://example.com/1"]}
    own = ("id", "kind", "severity", "domain", "subject", "summary", "count", "origin")
    assert {name: plain[name] for name in own} == {name: getattr(shapes.FINDING, name) for name in own}
    assert set(plain) == {*own, "evidence", "cause", "remedy", "sources", "confidence"}


@pytest.mark.parametrize(("verdicts", "expected"), [
    ((), "unknown"), (("pass",), "pass"), (("pass", "warn"), "warn"), (("warn", "unknown", "pass"), "unknown"),
    (("unknown", "fail", "pass"), "fail"),
])
def test_the_worst_verdict_counts(verdicts, expected):
    assert worst(verdicts) == expected
