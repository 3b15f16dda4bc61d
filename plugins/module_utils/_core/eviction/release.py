# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Whether devices were given back: nobody whom it was taken from has it, and no memory is in use that nobody holds.

A process leaves KFD's list before its memory is freed, so the list alone proves nothing.
source: linux:drivers/gpu/drm/amd/amdkfd/kfd_process.c, kfd_process_wq_release
"""

from __future__ import annotations

import typing as t

from ..reservation.shape import Device
from .shape import ENDED, Holder, Rules
from .wording import named

_MIB = 1024 ** 2


def unreleased(devices: t.Sequence[Device], targeted: t.Collection[int], before: t.Collection[int],
               now: t.Sequence[Holder], used: t.Mapping[str, int | None], rules: Rules) -> dict[str, str]:
    """Id of each device that is not released -> why.

    Args:
        devices: that were to be freed.
        targeted: pids that were told to go, those that had ended before among them.
        before: pids that held any device before.
        now: who holds any device now.
        used: PCI address -> bytes in use, as the driver says; None where it does not.
        rules: the numbers.
    """
    reasons = {device.id: _reason(device, targeted, before, now, used.get(device.gpu), rules) for device in devices}
    return {device: reason for device, reason in reasons.items() if reason}


def _reason(device: Device, targeted: t.Collection[int], before: t.Collection[int], now: t.Sequence[Holder],
            used: int | None, rules: Rules) -> str:
    there = [one for one in now if device.id in one.devices]
    for one in there:
        if one.pid in targeted:
            return f"{named(one)} " + ("ended, and the driver still has it" if one.state == ENDED else "stays")
    new = [one for one in there if one.pid not in before]
    if new:
        return f"{named(new[0])} came meanwhile"
    others = any(_gpu(name) == device.gpu for one in now for name in one.devices)
    if not others and device.product not in rules.shared_memory and used is not None and used > rules.idle_mib * _MIB:
        return f"{used // _MIB} MiB are in use that no process holds"
    return ""


def _gpu(device: str) -> str:
    return device.partition("-")[0]


def hive(gpu: str, devices: t.Iterable[Device]) -> frozenset[str] | None:
    """PCI addresses of all GPUs that a GPU is linked with, itself included; None where links are not known.

    A reset of one is a reset of all of them. source: linux:drivers/gpu/drm/amd/amdgpu/amdgpu_device.c,
    amdgpu_device_gpu_recover
    """
    peers = {device.gpu: device.peers for device in devices}
    found, todo = set[str](), [gpu]
    while todo:
        one = todo.pop()
        linked = peers.get(one)
        if linked is None:
            return None
        found.add(one)
        todo += [peer for peer in linked if peer not in found]
    return frozenset(found)


def why_no_reset(gpus: t.Collection[str] | None, now: t.Iterable[Holder], clients: t.Mapping[int, t.Collection[str]],
                 unknown: str) -> str:
    """Why these GPUs must not be reset together; empty if they may.

    Args:
        gpus: the hive.
        now: who holds any device.
        clients: pid -> PCI addresses, of all living processes that the library lists.
        unknown: why there may be more of them.
    """
    if gpus is None:
        return "which GPUs a reset would reach is unknown"
    living = [named(one) for one in now if one.state != ENDED and {_gpu(name) for name in one.devices} & set(gpus)]
    others = living or [f"pid {pid}" for pid, held in clients.items() if set(held) & set(gpus)]
    if others:
        return f"{others[0]} is on a GPU that the reset would reach"
    return f"whether anybody else is on it is unknown: {unknown}" if unknown else ""
