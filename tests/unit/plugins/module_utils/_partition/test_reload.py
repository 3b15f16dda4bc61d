# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The very driver that is loaded comes back, or it is not taken out."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.act.module_proof import Loaded, OnDisk
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._partition import reload
from ansible_collections.instinct.fleet.plugins.module_utils._partition.units import OwedDriver
from ansible_collections.instinct.fleet.tests.unit.plugins.partition_world import DISK, World

KERNELS = OnDisk("/lib/modules/6.8.0/kernel/amdgpu.ko", "in_tree", "", "CCCC")
READY = {
    "built by DKMS": (DISK, Loaded("live", "6.14.14", "AAAA")),
    "the kernel's own": (KERNELS, Loaded("live", "", "CCCC")),
    "the same, wherever it lies": (dc.replace(DISK, kind="other"), Loaded("live", "6.14.14", "AAAA")),
}


@pytest.mark.parametrize(("disk", "loaded"), READY.values(), ids=READY)
def test_ready(world: World, disk: OnDisk, loaded: Loaded) -> None:
    world.disk, world.loaded = disk, loaded
    driver = reload.ready()
    assert (driver.wanted.kind, driver.gpus) == (disk.kind, 2)
    assert driver.owed == OwedDriver(loaded.version, loaded.srcversion, 2)
    reload.reload(driver, 2)
    assert world.acts == ["reload amdgpu"]
    reload.prove(driver, 2)


REFUSED = {
    "the kernel's own instead": (KERNELS, Loaded("live", "6.14.14", "AAAA"), (
        f"{KERNELS.path}: modprobe would load the in-tree module, wanted is the DKMS one; build the driver for this kernel "
        "first")),
    "one built by DKMS instead": (DISK, Loaded("live", "", "CCCC"), (
        f"{DISK.path}: modprobe would load the DKMS module, wanted is the in-tree one; remove the packages of the other driver "
        "first")),
    "another build": (DISK, Loaded("live", "6.12.12", "BBBB"), (
        "amdgpu: loaded is 6.12.12 (srcversion BBBB), on disk is 6.14.14 (srcversion AAAA); a reload would bring that one: "
        "reload it by itself first (gpu_driver_load), or reboot the node")),
    "none": (DISK, None, "amdgpu: is not loaded; load it first (gpu_driver_load)"),
}


@pytest.mark.parametrize(("disk", "loaded", "sentence"), REFUSED.values(), ids=REFUSED)
def test_refused(world: World, disk: OnDisk, loaded: Loaded | None, sentence: str) -> None:
    world.disk, world.loaded = disk, loaded
    with pytest.raises(FleetError) as error:
        reload.ready()
    assert (error.value.sentence, world.acts) == (sentence, [])


def test_one_that_modprobe_would_not_load_is_refused(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reload.amdgpu, "kept_out", lambda: ("/etc/modprobe.d/off.conf: install amdgpu /bin/false",))
    with pytest.raises(FleetError, match=r"would not come back after a reload: /etc/modprobe.d/off.conf"):
        reload.ready()


def test_the_one_that_was_taken_out_is_loaded(world: World) -> None:
    owed = OwedDriver("6.14.14", "AAAA", 2)
    assert reload.bring_back(owed, 2) is False
    world.loaded = None
    assert reload.bring_back(owed, 2) is True
    assert world.acts == ["load amdgpu"]


def test_another_is_not(world: World) -> None:
    world.loaded, world.disk = None, dc.replace(DISK, version="", srcversion="")
    with pytest.raises(FleetError) as error:
        reload.bring_back(OwedDriver("6.14.14", "AAAA", 2), 2)
    assert error.value.what == ("is no version (srcversion unknown), and not the driver that a change of partitions took out")
