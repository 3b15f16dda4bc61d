# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of partitions; that it is up to date is seen to in tests/unit/roles/test_derived.py."""

from __future__ import annotations

import importlib.util
import sys
import typing as t

import pytest

from ansible_collections.instinct.fleet.tests.unit.support.project import ROOT, data, files

sys.path.insert(0, str(ROOT / "tests" / "tools"))
_spec = importlib.util.spec_from_file_location("partition_page", ROOT / "tests" / "tools" / "partition_page.py")
assert _spec and _spec.loader
partition_page = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(partition_page)

DATA = "roles/gpu_partition/files/partitioning"
PRODUCTS: t.Any = data(f"{DATA}/products.yml")
PROFILES: list[t.Any] = [data(path) for path in files(f"{DATA}/profiles/*.yml")]
PAGE = partition_page.page(PRODUCTS, data(f"{DATA}/drivers.yml"), PROFILES)
SECTIONS = dict(part.split("\n", 1) for part in PAGE.split("\n## ")[1:])


def test_every_product_has_a_row_and_a_section() -> None:
    names = [product["name"] for product in PRODUCTS["products"]]
    assert list(SECTIONS) == [*names, "Profiles", "Libraries and kernels"]
    overview = PAGE.split("\n## ")[0]
    assert [name for name in names if f"| [{name}](#{name.lower()}) |" not in overview] == []


def test_every_pair_has_a_row_under_its_product() -> None:
    for product in PRODUCTS["products"]:
        firsts = [line.split(" | ")[0] for line in SECTIONS[product["name"]].splitlines() if line.startswith("| ")]
        rows = [first for first in firsts if "/NPS" in first]
        assert rows == [f"| {pair['compute']}/{pair['memory']}" for pair in product.get("pairs", ())]


ROWS = [
    ("MI300X", "| CPX/NPS4 | 8 | 1 | 38 | 24574 | experimental, from 6.12.12 documented | "),
    ("MI300A", "| TPX/NPS1 | 3 | 2 | 76 | 43690 | allowed, from 6.10.5 documented | "),
    ("MI350P", "| DPX/NPS1 | 2 | 2 | 64 | 73720 | from 6.19.4 allowed, from 7.1.3 documented | "),
    ("MI300X", "* When it is loaded, the driver chooses SPX in NPS1, DPX in NPS2, CPX in NPS4"),
    ("MI300X", "* Virtual functions that a host can give its guests: 1 in SPX/NPS1; 8 in CPX/NPS4"),
    ("MI210", "* Cannot be partitioned. Instead: give programs a part of the compute units with HSA_CU_MASK"),
    ("Profiles", "| `half-spx-half-cpx` | The first four GPUs whole, the other four as a device for each XCD | "
                 "0, 1, 2, 3: SPX/NPS1; 4, 5, 6, 7: CPX/NPS1 | MI300X, MI308X, MI325X, MI350X, MI355X |"),
    ("Profiles", "| `tpx-nps1` | Three devices of each APU, which share all its memory | all: TPX/NPS1 | MI300A |"),
    ("Libraries and kernels", "* From libamd_smi 26 on: the call that sets a memory mode only asks: "),
    ("Libraries and kernels", "* Any kernel: 64 DRM devices ("),
    ("Libraries and kernels", "* From kernel 6.11.1 on: enough DRM devices ("),
]


@pytest.mark.parametrize(("section", "begins"), ROWS)
def test_a_line_says_it(section: str, begins: str) -> None:
    assert [line for line in SECTIONS[section].splitlines() if line.startswith(begins)] != []


def test_sources_are_told_in_full() -> None:
    known = PRODUCTS["sources"]
    for product in PRODUCTS["products"]:
        told = "; ".join(known[key] for key in product["sources"])
        assert f"* Sources ({product['confidence']}): {told}\n" in SECTIONS[product["name"]]
