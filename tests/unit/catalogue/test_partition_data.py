# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What products can be: the right values, that each fact has a source, and that files agree with each other."""

from __future__ import annotations

import itertools
import json

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.profile import Profile
from ansible_collections.instinct.fleet.tests.unit.support.catalogue import own as releases
from ansible_collections.instinct.fleet.tests.unit.support.partition_data import DATA, FILES, document, own
from ansible_collections.instinct.fleet.tests.unit.support.project import ROOT

PROFILES = [path for path in FILES if path.startswith("profiles/")]
SIMULATED = sorted((ROOT / "tests/simulator/products").glob("mi*.json"))


def numbers(version):
    return tuple(map(int, version.split("."))) if version else ()


def standings(product, *drivers):
    """Pair -> how well it is known with each driver; - where it is refused."""
    return {pair.text: " ".join((pair.standing(numbers(driver)) or "-")[:3] for driver in drivers)
            for pair in own().products[product].pairs}


DRIVERS = ("6.3.6", "6.8.5", "6.10.5", "6.12.12", "6.14.14", "6.16.6", "6.19.4", "6.19.14", "7.1.3", "")
MI300X = {
    "SPX/NPS1": "doc doc doc doc doc doc doc doc doc doc", "DPX/NPS1": "all all all all all all all all all all",
    "DPX/NPS2": "exp exp exp doc doc doc doc doc doc doc", "QPX/NPS1": "all all all all all all all all all all",
    "QPX/NPS4": "all all all all all all all all all all", "CPX/NPS1": "all all all doc doc doc doc doc doc doc",
    "CPX/NPS4": "exp exp exp doc doc doc doc doc doc doc",
}
MI350X = {
    "SPX/NPS1": "- - - - doc doc doc doc doc doc", "DPX/NPS1": "- - - - all all all all all all",
    "DPX/NPS2": "- - - - doc doc doc doc doc doc", "QPX/NPS1": "- - - - all all all all all all",
    "QPX/NPS2": "- - - - exp exp exp doc doc doc", "CPX/NPS1": "- - - - all all all all all all",
    "CPX/NPS2": "- - - - exp doc doc doc doc doc",
}
STANDINGS = {
    "MI100": {}, "MI210": {}, "MI250": {}, "MI250X": {},
    "MI300A": {"SPX/NPS1": "doc doc doc doc doc doc doc doc doc doc", "TPX/NPS1": "all all doc doc doc doc doc doc doc doc",
               "CPX/NPS1": "all all all doc doc doc doc doc doc doc"},
    "MI300X": MI300X,
    "MI308X": {text: " ".join(["doc" if text == "SPX/NPS1" else "all"] * 10)
               for text in ("SPX/NPS1", "DPX/NPS1", "DPX/NPS2", "CPX/NPS1", "CPX/NPS4")},
    "MI325X": {text: " ".join(["doc" if text == "SPX/NPS1" else "all"] * 10) for text in MI300X},
    "MI350P": {"SPX/NPS1": "- - - - - - doc doc doc doc", "DPX/NPS1": "- - - - - - all all doc doc",
               "CPX/NPS1": "- - - - - - exp doc doc doc"},
    "MI350X": MI350X, "MI355X": MI350X,
}


def test_all_products_of_the_catalogue_are_there():
    assert list(own().products) == [product.name for product in releases().products] == list(STANDINGS)


@pytest.mark.parametrize("product", STANDINGS)
def test_how_well_a_pair_is_known(product):
    assert standings(product, *DRIVERS) == STANDINGS[product]


SHAPES = [
    ("MI100", 1, 120, 32752, "none", {}), ("MI210", 1, 104, 65520, "none", {}), ("MI250", 1, 104, 65520, "none", {}),
    ("MI250X", 1, 110, 65520, "none", {}), ("MI300A", 6, 228, 131072, "bios", {"SPX": 1, "TPX": 3, "CPX": 6}),
    ("MI300X", 8, 304, 196592, "reload", {"SPX": 1, "DPX": 2, "QPX": 4, "CPX": 8}),
    ("MI308X", 4, 80, 196592, "reload", {"SPX": 1, "DPX": 2, "CPX": 4}),
    ("MI325X", 8, 304, 262128, "reload", {"SPX": 1, "DPX": 2, "QPX": 4, "CPX": 8}),
    ("MI350P", 4, 128, 147440, "none", {"SPX": 1, "DPX": 2, "CPX": 4}),
    ("MI350X", 8, 256, 294896, "reload", {"SPX": 1, "DPX": 2, "QPX": 4, "CPX": 8}),
    ("MI355X", 8, 256, 294896, "reload", {"SPX": 1, "DPX": 2, "QPX": 4, "CPX": 8}),
]


@pytest.mark.parametrize(("name", "xcds", "units", "memory", "change", "devices"), SHAPES, ids=[s[0] for s in SHAPES])
def test_what_a_product_has(name, xcds, units, memory, change, devices):
    product = own().products[name]
    assert (product.xcds, product.compute_units, product.memory_mib, product.memory_change) == (xcds, units, memory, change)
    assert {pair.compute: pair.devices for pair in product.pairs} == devices
    assert all(product.compute_units % (product.xcds or 1) == 0 for product in own().products.values())


def test_what_cannot_be_partitioned_names_compute_unit_masks():
    for product in own().products.values():
        assert ("HSA_CU_MASK" in product.alternative) == (not product.pairs), product.name


