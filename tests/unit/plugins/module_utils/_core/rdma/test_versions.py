# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Versions of drivers and firmware: as wanted, another, not known, and not asked for."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.ibv_devinfo import Listed, Said
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma import versions
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.seen import Seen
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.shape import VerbsDevice
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.wish import Wish
from ansible_collections.instinct.fleet.tests.unit.support.rdma import CATALOGUE, IONIC, MLX5, RXE

STRANGER = dc.replace(MLX5, devices=(VerbsDevice("mlx5_0", "uverbs0", None, 1),))


@pytest.mark.parametrize(("there", "expected"), [
    ({"mlx5_core": "24.10-1.1.4"}, (True, "24.10-1.1.4", "24.10-1.1.4")), ({"mlx5_core": "6.8.0-45"}, (False, "24.10-1.1.4", "6.8.0-45")),
    ({}, (None, "24.10-1.1.4", "its version is not known"))])
def test_a_driver(there: dict[str, str], expected: versions.Result) -> None:
    wish = Wish("inbox", drivers={"mlx5_core": "24.10-1.1.4", "ionic": "1"})  # the node has no NIC for the second
    assert list(versions.drivers(CATALOGUE, dc.replace(MLX5, drivers=there), wish)) == [("mlx5_core", expected)]


@pytest.mark.parametrize(("seen", "wanted", "expected"), [
    (MLX5, {"mlx5": "1.0", "15b3:1021": "28.46.3048"}, (True, "28.46.3048", "28.46.3048")),  # the model counts before the family
    (MLX5, {"mlx5": "1.0", "15b3:1023": "28.46.3048"}, (False, "1.0", "28.46.3048")),
    (IONIC, {"ionic": "1.117.5"}, (None, "1.117.5", "ibv_devinfo does not tell it")),
    (dc.replace(MLX5, said=None), {"mlx5": "1.0"}, (None, "1.0", "ibv_devinfo does not tell it")),
    (dc.replace(MLX5, said=Said()), {"mlx5": "1.0"}, (None, "1.0", "ibv_devinfo does not tell it")),
    (STRANGER, {"15b3:1021": "28.46.3048"}, (True, "28.46.3048", "28.46.3048")),
    (MLX5, {"ionic": "1"}, None), (RXE, {"mlx5": "1"}, None),
])
def test_firmware(seen: Seen, wanted: dict[str, str], expected: versions.Result | None) -> None:
    found = list(versions.firmware(CATALOGUE, seen, Wish("inbox", firmware=wanted)))
    assert found == ([(seen.devices[0].name, expected)] if expected else [])


def test_firmware_of_a_device() -> None:
    assert versions.of("mlx5_0", MLX5) == "28.46.3048"
    assert versions.of("mlx5_0", dc.replace(MLX5, said=Said({"mlx5_0": Listed("mlx5_0", {}, {})}))) is None


def test_names_that_are_none_are_refused() -> None:
    with pytest.raises(FleetError, match=r"^rdma_stack_drivers: the catalogue of RDMA has no 'mlx5_cor'; did you mean mlx5_core\?$"):
        list(versions.drivers(CATALOGUE, MLX5, Wish("inbox", drivers={"mlx5_cor": "1"})))
    with pytest.raises(FleetError, match=r"^rdma_stack_firmware: there is no family 'mlx'; choose one of bnxt_re, ionic, mlx5, rxe$"):
        list(versions.firmware(CATALOGUE, MLX5, Wish("inbox", firmware={"mlx": "1"})))
