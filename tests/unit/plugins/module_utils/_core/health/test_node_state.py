# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What belongs together on a node, as samples."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.health import node_state
from ansible_collections.instinct.fleet.plugins.module_utils._core.health.sample import Seen
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.tests.unit.support.healthy import A, B, gpu, look

THIRD = "0000:46:00.0"


def firmware(*blocks: dict[str, str], source: str = "amdsmi", products: tuple[str, ...] = ("MI300X",) * 3) -> list[float | None]:
    """How many blocks differ, of each GPU."""
    bdfs = (A, B, THIRD)[:len(blocks)]
    there = tuple(gpu(bdf, place, product=products[place]) for place, bdf in enumerate(bdfs))
    told = tuple(lk.GpuFirmware(bdf, of_gpu, source if place else "amdsmi") for place, (bdf, of_gpu) in enumerate(zip(bdfs, blocks)))
    return [sample.value for sample in node_state.firmware(Seen(look(there, firmware=lk.Firmware(told))))]


def test_firmware_of_the_few_differs_from_that_of_the_many() -> None:
    assert firmware({"PM": "1", "RLC": "2"}, {"PM": "1", "RLC": "2"}, {"PM": "9"}) == [0, 0, 2]


def test_without_a_majority_somebody_differs() -> None:
    assert firmware({"PM": "1"}, {"PM": "2"}) == [0, 1]


def test_a_block_that_only_one_has_is_no_agreement() -> None:
    assert firmware({"PM": "1", "X": "1"}, {"PM": "1"}, {"PM": "1"}) == [0, 0, 0]


def test_sources_and_products_are_not_mixed() -> None:
    assert firmware({"PM": "85.1"}, {"PM": "0x550001"}, {"PM": "0x550001"}, source="sysfs") == [0, 0, 0]
    assert firmware({"PM": "1"}, {"PM": "2"}, {"PM": "2"}, products=("MI210", "MI300X", "MI300X")) == [0, 0, 0]


def test_bundle_and_vbios_count() -> None:
    told = (lk.GpuFirmware(A, {}, "amdsmi", vbios="022.1", bundle="01.25.02"), lk.GpuFirmware(B, {}, "amdsmi", vbios="022.1", bundle="01.25.03"))
    samples = list(node_state.firmware(Seen(look(firmware=lk.Firmware(told)))))
    assert [sample.seen for sample in samples] == ["as the others", "bundle 01.25.03 (others 01.25.02)"]


@pytest.mark.parametrize(("driver", "unknown", "value"), [
    ("amdgpu", {}, 0), ("vfio-pci", {}, 1), (None, {}, 1), (None, {f"{A}.driver": "no sysfs in the bundle"}, None)])
def test_driver_bound(driver: str | None, unknown: dict[str, str], value: int | None) -> None:
    seen = dc.replace(look(), gpus=lk.Gpus((gpu(driver=driver),), unknown))
    assert [sample.value for sample in node_state.driver_bound(Seen(seen))] == [value]


@pytest.mark.parametrize(("products", "expected"), [(("MI300X", "MI300X"), "MI300X"), (("MI300X", "MI210"), None), ((), None), ((None,), None)])
def test_product_is_that_of_all(products: tuple[str | None, ...], expected: str | None) -> None:
    seen = look(tuple(gpu(f"0000:0{place}:00.0", place, product=name) for place, name in enumerate(products)))
    assert node_state.product(Seen(seen)) == expected