WHOLE = (1, "SPX", "NPS1")
MI350 = {WHOLE, (1, "DPX", "NPS2"), (1, "CPX", "NPS2"), (2, "DPX", "NPS2"), (8, "CPX", "NPS2")}
VIRTUAL = {"MI300X": {WHOLE, (8, "CPX", "NPS4")}, "MI325X": {WHOLE}, "MI350P": {WHOLE}, "MI350X": MI350, "MI355X": MI350}


def test_what_guests_can_be_given():
    assert {name: set(p.virtual) for name, p in own().products.items() if p.virtual} == VIRTUAL
    for product in own().products.values():
        assert {(compute, memory) for _n, compute, memory in product.virtual} <= {(p.compute, p.memory) for p in product.pairs}


@pytest.mark.parametrize("product", [p for p in own().products.values() if p.pairs], ids=lambda p: p.name)
def test_what_the_driver_chooses_fits_the_memory_modes_of_the_product(product):
    assert list(product.automatic) == list(product.memories)
    assert product.automatic["NPS1"] == "SPX"
    # MI308X in NPS2 starts in CPX, which AMD's kernel then lists for no bare GPU of that generation.
    odd = {(compute, memory) for memory, compute in product.automatic.items() if not product.pair(compute, memory)}
    assert odd == ({("CPX", "NPS2")} if product.name == "MI308X" else set())


def test_periods_are_told_in_order_and_each_changes_something():
    for product in document("products.yml")["products"]:
        for pair in product.get("pairs", ()):
            drivers = [numbers(period.get("driver_from", "")) for period in pair["periods"]]
            said = [period["standing"] for period in pair["periods"]]
            assert drivers == sorted(set(drivers))
            assert all(one != other for one, other in itertools.pairwise(said)), (product["name"], pair)


@pytest.mark.parametrize("path", ["products.yml", "drivers.yml"])
def test_every_source_is_cited(path):
    text = json.dumps({key: value for key, value in document(path).items() if key != "sources"})
    assert [key for key in document(path)["sources"] if f'"{key}"' not in text] == []


LIBRARIES = [((), True), ((24, 7, 1), True), ((25, 5, 1), True), ((26, 0, 0), False), ((26, 5), False), ((27, 1), False)]


@pytest.mark.parametrize(("library", "by_library"), LIBRARIES[1:])
def test_libraries_before_26_reload_the_driver_themselves(library, by_library):
    assert own().reloading_of(library).by_library is by_library


KERNELS = [((5, 15, 0), 64), ((6, 6, 52), 64), ((6, 6, 53), None), ((6, 6, 100), None), ((6, 8, 0), 64), ((6, 11, 0), 64),
           ((6, 11, 1), None), ((6, 12), None), ((6, 12, 0), None), ((7, 0), None)]


@pytest.mark.parametrize(("kernel", "devices"), KERNELS)
def test_how_many_drm_devices_a_kernel_has_numbers_for(kernel, devices):
    assert own().minors_of(kernel).devices == devices


def possible(product, compute, memory):
    """Whether a product can be so. One that has no modes is whole."""
    return bool(product.pair(compute, memory)) or (not product.pairs and (compute, memory) == ("SPX", "NPS1"))


@pytest.mark.parametrize("path", PROFILES)
def test_a_profile_is_possible_on_each_of_its_products(path):
    profile = Profile.from_document(document(path), path)
    assert profile.name == path.removeprefix("profiles/").removesuffix(".yml")
    assert profile.products and profile.description
    for name in profile.products:
        assert all(possible(own().products[name], rule.compute, rule.memory) for rule in profile.rules), name
    assert len({rule.memory for rule in profile.rules}) == 1  # AMD: do not mix memory modes on a node


@pytest.mark.parametrize("path", [p for p in PROFILES if "half" not in p])
def test_a_profile_for_all_gpus_names_every_product_that_can_be_so(path):
    profile = Profile.from_document(document(path), path)
    (rule,) = profile.rules
    assert (profile.name, rule.gpus) == (f"{rule.compute}-{rule.memory}".lower(), ("all",))
    assert list(profile.products) == [n for n, p in own().products.items() if possible(p, rule.compute, rule.memory)]


def test_there_is_a_profile_for_every_pair():
    pairs = {f"{pair.compute}-{pair.memory}".lower() for product in own().products.values() for pair in product.pairs}
    assert pairs == {path.removeprefix("profiles/").removesuffix(".yml") for path in PROFILES} - {"half-spx-half-cpx"}


@pytest.mark.parametrize("path", SIMULATED, ids=lambda path: path.stem)
def test_the_simulated_products_are_these(path):
    simulated = json.loads(path.read_text())
    product = own().products[simulated["name"]]
    assert (product.xcds, product.compute_units, product.memory_mib) == (
        simulated["xcc"], simulated["compute_units"], simulated["vram_mib"])
    assert (product.memory_change == "reload") is simulated["memory_switchable"]
    modes = {compute: mode["partitions"] for compute, mode in simulated["modes"].items()}
    assert {pair.compute: pair.devices for pair in product.pairs} == modes
    pairs = {(compute, memory) for compute, mode in simulated["modes"].items() for memory in mode["memory"]}
    assert {(pair.compute, pair.memory) for pair in product.pairs} == pairs


def test_the_readme_names_every_key():
    text = (DATA / "README.md").read_text()
    keys = {key for product in document("products.yml")["products"] for key in product}
    keys |= {key for product in document("products.yml")["products"] for pair in product.get("pairs", ()) for key in pair}
    keys |= {key for path in PROFILES for key in document(path)}
    keys |= {key for record in (*document("drivers.yml")["reloading"], *document("drivers.yml")["minors"]) for key in record}
    assert sorted(key for key in keys - {"version", "kind"} if f"`{key}`" not in text) == []
