# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors, pages and records of a GPU as samples."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.health import counters
from ansible_collections.instinct.fleet.plugins.module_utils._core.health.sample import Sample, Seen
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.host import Clock
from ansible_collections.instinct.fleet.tests.unit.support.healthy import BOOTED, A, gpu, health, look


def one(**changes: object) -> lk.Look:
    return look((gpu(),), (health(A, **changes),))


def test_ecc_is_of_every_block_but_the_links() -> None:
    seen = one(blocks={"umc": lk.BlockErrors(3, 0, None), "gfx": lk.BlockErrors(None, 1), "xgmi_wafl": lk.BlockErrors(9, 9, 9)})
    assert list(counters.ecc("correctable")(Seen(seen))) == [Sample(A, 3, "umc")]
    assert list(counters.ecc("uncorrectable")(Seen(seen))) == [Sample(A, 1, "gfx"), Sample(A, 0, "umc")]
    assert list(counters.xgmi_errors(Seen(seen))) == [Sample(A, 27)]


def test_ecc_falls_back_on_the_sum_of_all_blocks() -> None:
    seen = dc.replace(look((gpu(errors=lk.Errors(uncorrectable=2)),)), health=None)
    assert list(counters.ecc("uncorrectable")(Seen(seen))) == [Sample(A, 2, "all blocks")]
    assert [sample.reason for sample in counters.ecc("deferred")(Seen(seen))] == ["section health was not looked at"]


def test_xgmi_errors_need_a_block() -> None:
    (sample,) = counters.xgmi_errors(Seen(one(blocks={"umc": lk.BlockErrors(0, 0, 0)})))
    assert (sample.value, sample.supported) == (None, False)


def test_retired_pages_have_the_limit_of_the_driver() -> None:
    assert list(counters.pages_retired(Seen(one(pages=lk.Pages(7, threshold=128))))) == [Sample(A, 7, named=128)]


@pytest.mark.parametrize(("clock", "records", "value", "words"), [
    (None, (lk.Cper("fatal", BOOTED),), None, "1 records, and it is not known when this boot began"),
    (Clock(BOOTED + 9), (lk.Cper("fatal", BOOTED),), None, "1 records, and it is not known when this boot began"),
    (None, (), 0, ""),
    (Clock(BOOTED + 9, booted=BOOTED), (lk.Cper("fatal", BOOTED),), 1, "1"),
    (Clock(BOOTED + 9, booted=BOOTED), (lk.Cper("fatal", BOOTED), lk.Cper("fatal")), 1, "1"),
    (Clock(BOOTED + 9, booted=BOOTED), (lk.Cper("non_fatal_corrected", BOOTED),), 0, ""),
])
def test_records_of_this_boot(clock: Clock | None, records: tuple[lk.Cper, ...], value: int | None, words: str) -> None:
    seen = one(cper=records)
    (sample,) = counters.cper(counters.FATAL)(Seen(dc.replace(seen, host=dc.replace(seen.host, clock=clock))))
    assert (sample.value, sample.seen or sample.reason) == (value, words)
