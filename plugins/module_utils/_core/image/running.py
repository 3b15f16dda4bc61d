# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Whether a container that runs has what it needs of a node: devices, the right to open them, environment, limits."""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t

from ..findings import Finding
from .checks import Checks
from .host import Host
from .judge import Judgement

KFD, RDMA = "/dev/kfd", "/dev/infiniband"
UNLIMITED = -1
_MANAGER = f"{RDMA}/rdma_cm"
_RENDER = re.compile(r"^/dev/dri/renderD\d+$")


@dc.dataclass(frozen=True)
class Device:
    """A device of the node that is in the container. Numbers are those of the node."""

    uid: int
    gid: int
    mode: int


@dc.dataclass(frozen=True)
class Running:
    """A container, by its first process. Numbers are those of the node.

    Attributes:
        devices: path on the node of each device that is in the container, by whatever name.
        overrides: it may open whatever is there: it is root on the node, with that capability.
        memlock_bytes: soft limit; UNLIMITED.
        shm_bytes: size of /dev/shm.
        unknown: field to the reason why it could not be read.
    """

    devices: t.Mapping[str, Device] = dc.field(default_factory=dict)
    uid: int | None = None
    groups: tuple[int, ...] = ()
    overrides: bool = False
    environment: t.Mapping[str, str] = dc.field(default_factory=dict)
    memlock_bytes: int | None = None
    shm_bytes: int | None = None
    unknown: t.Mapping[str, str] = dc.field(default_factory=dict)


@dc.dataclass(frozen=True)
class Needs:
    """What a container is for.

    Attributes:
        gpus: PCI addresses; empty: all of the node.
        rdma: it is to use the RDMA devices.
        environment: what its programs need.
    """

    gpus: tuple[str, ...] = ()
    rdma: bool = True
    environment: t.Mapping[str, str] = dc.field(default_factory=dict)


def judge(running: Running, host: Host, needs: Needs, checks: Checks) -> Judgement:
    """What is wrong with a container; its image is judged by itself."""
    judged = _Judged(running, host, needs, checks)
    found = (*judged.devices(), *judged.access(), *judged.environment(), *judged.limits())
    asked = {"gpus"} | ({"verbs"} if needs.rdma else set())
    lost = {name: why for name, why in host.unknown.items() if name in asked}
    return Judgement(found, {**lost, **running.unknown})


class _Judged:

    def __init__(self, running: Running, host: Host, needs: Needs, checks: Checks) -> None:
        self._running = running
        self._host = host
        self._needs = needs
        self._checks = checks
        self._verbs = host.verbs if needs.rdma else ()
        wanted = needs.gpus or tuple(host.gpus)
        self._nodes = {node: bdf for bdf in wanted for node in host.gpus.get(bdf, ())}

    def devices(self) -> t.Iterator[Finding]:
        there = self._running.devices
        if "devices" in self._running.unknown:
            return
        if self._host.gpus and KFD not in there:
            yield self._checks.finding("container-kfd", f"it lacks {KFD}")
        lost = [f"{node} of GPU {bdf}" for node, bdf in self._nodes.items() if node not in there]
        if lost:
            yield self._checks.finding("container-gpus", f"it lacks {', '.join(lost)}", lost)
        other = [path for path in there if _RENDER.match(path) and path not in self._nodes]
        if other and self._needs.gpus:
            yield self._checks.finding("container-gpus-foreign", f"it also has {', '.join(other)}", other)
        files = [f"{RDMA}/{device.verbs}" for device in self._verbs]
        lost = [path for path in (*files, *([_MANAGER] if files else [])) if path not in there]
        if lost:
            yield self._checks.finding("container-rdma", f"it lacks {', '.join(lost)}", lost)

    def access(self) -> t.Iterator[Finding]:
        about = {KFD, *self._nodes, *(f"{RDMA}/{device.verbs}" for device in self._verbs)}
        closed = [f"{path} (group {device.gid}, mode {device.mode:04o})"
                  for path, device in self._running.devices.items() if path in about and not self._opens(device)]
        if closed and not {"devices", "groups"} & set(self._running.unknown):
            yield self._checks.finding("container-access", f"its program may not open {', '.join(closed)}", closed)

    def _opens(self, device: Device) -> bool:
        """Whether it may read and write. One class of bits counts. source: path_resolution(7)"""
        if self._running.overrides:
            return True
        shift = 6 if device.uid == self._running.uid else 3 if device.gid in self._running.groups else 0
        return device.mode >> shift & 6 == 6

    def environment(self) -> t.Iterator[Finding]:
        there = self._running.environment
        wrong = [f"{name}={value}" for name, value in self._needs.environment.items() if there.get(name) != value]
        if wrong and "environment" not in self._running.unknown:
            yield self._checks.finding("container-environment", f"its environment lacks {', '.join(wrong)}", wrong)

    def limits(self) -> t.Iterator[Finding]:
        locked, shared = self._running.memlock_bytes, self._running.shm_bytes
        if self._verbs and locked not in (None, UNLIMITED):
            yield self._checks.finding("container-memlock", f"it may lock {locked} bytes of memory alone")
        least = self._checks.by_id["container-shm"].least_bytes
        if len(self._nodes) > 1 and shared is not None and shared < least:
            said = f"its /dev/shm has {shared} bytes, and {len(self._nodes)} GPUs need {least}"
            yield self._checks.finding("container-shm", said)
