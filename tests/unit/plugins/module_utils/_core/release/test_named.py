# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""GPUs get the names of their products by PCI device id, and never another than the node says."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Gpu, Gpus, Look
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.named import named
from ansible_collections.instinct.fleet.tests.unit.support.catalogue import own

BDF = "0000:05:00.0"


@pytest.mark.parametrize(("gpu", "product"), [
    (Gpu(0, BDF, "74a1"), "MI300X"),
    (Gpu(0, BDF, "74b5"), "MI300X"),
    (Gpu(0, BDF, "740c"), None),
    (Gpu(0, BDF, "740c", market_name="AMD Instinct MI250X"), "MI250X"),
    (Gpu(0, BDF, "73a3"), None),
    (Gpu(0, BDF, "74a1", product="MI325X"), "MI325X"),
])
def test_a_gpu_has_the_name_of_its_product(gpu: Gpu, product: str | None) -> None:
    look = named(Look(gpus=Gpus((gpu,))), own().products)
    assert look.gpus is not None
    assert look.gpus.gpus[0].product == product


def test_a_look_without_gpus_stays_as_it_is() -> None:
    assert named(Look(), own().products) == Look()
