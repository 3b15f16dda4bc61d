# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Samples against limits: what counts most, and on which side the harm is."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.findings import Cause
from ansible_collections.instinct.fleet.plugins.module_utils._core.health.baseline import Basis
from ansible_collections.instinct.fleet.plugins.module_utils._core.health.limits import counter, judge_rule
from ansible_collections.instinct.fleet.plugins.module_utils._core.health.profile import Limit, Rule
from ansible_collections.instinct.fleet.plugins.module_utils._core.health.sample import Sample
from ansible_collections.instinct.fleet.tests.unit.support.healthy import A

NO_BASELINE = Basis(None, (), 0, 600)
UNIT = "pages"


def limit(verdict: str = "fail", number: int | None = 10, when: str = "above", margin: int | None = None, since: str = "now",
          products: tuple[str, ...] = ()) -> Limit:
    return Limit(verdict, when, number, margin, since, products, ("s",), "documented")


def rule(*limits: Limit, unknown: str = "blocks") -> Rule:
    return Rule("x", "an x", "hardware", unknown, limits, ("MI300A",), Cause("c", "r", ("s",)))


BOUNDS = {
    "as much as may be": (limit(), Sample(A, 10), "pass", "at most 10 pages"),
    "more": (limit(), Sample(A, 11), "fail", "at most 10 pages"),
    "as little as may be": (limit(when="below"), Sample(A, 10), "pass", "at least 10 pages"),
    "less": (limit(when="below"), Sample(A, 9), "fail", "at least 10 pages"),
    "what the device names counts": (limit(margin=5), Sample(A, 11, named=100), "pass", "at most 95 pages"),
    "above what it names": (limit(margin=5), Sample(A, 96, named=100), "fail", "at most 95 pages"),
    "it names nothing": (limit(margin=5), Sample(A, 11), "fail", "at most 10 pages"),
    "it is not asked": (limit(), Sample(A, 11, named=100), "fail", "at most 10 pages"),
    "nobody names a limit": (limit(number=None, margin=1), Sample(A, 11), "unknown", ""),
}


@pytest.mark.parametrize(("given", "sample", "verdict", "wanted"), BOUNDS.values(), ids=BOUNDS)
def test_bounds(given: Limit, sample: Sample, verdict: str, wanted: str) -> None:
    found = judge_rule(rule(given), UNIT, [sample], "MI300X", NO_BASELINE)
    assert (found.check.verdict, found.check.wanted, found.blocks) == (verdict, wanted, False)


WORST = {
    "fail before all": (["fail", "blocks", "warn", "pass"], "fail", False),
    "no data that blocks before a warning": (["warn", "blocks", "pass"], "unknown", True),
    "a warning before no data that does not": (["warn", "none", "pass"], "warn", False),
    "no data before a pass": (["none", "pass"], "unknown", False),
}
SAMPLES = {"fail": Sample(A, 99), "warn": Sample(A, 7), "pass": Sample(A, 1), "blocks": Sample(A, reason="error"),
           "none": Sample(A, reason="not supported", supported=False)}


@pytest.mark.parametrize(("words", "verdict", "blocks"), WORST.values(), ids=WORST)
def test_the_worst_of_several_counts(words: list[str], verdict: str, blocks: bool) -> None:
    samples = [SAMPLES[word] for word in words]
    found = judge_rule(rule(limit(), limit("warn", 5)), UNIT, samples, "MI300X", NO_BASELINE)
    assert (found.check.verdict, found.blocks) == (verdict, blocks)
    assert judge_rule(rule(limit(), limit("warn", 5), unknown="tolerated"), UNIT, samples, "MI300X", NO_BASELINE).blocks is False


def test_all_that_have_the_worst_verdict_are_shown() -> None:
    found = judge_rule(rule(limit()), UNIT, [Sample(A, 11, "umc"), Sample(A, 2, "gfx"), Sample(A, 12, "sdma")], "MI300X", NO_BASELINE)
    assert found.check.seen == "umc: 11 pages; sdma: 12 pages"


def test_of_a_pass_the_highest_is_shown() -> None:
    found = judge_rule(rule(limit()), UNIT, [Sample(A, 1, "umc"), Sample(A, 9, "gfx")], "MI300X", NO_BASELINE)
    assert found.check.seen == "gfx: 9 pages"


def test_a_product_that_has_no_such_thing() -> None:
    found = judge_rule(rule(limit()), UNIT, [Sample(A, 99)], "MI300A", NO_BASELINE)
    assert (found.check.verdict, found.check.seen, found.blocks) == ("unknown", "not supported by MI300A", False)


@pytest.mark.parametrize(("what", "name"), [("umc", "x/umc"), ("", "x")])
def test_counters_have_names(what: str, name: str) -> None:
    assert counter("x", Sample(A, 1, what)) == name
