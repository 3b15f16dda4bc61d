# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From PCI device id and market name to the product."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.products import (
    DeviceIds,
    device_ids,
    identify,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.strict import Reader
from ansible_collections.instinct.fleet.tests.unit.support.catalogue import own

BDF = "0000:05:00.0"
# Ids: ROCm/gpu-operator:helm-charts-k8s/templates/gpu-nfd-default-rule.yaml.
IDS = [
    ("738c", None, ("MI100",), False), ("740f", None, ("MI210",), False), ("7408", None, ("MI250X",), False),
    ("74a0", None, ("MI300A",), False), ("74a1", None, ("MI300X",), False), ("74a9", None, ("MI300X",), False),
    ("74b5", None, ("MI300X",), True), ("74bd", None, ("MI300X",), True), ("74a2", None, ("MI308X",), False),
    ("74bc", None, ("MI308X",), True), ("74a5", None, ("MI325X",), False), ("74b9", None, ("MI325X",), True),
    ("75a0", None, ("MI350X",), False), ("75a3", None, ("MI355X",), False), ("75a8", None, ("MI350P",), False),
    ("0x74A1", None, ("MI300X",), False),
    ("740c", None, ("MI250", "MI250X"), False),
    ("740c", "AMD Instinct MI250", ("MI250",), False),
    ("740c", "AMD INSTINCT MI250X", ("MI250X",), False),
    ("740c", "Aldebaran/MI200 [Instinct MI250X/MI250]", ("MI250", "MI250X"), False),
    ("740c", "AMD Instinct MI2500", ("MI250", "MI250X"), False),
    ("74a1", "AMD Instinct MI355X", ("MI300X",), False),
]


@pytest.mark.parametrize(("device_id", "market_name", "names", "virtual"), IDS)
def test_a_device_id_is_a_product(device_id, market_name, names, virtual):
    gpu = identify(own().products, BDF, device_id, market_name)
    assert (gpu.names, gpu.virtual, gpu.name) == (names, virtual, " or ".join(names))
    assert gpu.device_id == device_id.lower().removeprefix("0x")


@pytest.mark.parametrize("device_id", ["7551", "0000", "", "74a", "74a1x"])
def test_an_unknown_device_id_is_refused(device_id):
    with pytest.raises(FleetError) as caught:
        identify(own().products, BDF, device_id, "AMD Instinct MI300X")
    assert caught.value.sentence == (
        f"gpu {BDF}: PCI device id 1002:{device_id} belongs to no product of the catalogue; add it to "
        "products.yml in a directory of gpu_release_catalogue_dirs")


def test_device_ids_are_read_as_a_node_is_told_them():
    raw = {"name": "MI300X", "pci_ids": ["74a1"], "vf_ids": ["74b5"]}
    assert device_ids(Reader(raw, "f")) == DeviceIds("MI300X", ("74a1",), ("74b5",))
    with pytest.raises(FleetError, match=r"f.vf_ids\[0\]: is '0x74b5', which does not match"):
        device_ids(Reader({**raw, "vf_ids": ["0x74b5"]}, "f"))
