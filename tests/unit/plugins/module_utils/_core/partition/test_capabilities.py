# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What products can be, by version of driver, library and kernel."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.capabilities import (
    Capabilities,
    MinorLimit,
    Pair,
    Period,
    ProductModes,
    Reloading,
    Version,
)

PAIR = Pair("CPX", "NPS4", 8, (Period("allowed"), Period("experimental", (6, 10)), Period("documented", (6, 12, 12))))
LATE = Pair("QPX", "NPS2", 4, (Period("experimental", (6, 14, 14)), Period("documented", (6, 19))))
PRODUCT = ProductModes("MI300X", 8, 304, 196592, "reload", (PAIR, LATE, Pair("CPX", "NPS1", 8, (Period("allowed"),))))


@pytest.mark.parametrize(("pair", "driver", "standing"), [
    (PAIR, (6, 8, 5), "allowed"), (PAIR, (6, 10, 5), "experimental"), (PAIR, (6, 12, 11), "experimental"),
    (PAIR, (6, 12, 12), "documented"), (PAIR, (6, 19, 14), "documented"), (PAIR, (), "documented"),
    (LATE, (6, 12, 12), None), (LATE, (6, 14, 14), "experimental"), (LATE, (6, 19, 4), "documented"), (LATE, (), "documented"),
])
def test_the_last_period_that_has_begun_counts(pair: Pair, driver: Version, standing: str | None) -> None:
    assert pair.standing(driver) == standing


def test_a_pair_says_what_it_is_and_since_when() -> None:
    assert (PAIR.text, PAIR.since, LATE.since) == ("CPX/NPS4", "", "6.14.14")


def test_a_product_knows_its_pairs() -> None:
    assert PRODUCT.pair("CPX", "NPS4") is PAIR
    assert PRODUCT.pair("SPX", "NPS4") is None
    assert (PRODUCT.devices("QPX"), PRODUCT.devices("TPX")) == (4, None)
    assert PRODUCT.memories == ("NPS1", "NPS2", "NPS4")


# The order in which records stand says nothing.
KNOWN = Capabilities({}, (Reloading((26,), False), Reloading((24,), True)),
                     (MinorLimit((6, 7), 64), MinorLimit((6, 6, 53), None), MinorLimit((0,), 64), MinorLimit((6, 11, 1), None)))


@pytest.mark.parametrize(("library", "by_library"), [((24, 6), True), ((25, 5, 1), True), ((26,), False), ((27, 1), False)])
def test_a_library_reloads_or_does_not(library: Version, by_library: bool) -> None:
    found = KNOWN.reloading_of(library)
    assert found is not None
    assert found.by_library is by_library


def test_a_library_before_all_records_is_not_known() -> None:
    assert KNOWN.reloading_of((23, 4)) is None


@pytest.mark.parametrize(("kernel", "devices"), [
    ((5, 15, 0), 64), ((6, 6, 52), 64), ((6, 6, 60), None), ((6, 8, 0), 64), ((6, 11, 0), 64), ((6, 12), None)])
def test_a_kernel_has_numbers_for_so_many_devices(kernel: Version, devices: int | None) -> None:
    found = KNOWN.minors_of(kernel)
    assert found is not None
    assert found.devices == devices


def test_a_kernel_that_is_not_known_has_no_record() -> None:
    assert KNOWN.minors_of(()) is None
