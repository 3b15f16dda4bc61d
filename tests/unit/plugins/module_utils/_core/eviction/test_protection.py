# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Mixed precision jobs: how they are recognised, and for how long they are left alone."""

from __future__ import annotations

import re
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.eviction.protection import (
    Samples,
    left,
    mixed_precision,
    read_samples,
    window,
)
from ansible_collections.instinct.fleet.tests.unit.support.evictions import RULES, A, B, holder

WORK = [(90, 100)] * 10


def samples(pairs: t.Sequence[tuple[int | None, int | None]], interval: int = 1) -> Samples:
    """Of one device."""
    return Samples(A, interval, tuple(pair[0] for pair in pairs), tuple(pair[1] for pair in pairs))


def story(count: int, stalls: int = 3, burst: int = 300, idle: int = 0) -> list[tuple[int | None, int | None]]:
    """Work, and so many stalls of so many samples, in each of which memory is moved once."""
    return [*WORK, *([*[(idle, 10)] * (count - 1), (idle, burst), *WORK] * stalls)]


@pytest.mark.parametrize(("pairs", "interval", "expected"), [
    (story(3), 1, True), (story(3, burst=500), 1, True), (story(8), 1, True), (story(1), 5, True), (story(2), 5, True),
    (story(3, idle=1), 1, True), ([(None, 7), *story(3), (0, None)], 1, True),
    (WORK, 1, False), (story(3, stalls=2), 1, False), (story(3, burst=299), 1, False), (story(10), 1, False),
    (story(1), 1, False), (story(3), 5, False), (story(3, idle=2), 1, False), ([(0, 0)] * 50, 1, False), ([], 1, False),
    ([(None, None)] * 50, 1, False), ([*story(3, stalls=2), (0, 10), (0, 300)], 1, False),
    ([(0, 300), (0, 10), *story(3, stalls=2)], 1, False),
], ids=[
    "three stalls of 3 s", "bursts of five times", "stalls of 8 s", "one sample each, of 5 s", "two samples each, of 5 s",
    "a reading of 1 per cent", "readings that failed say nothing", "steady work", "two stalls", "bursts that are too small",
    "stalls that are too long", "stalls that are too short", "too long in samples of 5 s", "work that goes on slowly", "idle",
    "nothing was seen", "every reading failed", "a stall that may still go on", "a stall that began before"])
def test_the_pattern(pairs: list[tuple[int | None, int | None]], interval: int, expected: bool) -> None:
    assert mixed_precision(samples(pairs, interval), RULES) is expected


@pytest.mark.parametrize(("gpus", "seconds"), [(0, 1800), (1, 2025), (4, 2700), (8, 3600), (16, 5400)])
def test_the_window_grows_with_the_gpus(gpus: int, seconds: int) -> None:
    assert window(gpus, RULES) == seconds


def test_a_job_is_what_runs_in_one_unit_or_group() -> None:
    one, two = holder(7, "mixed", f"{A}-0", f"{A}-1", unit="a.service"), holder(8, "mixed", B, unit="a.service", seconds=500)
    other = holder(9, "mixed", B, unit="b.service", seconds=9000)
    assert left(one, [one, two, other], RULES) == 1800 * 10 // 8 - 500
    assert left(other, [one, two, other], RULES) == 0
    child = holder(20, "mixed", B, group=7, seconds=20)
    assert left(child, [child, holder(7, "mixed", A, seconds=300)], RULES) == 1800 * 10 // 8 - 300


def test_a_job_of_unknown_age() -> None:
    one = holder(7, "mixed", A, seconds=None, group=None)
    assert left(one, [one], RULES) is None


def test_samples_from_plain_data() -> None:
    raw = [{"device": A, "interval": 5, "compute": [90, None], "bandwidth": [100, 3]}]
    assert read_samples(raw) == (Samples(A, 5, (90, None), (100, 3)),)


@pytest.mark.parametrize(("changed", "said"), [
    ({"interval": 0}, "gpu_evict: samples[0].interval: is missing or 0; give the seconds between two samples"),
    ({"bandwidth": [1]}, "gpu_evict: samples[0]: has 2 readings of compute and 1 of bandwidth; give both of each moment, and null "
     "where one failed"),
    ({"compute": [1, "2"]}, "gpu_evict: samples[0].compute: is no list of whole numbers; write it so, and null where there is none"),
    ({"compute": [1, True]}, "gpu_evict: samples[0].compute: is no list of whole numbers; write it so, and null where there is none"),
    ({"compute": 7}, "gpu_evict: samples[0].compute: is no list of whole numbers; write it so, and null where there is none"),
    ({"power": [1, 2]}, "gpu_evict: samples[0].power: is not a known key; remove it"),
])
def test_samples_that_are_none(changed: dict[str, t.Any], said: str) -> None:
    raw = {"device": A, "interval": 5, "compute": [90, 80], "bandwidth": [100, 3], **changed}
    with pytest.raises(DataError, match=f"^{re.escape(said)}$"):
        read_samples([raw])
