# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of products and drivers, read strictly."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.capabilities import (
    Capabilities,
    MinorLimit,
    Pair,
    Period,
    ProductModes,
    Reloading,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.reading import read_capabilities
from ansible_collections.instinct.fleet.tests.unit.support.partition_data import own

SOURCES = {"S1": "a page", "S2": "another"}
PAIR: dict[str, t.Any] = {"compute": "CPX", "memory": "NPS4", "devices": 8, "note": "with firmware", "sources": ["S2"],
                          "periods": [{"standing": "documented", "driver_from": "6.12.12"}, {"standing": "experimental"}]}
PRODUCT: dict[str, t.Any] = {
    "name": "MI300X", "xcds": 8, "compute_units": 304, "memory_mib": 196592, "memory_change": "reload",
    "automatic": {"NPS4": "CPX"}, "pairs": [PAIR], "virtual": [{"functions": 8, "compute": "CPX", "memory": "NPS4"}],
    "sources": ["S1"], "confidence": "documented"}
WHOLE: dict[str, t.Any] = {
    "name": "MI210", "xcds": 1, "compute_units": 104, "memory_mib": 65520, "memory_change": "none",
    "alternative": "mask compute units", "sources": ["S1"], "confidence": "derived"}
DRIVERS: dict[str, t.Any] = {
    "reloading": [{"library_from": "24", "by_library": True, "sources": ["S1"]}],
    "minors": [{"kernel_from": "0", "devices": 64, "sources": ["S1"]},
               {"kernel_from": "6.11.1", "devices": None, "sources": ["S2"]}]}


def products(*records: dict[str, t.Any], path: str = "p.yml", layer: int = 0) -> dict[str, t.Any]:
    """A document of products."""
    data = {"version": "v1", "kind": "partition_products", "products": list(records), "sources": SOURCES}
    return {"path": path, "layer": layer, "data": data}


def drivers(path: str = "d.yml", layer: int = 0, **records: t.Any) -> dict[str, t.Any]:
    """A document of drivers."""
    return {"path": path, "layer": layer, "data": {"version": "v1", "kind": "partition_drivers", "sources": SOURCES, **records}}


def test_all_that_files_may_say() -> None:
    assert read_capabilities([products(PRODUCT, WHOLE), drivers(**DRIVERS)]) == Capabilities(
        {"MI300X": ProductModes(
            "MI300X", 8, 304, 196592, "reload",
            (Pair("CPX", "NPS4", 8, (Period("experimental"), Period("documented", (6, 12, 12))), "with firmware", ("another",)),),
            ((8, "CPX", "NPS4"),), {"NPS4": "CPX"}, "", ("a page",)),
         "MI210": ProductModes("MI210", 1, 104, 65520, "none", alternative="mask compute units", sources=("a page",))},
        (Reloading((24,), True, ("a page",)),), (MinorLimit((0,), 64, ("a page",)), MinorLimit((6, 11, 1), None, ("another",))))


def test_a_later_layer_replaces_by_name() -> None:
    other = {**PRODUCT, "compute_units": 80}
    limits = [{"kernel_from": "0", "devices": 256, "sources": ["S1"]}]
    made = read_capabilities([products(PRODUCT, WHOLE), drivers(**DRIVERS), products(other, path="s.yml", layer=1),
                              drivers("s2.yml", 1, minors=limits)])
    assert (made.products["MI300X"].compute_units, made.products["MI210"].compute_units) == (80, 104)
    # What a file does not speak of stays.
    assert [limit.devices for limit in made.minors] == [256]
    assert len(made.reloading) == 1


def test_our_files_are_of_the_form() -> None:
    assert {"MI210", "MI250X", "MI300A", "MI300X", "MI325X", "MI350X", "MI355X"} <= set(own().products)


@pytest.mark.parametrize(("documents", "sentence"), [
    ([products(PRODUCT, PRODUCT)], "p.yml: products[1].name: 'MI300X' is also p.yml: products[0]; remove one"),
    ([products(PRODUCT), products(PRODUCT, path="q.yml")],
     "q.yml: products[0].name: 'MI300X' is also p.yml: products[0]; remove one"),
    ([products({**PRODUCT, "alternative": "masks"})],
     "p.yml: products[0].alternative: is for products without pairs; give one of alternative and pairs"),
    ([products({**WHOLE, "alternative": ""})],
     "p.yml: products[0].alternative: is for products without pairs; give one of alternative and pairs"),
    ([products({**PRODUCT, "pairs": [PAIR, PAIR]})], "p.yml: products[0].pairs[1]: CPX/NPS4 is there twice; remove one"),
    ([products({**PRODUCT, "pairs": [PAIR, {**PAIR, "memory": "NPS1", "devices": 4}]})],
     "p.yml: products[0].pairs[1].devices: is 4, and another pair with CPX has 8; correct one"),
    ([products({**PRODUCT, "pairs": [{**PAIR, "compute": "TPX", "devices": 3}]})],
     "p.yml: products[0].pairs[0].devices: is 3, and 8 XCDs cannot be divided so; correct it"),
    ([products({**PRODUCT, "pairs": [{**PAIR, "periods": []}]})],
     "p.yml: products[0].pairs[0].periods: is empty; say how well the pair is known"),
    ([products({**PRODUCT, "pairs": [{**PAIR, "periods": [{"standing": "rumoured"}]}]})],
     "p.yml: products[0].pairs[0].periods[0].standing: is 'rumoured'; choose one of documented, allowed, experimental"),
    ([products({**PRODUCT, "pairs": [{**PAIR, "sources": ["S9"]}]})],
     "p.yml: products[0].pairs[0].sources[0]: the file's sources do not define 'S9'; add it to sources"),
    ([products({**PRODUCT, "pairs": [{**PAIR, "sources": []}]})],
     "p.yml: products[0].pairs[0].sources: is empty: a fact without a source is none; say where it is from"),
    ([products({**PRODUCT, "automatic": {"NPS4": "CPX2"}})],
     "p.yml: products[0].automatic.NPS4: is 'CPX2'; write one of NPS1, NPS2, NPS4, NPS8 and one of SPX, DPX, TPX, QPX, CPX"),
    ([products({**PRODUCT, "automatic": {"NPS3": "CPX"}})],
     "p.yml: products[0].automatic.NPS3: is 'CPX'; write one of NPS1, NPS2, NPS4, NPS8 and one of SPX, DPX, TPX, QPX, CPX"),
    ([products({**PRODUCT, "xcds": 0})], "p.yml: products[0].xcds: is missing or 0; write how many there are"),
    ([products({**PRODUCT, "memory_change": "reboot"})],
     "p.yml: products[0].memory_change: is 'reboot'; choose one of reload, bios, none"),
    ([products({**PRODUCT, "wafer": 9})], "p.yml: products[0].wafer: is not a known key; remove it"),
    ([drivers(reloading=[{"library_from": "v26", "by_library": True, "sources": ["S1"]}])],
     "d.yml: reloading[0].library_from: is 'v26', which does not match \\d+(?:\\.\\d+)*; write it in that form"),
    ([{"path": "x.yml", "data": ["a"]}], "x.yml: is a list, not a mapping; write it as a mapping"),
    ([{"path": "x.yml", "data": {"version": "v1", "kind": "faults"}}],
     "x.yml: kind: is 'faults'; choose one of partition_products, partition_drivers"),
])
def test_a_file_that_is_not_of_the_form(documents: list[dict[str, t.Any]], sentence: str) -> None:
    with pytest.raises(DataError) as caught:
        read_capabilities(documents)
    assert caught.value.sentence == sentence
