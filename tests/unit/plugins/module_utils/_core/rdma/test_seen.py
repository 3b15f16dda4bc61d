# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields of RDMA on a node that others are told of, and NICs that nobody is told of."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.seen import Nic, Port
from ansible_collections.instinct.fleet.tests.unit.support.rdma import BOTH, MLX5, RXE

SECOND = dc.replace(MLX5.nics[0], bdf="0000:c1:00.1")


def test_a_port_is_named_as_rccl_names_it() -> None:
    assert Port("mlx5_0", 2).name == "mlx5_0:2"


@pytest.mark.parametrize(("nic", "left"), [
    (SECOND, ["0000:c1:00.0", "0000:c1:00.1"]), (dc.replace(SECOND, driver="vfio-pci"), ["0000:c1:00.0"]),
    (dc.replace(SECOND, virtual=True), ["0000:c1:00.0", "0000:c1:00.1"]), (dc.replace(SECOND, virtual=True, driver=None), ["0000:c1:00.0"]),
    (dc.replace(SECOND, driver=None), ["0000:c1:00.0", "0000:c1:00.1"])])
def test_functions_that_are_given_away_are_left_out(nic: Nic, left: list[str]) -> None:
    assert [one.bdf for one in dc.replace(MLX5, nics=(*MLX5.nics, nic)).without(()).nics] == left


def test_what_is_ignored_goes_with_its_device() -> None:
    assert BOTH.without(()) == BOTH
    found = BOTH.without(["0000:c2:00.0"])
    assert (found.nics, found.devices, found.ports) == (MLX5.nics, MLX5.devices, MLX5.ports)
    assert RXE.without(["0000:c1:00.0"]) == RXE
