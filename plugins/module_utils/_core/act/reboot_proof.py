# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What a node that was rebooted must be: another boot, of the kernel that was to boot, with the driver for it."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..errors import FleetError
from ..look.shape import Driver, Kernel
from . import module_proof


@dc.dataclass(frozen=True)
class Expected:
    """What the reboot was for.

    Attributes:
        boot_id: of the boot before.
        kernel: the release that was to boot.
        kind: where the driver comes from, ``dkms`` or ``in_tree``; empty if that does not matter.
        version: of the module; empty if that does not matter.
    """

    boot_id: str
    kernel: str
    kind: str = ""
    version: str = ""

    @classmethod
    def of(cls, kernel: str, given: t.Mapping[str, t.Any]) -> Expected:
        """From options of a module, where what is not given is None."""
        return cls(kernel=kernel, **{name: given[name] or "" for name in ("boot_id", "kind", "version")})


def refuse_boot(kernel: Kernel, expected: Expected) -> None:
    """Refuse a node that did not reboot, or came back with another kernel.

    Raises:
        FleetError: says which of both.
    """
    if not kernel.boot_id or not kernel.running:
        name = "running" if kernel.boot_id else "boot_id"
        why = kernel.unknown.get(name, f"the look has no {name}")
        raise FleetError("reboot", f"whether it happened is unknown: {why}", "look at /proc")
    if kernel.boot_id == expected.boot_id:
        raise FleetError("reboot", f"did not happen: this is still the boot {kernel.boot_id}",
                         "look for what holds the shutdown: systemctl list-jobs")
    if kernel.running != expected.kernel:
        what = f"did not come up: the node came back by itself with {kernel.running}"
        raise FleetError(f"kernel {expected.kernel}", what,
                         "read how far it got on the console, or with journalctl -b -1; repeat when it can boot")


def waits(driver: Driver) -> bool:
    """Whether the driver is still on its way into the kernel: it may come after the first login is possible."""
    return driver.loaded is not True or driver.initstate == "coming"


def refuse_module(kernel: Kernel, driver: Driver, expected: Expected, gpus: int) -> None:
    """Refuse a node whose kernel has another driver than the one that was installed for it.

    A driver that a site keeps from loading at boot is not missed.

    Raises:
        FleetError: names what is loaded and what is on disk.
    """
    if not expected.kind:
        return
    disk = next((d for d in driver.on_disk if d.kernel == kernel.running), None)
    if disk is None:
        raise FleetError(f"amdgpu for kernel {kernel.running}", "is not there", "build the driver for this kernel")
    there = module_proof.OnDisk(disk.path, disk.kind, disk.version or "", disk.srcversion or "")
    module_proof.refuse_other(there, module_proof.Wanted("loaded", expected.kind, gpus, expected.version))
    if driver.loaded is not True:
        if gpus and not driver.blacklisted_by:
            raise FleetError("amdgpu", f"was not loaded by the boot of {kernel.running}",
                             "read the kernel log for its reason (journalctl -k -g amdgpu)")
        return
    if expected.kind == "dkms" and not (driver.srcversion and there.srcversion):
        raise FleetError("amdgpu", "whether the loaded module is the one on disk is unknown: no srcversion",
                         "look at /sys/module/amdgpu/srcversion and at modinfo")
    loaded = module_proof.Loaded(driver.initstate or "", driver.version or "", driver.srcversion or "")
    module_proof.refuse_stale(there, loaded, "the initramfs may hold another one: make it anew and reboot")
