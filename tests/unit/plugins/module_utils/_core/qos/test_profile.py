# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Profiles: what they give a product, and what contradicts itself."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.qos.profile import Profile
from ansible_collections.instinct.fleet.tests.unit.support.qos_data import FILES, document, profile


def made(**settings: t.Any) -> Profile:
    """A profile of these settings."""
    return Profile.from_document(profile(**settings), "f")


def test_a_product_counts_before_the_rest() -> None:
    found = made(power_cap="92%", performance_level="auto", products={"MI210": {"power_cap": "275 W"}})
    assert found.of("MI210") == {"power_cap": "275 W", "performance_level": "auto"}
    assert found.of("MI300X") == found.of(None) == {"power_cap": "92%", "performance_level": "auto"}


def test_clocks_make_the_level_manual() -> None:
    assert made(sclk_max_mhz=1500).of(None) == {"sclk_max_mhz": 1500, "performance_level": "manual"}


@pytest.mark.parametrize(("settings", "sentence"), [
    ({"sclk_max_mhz": 1500, "performance_level": "high"},
     "f: settings: performance_level is high, and sclk_max_mhz is set, which needs manual; leave one of them out"),
    ({"performance_level": "auto", "products": {"MI210": {"mclk_max_mhz": 900}}},
     "f: products.MI210: performance_level is auto, and mclk_max_mhz is set, which needs manual; leave one of them out"),
    ({"products": {"MI210": {"numa_balancing": "off"}}},
     "f: products.MI210: numa_balancing is of the node and not of a product; write it under settings"),
    ({"products": {"x": {}}}, "f: products.x: is no product; write it as MI210"),
    ({"power_cap": "275"}, "f: settings.power_cap: is '275', which does not match "
     "[1-9][0-9]{0,3} W|[1-9][0-9]?%|100%|default; write it in that form"),
])
def test_what_is_wrong_is_one_sentence(settings: dict[str, t.Any], sentence: str) -> None:
    with pytest.raises(DataError) as error:
        made(**settings)
    assert error.value.sentence == sentence


# What the operator of 8 MI210 measured, in watts
@pytest.mark.parametrize(("name", "cap"), [("night_training", "275 W"), ("burst", "230 W"), ("maintenance", "200 W"),
                                           ("serving", "default")])
def test_the_profiles_are_what_was_measured(name: str, cap: str) -> None:
    assert f"profiles/{name}.yml" in FILES
    assert Profile.from_document(document(f"profiles/{name}.yml"), "f").of("MI210")["power_cap"] == cap
