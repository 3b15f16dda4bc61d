# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""gpu_partition with the vendor's own bindings, of every generation, on the simulated library."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.tests.unit.plugins.partitioned import A, B, PartitionNode
from ansible_collections.instinct.fleet.tests.unit.plugins.simulated import BINDINGS

Make = t.Callable[..., PartitionNode]


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Makes the node that this test is about."""
    def made(rocm: str = "7.0.2", product: str = "mi300x", gpus: int = 2) -> PartitionNode:
        node = PartitionNode(tmp_path / "node", product, gpus)
        node.install(rocm)
        node.live(monkeypatch)
        return node

    (tmp_path / "node").mkdir()
    return made


@pytest.mark.parametrize("rocm", BINDINGS)
def test_compute_check_do_again(make: Make, rocm: str) -> None:
    node = make(rocm)
    predicted = node.ask("CPX", "NPS1", check=True)
    assert (node.modes(), node.log) == (["SPX/NPS1"] * 2, [])
    done = node.ask("CPX", "NPS1")
    assert done.get("msg") is None
    assert node.modes() == ["CPX/NPS1"] * 2
    assert (done["actions"], done["as_wanted"]) == (["set compute partition CPX on 2 GPUs (was SPX)"], True)
    assert (predicted["actions"], predicted["diff"]) == (done["actions"], done["diff"])
    again = node.ask("CPX", "NPS1")
    assert (again["changed"], again["actions"], again["diff"], again["as_wanted"]) == (False, [], [], True)
