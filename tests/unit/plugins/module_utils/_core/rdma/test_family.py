# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Families as our data has them."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.tests.unit.support.rdma import CATALOGUE


@pytest.mark.parametrize("name", sorted(CATALOGUE.families))
def test_each_family_says_how_it_is_known_and_what_it_needs(name: str) -> None:
    family = CATALOGUE.families[name]
    assert (family.id, family.provider) == (name, name) and family.title and family.sources
    assert "ib_uverbs" in family.modules and set(family.modules) & set(family.drivers)
    assert bool(family.pci) == bool(family.environment) == (name != "rxe")  # software is told to no program


def test_a_variable_that_names_ports_names_them_exactly() -> None:
    values = {variable.value for family in CATALOGUE.families.values() for variable in family.environment if variable.name == "NCCL_IB_HCA"}
    assert values == {"={ports}"}
