# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Taking the driver out and putting the same one in again, which a memory mode needs."""

from __future__ import annotations

import dataclasses as dc

from .._act import amdgpu
from .._core.act.module_proof import Loaded, OnDisk, Wanted, refuse_other, refuse_stale
from .._core.errors import FleetError
from .units import OwedDriver

_AGAIN = "a reload would bring that one: reload it by itself first (gpu_driver_load), or reboot the node"


@dc.dataclass(frozen=True)
class Driver:
    """The module in the kernel, the same on disk, and how many GPUs it shows."""

    loaded: Loaded
    disk: OnDisk
    gpus: int

    @property
    def wanted(self) -> Wanted:
        """What must be there afterwards."""
        return Wanted("reloaded", self.disk.kind, self.gpus)

    @property
    def owed(self) -> OwedDriver:
        """What to note before it is taken out."""
        return OwedDriver(self.loaded.version, self.loaded.srcversion, self.gpus)


def ready() -> Driver:
    """What a reload would bring back: the very module that is loaded, or it is refused before anything is touched.

    Raises:
        FleetError: none is loaded, or modprobe would load another one or none.
    """
    now, disk = amdgpu.loaded(), amdgpu.on_disk()
    if now is None:
        raise FleetError("amdgpu", "is not loaded", "load it first (gpu_driver_load)")
    if (now.version, now.srcversion) != (disk.version, disk.srcversion):
        # The kernel's own module has no version.
        refuse_other(disk, Wanted("reloaded", "dkms" if now.version else "in_tree", 0))
        refuse_stale(disk, now, _AGAIN)
    kept_out = amdgpu.kept_out()
    if kept_out:
        raise FleetError("amdgpu", f"would not come back after a reload: {kept_out[0]}", "take that line out first")
    return Driver(now, disk, amdgpu.gpus())


def reload(driver: Driver, timeout: float) -> None:
    """Take it out, put it in again, and wait until all GPUs are there.

    Raises:
        FleetError: modprobe failed, or not all of it came back.
    """
    amdgpu.carry_out("reload", driver.disk, driver.wanted, timeout)


def prove(driver: Driver, timeout: float) -> None:
    """Wait until all is there again after the library itself has reloaded it. Errors as of ``reload``."""
    amdgpu.prove(driver.disk, driver.wanted, timeout)


def bring_back(owed: OwedDriver, timeout: float) -> bool:
    """Load the module that a run took out and did not put in again. False if there was nothing to do.

    Raises:
        FleetError: another one is on disk now, or it cannot be loaded.
    """
    if amdgpu.loaded() is not None:
        return False
    disk = amdgpu.on_disk()
    if (owed.version, owed.srcversion) != (disk.version, disk.srcversion):
        named = f"{disk.version or 'no version'} (srcversion {disk.srcversion or 'unknown'})"
        raise FleetError(disk.path, f"is {named}, and not the driver that a change of partitions took out",
                         "load a driver (gpu_driver_load)")
    amdgpu.carry_out("load", disk, Wanted("loaded", disk.kind, owed.gpus), timeout)
    return True
