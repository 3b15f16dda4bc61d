# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The health of GPUs from sysfs: driven, asleep, without driver, hanging."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.health import (
    BlockErrors,
    ClockRange,
    GpuHealth,
    Health,
    Pages,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.health_merge import FIELDS
from ansible_collections.instinct.fleet.plugins.module_utils._node import pci
from ansible_collections.instinct.fleet.plugins.module_utils._smi.sysfs_health import SysfsHealth
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree
from ansible_collections.instinct.fleet.tests.unit.plugins.simulated import SimulatedNode

A, B = "0000:05:00.0", "0000:26:00.0"
FILES = {
    "hwmon/hwmon3/temp2_label": "junction", "hwmon/hwmon3/temp2_input": "61000", "hwmon/hwmon3/temp2_crit": "100000",
    "hwmon/hwmon3/power1_average": "95000000", "hwmon/hwmon3/power1_cap": "300000000", "hwmon/hwmon3/power1_cap_default": "300000000",
    "ras/umc_err_count": "ue: 1\nce: 3\n", "ras/gpu_vram_bad_pages": "0x1 : 0x1000 : R\n0x2 : 0x1000 : P\n",
    "pcie_replay_count": "4", "pp_dpm_sclk": "0: 500Mhz *\n1: 1700Mhz\n", "xgmi_error": "2",
}


def ask(tree: Tree, seconds: float = 10) -> Health:
    """What sysfs says."""
    machine = tree.machine()
    return SysfsHealth(machine, pci.read(machine)).answer(seconds)


def test_a_gpu_that_amdgpu_drives(tree: Tree) -> None:
    tree.pci(A, **FILES)
    assert ask(tree) == Health((GpuHealth(
        A, {"hotspot": 61}, {"hotspot": 100}, 95, 300, 300, {"gfx": ClockRange(500, 500, 1700)},
        blocks={"umc": BlockErrors(3, 1)}, pages=Pages(1, 1, 0), pcie_replays=4),))


@pytest.mark.parametrize(("driver", "files", "reason"), [
    ("amdgpu", {"power/runtime_status": "suspended"}, "the GPU is suspended, reading this would wake it"),
    (None, {}, "no driver amdgpu is bound (none)"), ("vfio-pci", {}, "no driver amdgpu is bound (vfio-pci)")])
def test_what_is_not_read(tree: Tree, driver: str | None, files: dict[str, str], reason: str) -> None:
    tree.pci(A, driver=driver, **FILES, **files)
    assert ask(tree) == Health((GpuHealth(A, unknown=dict.fromkeys(FIELDS, reason)),))


def test_a_read_that_hangs_is_left_behind(tree: Tree) -> None:
    folder = tree.pci(A)
    os.mkfifo(tree.root / f"{folder}/pp_dpm_sclk".lstrip("/"))
    assert ask(tree, seconds=0.3).gpus[0].unknown["power_w"] == "no answer from the driver in 0 s"


def test_an_attribute_that_cannot_be_read_is_a_reason(tree: Tree) -> None:
    folder = tree.pci(A)
    tree.folder(f"{folder}/gpu_busy_percent")
    assert ask(tree).gpus[0].unknown == {"gfx_activity_percent": f"/sys/bus/pci/devices/{A}/gpu_busy_percent: Is a directory"}


def test_no_gpu(tree: Tree) -> None:
    assert ask(tree) == Health()


def test_a_simulated_node(tmp_path: Path) -> None:
    node = SimulatedNode(tmp_path)
    node.simulator("fault", "bad_pages", "gpu=1", "pending=1")
    first, second = ask(node).gpus
    assert (first.bdf, second.bdf, first.pages, second.pages) == (A, B, Pages(0, 0, 0), Pages(3, 1, 0))
    assert first.clocks["gfx"] == ClockRange(132, 500, 2100)
    assert first.ras_blocks == ("umc", "sdma", "gfx", "mmhub", "pcie_bif", "hdp", "xgmi_wafl")
    assert first.unknown == {}
