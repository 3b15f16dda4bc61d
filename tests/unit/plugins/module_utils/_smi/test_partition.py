# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Modes set through the vendor's own bindings, on the simulated library."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._smi.partition import Said, change
from ansible_collections.instinct.fleet.tests.unit.plugins.simulated import BINDINGS, SimulatedNode

A, B = "0000:05:00.0", "0000:26:00.0"


@pytest.fixture
def node(tmp_path: Path) -> SimulatedNode:
    """Two MI300X with a loaded driver and no ROCm."""
    return SimulatedNode(tmp_path)


def done(bdf: str, now: str) -> Said:
    """What success looks like."""
    return Said(bdf, 0, "AMDSMI_STATUS_SUCCESS", "", now)


@pytest.mark.parametrize("rocm", BINDINGS)
def test_compute_of_each_gpu(node: SimulatedNode, rocm: str) -> None:
    node.install(rocm)
    (node.root / "run").mkdir()
    assert change(node.machine(), "compute", "CPX", [A, B], 20) == (done(A, "CPX"), done(B, "CPX"))
    assert change(node.machine(), "compute", "SPX", [B], 20) == (done(B, "SPX"),)
