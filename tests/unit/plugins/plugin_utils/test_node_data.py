# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What goes to a node is the same on every control machine."""

from __future__ import annotations

from ansible_collections.instinct.fleet.plugins.plugin_utils import node_data


def test_a_path_is_short_wherever_the_collection_lies() -> None:
    document = {"path": "/srv/collections/fleet/roles/gpu_health/files/diagnosis/faults/xgmi.yml", "data": {}, "layer": 0}
    assert node_data.shortened(document) == {"path": "faults/xgmi.yml", "data": {}, "layer": 0}
    assert document["path"].startswith("/srv/"), "documents are read once, and are not changed"
    assert node_data.short("products.yml") == "products.yml"


def test_products_by_their_ids() -> None:
    ids = {product["name"]: product for product in node_data.product_ids()}
    assert ids["MI300X"] == {"name": "MI300X", "pci_ids": ["74a1", "74a9"], "vf_ids": ["74b5", "74bd"]}
    assert set(ids) == {product.name for product in node_data.products()}
