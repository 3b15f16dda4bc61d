# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Products as data."""

from __future__ import annotations

import json
import typing as t
from collections import Counter

import jsonschema
import pytest
from instinct_sim import product
from instinct_sim.errors import SimError
from instinct_sim.machine import gpus

SCHEMA = json.loads((product.FOLDER / "product.schema.json").read_text(encoding="utf-8"))

#              device, VF id, GPUs, VRAM, compute modes, memory modes
FACTS: dict[str, tuple[str, str | None, int, int, str, str]] = {
    "mi100": ("738c", None, 8, 32752, "", ""),
    "mi210": ("740f", None, 4, 65520, "", ""),
    "mi250x": ("7408", None, 8, 65520, "", ""),
    "mi300a": ("74a0", None, 4, 131072, "SPX TPX CPX", "NPS1"),
    "mi300x": ("74a1", "74b5", 8, 196592, "SPX DPX QPX CPX", "NPS1 NPS2 NPS4"),
    "mi308x": ("74a2", "74b6", 8, 196592, "SPX DPX CPX", "NPS1 NPS4"),
    "mi325x": ("74a5", "74b9", 8, 262128, "SPX DPX QPX CPX", "NPS1 NPS4"),
    "mi350x": ("75a0", None, 8, 294896, "SPX DPX QPX CPX", "NPS1 NPS2"),
    "mi355x": ("75a3", None, 8, 294896, "SPX DPX QPX CPX", "NPS1 NPS2"),
}


def test_products() -> None:
    assert product.names() == sorted(FACTS)


@pytest.mark.parametrize("name", sorted(FACTS))
def test_product_follows_the_schema(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(product.load(name), SCHEMA)


@pytest.mark.parametrize(
    ("change", "message"),
    [({"gpu": 8}, "was unexpected"), ({"pcie": {"width": 3, "speed_gts": 16, "generation": 4}}, "is not one of"),
     ({"bdfs": ["5:0.0"]}, "does not match"), ({"sources": {}}, "required property"), ({"modes": {"XPX": {}}}, "is not one of")],
    ids=["unknown key", "link width", "address", "no sources", "mode"],
)  # fmt: skip
def test_schema_refuses(change: dict[str, t.Any], message: str) -> None:
    with pytest.raises(jsonschema.ValidationError, match=message):
        jsonschema.validate({**product.load("mi300x"), **change}, SCHEMA)


@pytest.mark.parametrize("name", sorted(FACTS))
def test_product_is_as_known(name: str) -> None:
    data = product.load(name)
    known = (data["pci"]["device"], data["pci"]["virtual_function"], data["gpus"], data["vram_mib"],
             " ".join(data["modes"]), " ".join(data["memory_modes"]))  # fmt: skip
    assert known == FACTS[name]


@pytest.mark.parametrize("name", sorted(FACTS))
def test_modes_fit_the_dies(name: str) -> None:
    data = product.load(name)
    assert {mode for mode, one in data["modes"].items() if data["xcc"] % one["partitions"]} == set()
    assert set(data["memory_modes"]) <= set(data["auto_mode"])


@pytest.mark.parametrize("name", sorted(FACTS))
def test_fresh_node_has_its_gpus(name: str) -> None:
    found = gpus(product.new_state(name))
    assert [gpu.device_id for gpu in found] == [FACTS[name][0]] * FACTS[name][2]
    assert len({gpu["serial"] for gpu in found}) == len({gpu.bdf for gpu in found}) == FACTS[name][2]
    assert [gpu.partitions for gpu in found] == [1] * FACTS[name][2]


@pytest.mark.parametrize(
    ("name", "count", "message"),
    [("mi999", 8, "there is no product 'mi999'; there are mi100, mi210, "), ("mi300a", 5, "a node has 1 to 4 MI300A, not 5"),
     ("mi300x", 0, "a node has 1 to 8 MI300X, not 0")],
)  # fmt: skip
def test_impossible_node_is_refused(name: str, count: int, message: str) -> None:
    with pytest.raises(SimError, match=message):
        product.new_state(name, count)


@pytest.mark.parametrize(("name", "count", "hives"), [
    ("mi300x", 8, [8]), ("mi300x", 2, [2]), ("mi300x", 1, []), ("mi210", 8, [4, 4]), ("mi100", 6, [4, 2]), ("mi100", 5, [4]),
])  # fmt: skip
def test_hives(name: str, count: int, hives: list[int]) -> None:
    """Where a GPU has three links, four make a hive, and what is left alone is in none."""
    found = gpus(product.new_state(name, count))
    sizes = Counter(gpu["hive"] for gpu in found if gpu["hive"] != "0")
    assert sorted(sizes.values(), reverse=True) == hives
    assert all(gpu.number("xgmi.links") + 1 == (sizes[gpu["hive"]] or 1) for gpu in found)
