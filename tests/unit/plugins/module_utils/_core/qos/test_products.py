# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What products take: ours, and a site's over ours."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.qos.products import read_products
from ansible_collections.instinct.fleet.plugins.module_utils._core.strict import Contradiction
from ansible_collections.instinct.fleet.tests.unit.support.qos_data import document, own


@pytest.mark.parametrize(("product", "levels", "determinism", "clocks"), [
    ("MI210", 8, "taken", ("sclk_min_mhz", "sclk_max_mhz")),
    ("MI300X", 2, "depends", ("sclk_min_mhz", "sclk_max_mhz", "mclk_max_mhz")),
    ("MI355X", 2, "refused", ("sclk_min_mhz", "sclk_max_mhz", "mclk_max_mhz")),
])
def test_what_they_take(product: str, levels: int, determinism: str, clocks: tuple[str, ...]) -> None:
    limits = own()[product]
    assert (len(limits.levels), limits.determinism, limits.clocks) == (levels, determinism, clocks)


def test_a_site_replaces_a_product_and_nobody_has_it_twice() -> None:
    ours = {"path": "a", "data": document("products.yml"), "layer": 0}
    one = {"name": "MI210", "performance_levels": ["auto"], "determinism": "refused", "sources": ["s"]}
    site = {"version": "v1", "kind": "qos_products", "products": [one], "sources": {"s": "ours"}}
    found = read_products([ours, {"path": "b", "data": site, "layer": 1}])
    assert (found["MI210"].levels, found["MI210"].clocks, len(found)) == (("auto",), (), len(own()))
    with pytest.raises(Contradiction, match=r"b: products\[1\].id: 'MI210' is also b: products\[0\]"):
        read_products([{"path": "b", "data": {**site, "products": [one, one]}, "layer": 1}])
