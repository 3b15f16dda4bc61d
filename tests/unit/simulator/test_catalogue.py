# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The simulator against the catalogue of partitions: it refuses nothing that the catalogue calls documented."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
import yaml
from instinct_sim import product
from instinct_sim.machine import gpus

CATALOGUE = Path(__file__).resolve().parents[3] / "roles" / "gpu_partition" / "files" / "partitioning" / "products.yml"
PRODUCTS: dict[str, dict[str, t.Any]] = {
    one["name"].lower(): one for one in yaml.safe_load(CATALOGUE.read_text(encoding="utf-8"))["products"]
}
SHARED = [name for name in product.names() if name in PRODUCTS]
# Pairs of the catalogue that the simulator does not play, and why.
NOT_PLAYED = {
    ("mi308x", "DPX", "NPS2"): "the kernel starts NPS2 in CPX, which it does not list for NPS2",
    ("mi325x", "DPX", "NPS2"): "AMD's matrix says that MI325X has no NPS2",
}


def pairs(name: str) -> dict[tuple[str, str, str], tuple[int, set[str]]]:
    """Pairs of a product in the catalogue: devices, and every standing that it has or had."""
    return {
        (name, pair["compute"], pair["memory"]): (pair["devices"], {period["standing"] for period in pair["periods"]})
        for pair in PRODUCTS[name].get("pairs", [])
    }


def played(name: str) -> dict[tuple[str, str, str], int]:
    """Pairs that the simulated product takes, and their devices."""
    data = product.load(name)
    return {
        (name, mode, memory): one["partitions"]
        for mode, one in data["modes"].items()
        for memory in one["memory"]
        if memory in data["memory_modes"]
    }


def test_every_simulated_product_is_in_the_catalogue() -> None:
    assert sorted(product.names()) == sorted(SHARED)


@pytest.mark.parametrize("name", SHARED)
def test_pair_of_the_catalogue_is_played(name: str) -> None:
    missing = set(pairs(name)) - set(played(name)) - set(NOT_PLAYED)
    assert missing == set()
    assert not any("documented" in pairs(name)[key][1] for key in set(NOT_PLAYED) & set(pairs(name)))


@pytest.mark.parametrize("name", SHARED)
def test_devices_and_the_drivers_choice_agree(name: str) -> None:
    known, simulated = pairs(name), played(name)
    assert {key: known[key][0] for key in set(known) & set(simulated)} == {
        key: simulated[key] for key in set(known) & set(simulated)
    }
    automatic = PRODUCTS[name].get("automatic", {})
    data = product.load(name)
    assert {memory: data["auto_mode"][memory] for memory in data["memory_modes"]} == {
        memory: automatic[memory] for memory in data["memory_modes"]
    }


@pytest.mark.parametrize("name", SHARED)
def test_numbers_of_a_gpu_agree(name: str) -> None:
    one, gpu = PRODUCTS[name], gpus(product.new_state(name))[0]
    known = (one["compute_units"], one["memory_mib"], one["memory_change"] == "reload")
    assert (gpu.number("compute_units"), gpu.number("vram_mib"), gpu["memory_switchable"] == "1") == known
    assert gpu.number("xcc") == one["xcds"]
