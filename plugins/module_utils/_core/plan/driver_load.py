# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""How the wanted driver gets into the kernel: load, reload, or reboot; and what no load can mend."""

from __future__ import annotations

import dataclasses as dc

from ..look.gpus import OFF_THE_BUS
from ..look.whole import WholeLook
from . import managed
from .driver_seen import Seen
from .plan import Step
from .record import readable


@dc.dataclass(frozen=True)
class Loading:
    """Steps to take now, or why a reboot is needed instead."""

    steps: tuple[Step, ...] = ()
    reload: str = ""
    reboot: str = ""


def plan_loading(look: WholeLook, seen: Seen, changed: bool, reload_allowed: bool) -> Loading:
    """Decide between nothing, load, reload and reboot. ``changed``: the plan changes the module on disk."""
    if not seen.running:
        return Loading(reboot=f"kernel {seen.kernel} must boot (running {look.kernel.running or 'unknown'})")
    if not changed and seen.loaded_right is not False:
        return Loading()
    count = len(look.gpus.gpus)
    data = {"kind": seen.source, "gpus": count}
    if look.driver.loaded is False:
        if not count:
            return Loading()
        return Loading(steps=(Step("load", "load amdgpu", after="amdgpu: live", data={**data, "state": "loaded"}),))
    reason = "the loaded amdgpu is not the installed one"
    untold = look.processes.unknown.get("processes")
    if untold:
        return Loading(reboot=f"{reason} and whether processes hold GPUs is unknown: {untold}")
    pids = [str(p.pid) for p in look.processes.processes]
    if pids:
        return Loading(reboot=f"{reason} and {len(pids)} processes hold GPUs (pids {', '.join(pids)})")
    if not reload_allowed:
        return Loading(reboot=f"{reason} and gpu_driver_reload_allowed is false")
    return Loading(reload=reason, steps=(
        Step("load", "reload amdgpu", before=f"amdgpu {look.driver.version or 'in-tree'}", after="amdgpu: live",
             data={**data, "state": "reloaded"}),))


def vanished(look: WholeLook) -> tuple[str, ...]:
    """GPUs that the node was recorded with and that are not on the bus any more: no driver can drive them."""
    record, there = readable(look), len(look.gpus.gpus)
    before = (record.gpus if record else None) or 0
    if there >= before:
        return ()
    what = f"{before - there} of the {before} GPUs that were recorded are not on the PCI bus"
    hint = f"look at the hardware, or take the key gpus out of {managed.RELEASE_RECORD} if they were taken out"
    return (f"{what}; {hint}",)


def loading_problems(look: WholeLook, seen: Seen) -> tuple[str, ...]:
    """What is wrong although the right driver is loaded, or what cannot be told."""
    if seen.running and seen.loaded_right is None:
        reason = look.driver.unknown.get("loaded_is_on_disk", "no srcversion to compare")
        return (f"whether the loaded amdgpu is the installed one is unknown: {reason}",)
    if not seen.loaded_right:
        return ()
    all_of_them = look.gpus.gpus
    unbound = [g.bdf for g in all_of_them if g.driver != "amdgpu"]
    lost = [g.bdf for g in all_of_them if look.gpus.unknown.get(f"{g.bdf}.pcie.width") == OFF_THE_BUS]
    return tuple(f"{len(some)} of {len(all_of_them)} GPUs {what.format(', '.join(some))}" for some, what in (
        (unbound, "are not bound to amdgpu ({}); read the kernel log for their probe"),
        (lost, "do not answer on the bus ({}); a reload does not bring them back"),
    ) if some)
