# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What came since a baseline and how fast, and what makes it begin anew."""

from __future__ import annotations

import dataclasses as dc
import json
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.health import baseline as bl
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.tests.unit.support.healthy import (
    BOOTED,
    NOW,
    A,
    B,
    check,
    gpu,
    health,
    judged,
    look,
)

HOUR = 3600.0
COUNTS = {A: {"ecc-correctable/umc": 5}, B: {"ecc-correctable/umc": 0}}


def taken(ago: float = HOUR, seen: lk.Look | None = None) -> bl.Baseline:
    return bl.take(seen or look(), COUNTS, NOW - ago)


def errors(correctable: int) -> lk.Look:
    return look(healths=(health(A, blocks={"umc": lk.BlockErrors(correctable, 0, 0)}), health(B)))


def test_a_baseline_survives_its_file() -> None:
    base = taken()
    assert bl.read(json.loads(json.dumps(base.to_dict())), "f") == base


BROKEN = {
    "no mapping": ([], "f: is a list, not a mapping; write it as a mapping"),
    "another version": ({"version": "v2"}, "f: version: is 'v2'; choose one of v1"),
    "another kind": ({"kind": "health"}, "f: kind: is 'health'; choose one of health_baseline"),
    "no marks": ({"window": []}, "f: window: has 0 marks, not one or two; take a new one (baseline: take)"),
    "a time that is none": ({"taken": {"epoch": True, "counts": {}}}, "f: taken.epoch: is not a number; take a new one (baseline: take)"),
    "counts that are none": ({"taken": {"epoch": 1, "counts": {A: {"x": -1}}}},
                             "f: taken.counts: is not numbers by name by PCI address; take a new one (baseline: take)"),
    "counts of nothing": ({"taken": {"epoch": 1, "counts": {A: 5}}},
                          "f: taken.counts: is not numbers by name by PCI address; take a new one (baseline: take)"),
    "counts in a list": ({"taken": {"epoch": 1, "counts": []}},
                         "f: taken.counts: is not numbers by name by PCI address; take a new one (baseline: take)"),
    "more than there should be": ({"extra": 1}, "f: extra: is not a known key; remove it"),
}


@pytest.mark.parametrize(("change", "sentence"), BROKEN.values(), ids=BROKEN)
def test_read_refuses(change: t.Any, sentence: str) -> None:
    with pytest.raises(DataError) as error:
        bl.read({**taken().to_dict(), **change} if isinstance(change, dict) else change, "f")
    assert error.value.sentence == sentence


RATES = {
    # age of the baseline in seconds, errors now (5 then), verdict, seen
    "an hour, as many as may be": (HOUR, 105, "pass", "100 errors per hour, umc: 105 errors in all"),
    "an hour, one more": (HOUR, 106, "warn", "101 errors per hour, umc: 106 errors in all"),
    "two hours, as many in each": (2 * HOUR, 205, "pass", "100 errors per hour, umc: 205 errors in all"),
    "ten seconds, and already more than in an hour": (10, 106, "warn", "101 errors per hour, umc: 106 errors in all"),
    "ten seconds, and nothing yet": (10, 5, "unknown", "a rate needs 600 s, the baseline is 10 s old"),
}


@pytest.mark.parametrize(("age", "count", "verdict", "seen"), RATES.values(), ids=RATES)
def test_rates(age: float, count: int, verdict: str, seen: str) -> None:
    found = judged(errors(count), baseline=taken(age))
    named = check(found, "ecc-correctable")
    assert (named.verdict, named.seen) == (verdict, seen)
    assert named.wanted == "at most 100 errors per hour"
    assert found.blocking == ()


def test_without_a_baseline_nothing_blocks() -> None:
    found = judged(errors(7), "running")
    assert (found.verdict, check(found, "ecc-correctable").seen) == ("pass", "there is no baseline")
    assert check(found, "ecc-uncorrectable").seen == "there is no baseline"


def test_what_came_since_the_baseline_counts() -> None:
    old = look(healths=(health(A, blocks={"umc": lk.BlockErrors(0, 3, 0)}), health(B)))
    base = bl.take(old, judged(old, "running").counts, NOW - HOUR)
    assert judged(old, "running", baseline=base).verdict == "pass"
    new = look(healths=(health(A, blocks={"umc": lk.BlockErrors(0, 4, 0)}), health(B)))
    found = check(judged(new, "running", baseline=base), "ecc-uncorrectable")
    assert (found.verdict, found.wanted, found.seen) == (
        "fail", "at most 0 errors since the baseline", "1 errors since the baseline, umc: 4 errors in all")


ANEW = {
    # look now, note, errors that count then
    "the node was restarted": (look(kernel=lk.Kernel(boot_id="boot-2")), "the baseline begins anew: the node was restarted"),
    "another driver": (look(driver=lk.Driver(loaded=True, srcversion="BBBB")), "the baseline begins anew: another driver was loaded"),
    "another GPU": (look((gpu(A, 0, serial="77"), gpu(B, 1))), f"{A}: the baseline begins anew: another GPU is in its place"),
    "a counter went back": (look(), f"{A}: the baseline begins anew: ecc-correctable/umc went back from 5 to 2"),
}


@pytest.mark.parametrize(("seen", "note"), ANEW.values(), ids=ANEW)
def test_hold_begins_anew_at_zero(seen: lk.Look, note: str) -> None:
    basis = bl.hold(taken(), seen, {A: {"ecc-correctable/umc": 2}, B: {"ecc-correctable/umc": 0}}, NOW, 600)
    assert basis.notes == (note,)
    assert basis.since(A, "ecc-correctable/umc", 2) == 2


def test_hold_begins_at_the_boot_where_that_is_known() -> None:
    restarted = look(kernel=lk.Kernel(boot_id="boot-2"))
    assert bl.hold(taken(), restarted, {}, NOW, 600).baseline.taken.epoch == BOOTED
    dark = dc.replace(restarted, host=None)
    assert bl.hold(taken(), dark, {}, NOW, 600).baseline.taken.epoch == NOW


def test_hold_takes_no_missing_data_for_a_restart() -> None:
    blind = dc.replace(look(), kernel=None, driver=None, gpus=None)
    basis = bl.hold(taken(), blind, {}, NOW, 600)
    assert (basis.notes, basis.baseline.boot_id) == ((), "boot-1")


def test_hold_when_the_clock_went_back() -> None:
    assert bl.hold(taken(-10), look(), COUNTS, NOW, 600).notes == ("the baseline begins anew: the clock went back",)


def test_next_keeps_two_marks() -> None:
    base = taken(HOUR - 1)
    assert bl.hold(base, look(), COUNTS, NOW, 600).next(COUNTS, 3600).window == base.window
    later = bl.hold(taken(HOUR), look(), COUNTS, NOW, 600).next(COUNTS, 3600)
    assert [mark.epoch for mark in later.window] == [NOW - HOUR, NOW]
    last = bl.hold(later, look(), COUNTS, NOW + HOUR, 600).next(COUNTS, 3600)
    assert [mark.epoch for mark in last.window] == [NOW, NOW + HOUR]
    assert last.taken.epoch == NOW - HOUR
    assert bl.hold(None, look(), COUNTS, NOW, 600).next(COUNTS, 3600) is None
