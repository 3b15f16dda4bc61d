# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be checked, and what must be looked at for it."""

from __future__ import annotations

import re

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.health.measures import MEASURES
from ansible_collections.instinct.fleet.plugins.module_utils._core.health.sample import Seen
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import ALL_SECTIONS, Look
from ansible_collections.instinct.fleet.tests.unit.support.healthy import look


@pytest.mark.parametrize("ident", MEASURES)
def test_a_measure_is_well_formed(ident: str) -> None:
    assert re.fullmatch(r"[a-z][a-z0-9-]*", ident)
    assert set(MEASURES[ident].sections) <= set(ALL_SECTIONS)


# Without GPUs there is nothing of theirs to measure; their number says what is wrong.
@pytest.mark.parametrize("ident", MEASURES)
def test_a_measure_measures_a_healthy_node_and_gets_on_with_nothing(ident: str) -> None:
    samples = list(MEASURES[ident].take(Seen(look())))
    assert samples
    assert all(isinstance(sample.value, (int, float)) or sample.reason for sample in samples)
    assert all(sample.value is None and sample.reason for sample in MEASURES[ident].take(Seen(Look())))


def test_what_counts_since_the_driver_was_loaded() -> None:
    assert {ident for ident, measure in MEASURES.items() if measure.counts} == {
        "ecc-correctable", "ecc-deferred", "ecc-uncorrectable", "pcie-aer", "pcie-replays", "xgmi-errors"}
