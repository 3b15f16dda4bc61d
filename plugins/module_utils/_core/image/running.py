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
from .visible import empty, visible

KFD, RDMA = "/dev/kfd", "/dev/infiniband"
UNLIMITED = -1
_MANAGER = f"{RDMA}/rdma_cm"
_RENDER = re.compile(r"^/dev/dri/renderD\d+$")


@dc.dataclass(frozen=True)
class Device:
    """A device of the node that is in the container. Numbers are those of the node.

    Attributes:
        name: its path in the container, where that is another than on the node.
    """

    uid: int
    gid: int
    mode: int
    name: str = ""


@dc.dataclass(frozen=True)
class Running:
    """A container, by its first process. Numbers are those of the node.

    Attributes:
        devices: path on the node of each device that is in the container, by whatever name.
        overrides: it may open whatever is there: it is root on the node, with that capability.
        locks: it may lock as much memory as it likes, whatever its limit is.
        memlock_bytes: soft limit; UNLIMITED.
        shm_bytes: size of /dev/shm.
        unknown: field to the reason why it could not be read.
    """

    devices: t.Mapping[str, Device] = dc.field(default_factory=dict)
    uid: int | None = None
    groups: tuple[int, ...] = ()
    overrides: bool = False
    locks: bool = False
    environment: t.Mapping[str, str] = dc.field(default_factory=dict)
    memlock_bytes: int | None = None
    shm_bytes: int | None = None
    unknown: t.Mapping[str, str] = dc.field(default_factory=dict)


@dc.dataclass(frozen=True)
class Needs:
    """What a container is for.

    Attributes:
        gpus: PCI addresses, 0000:05:00.0 or 05:00.0; empty: all of the node.
        rdma: it is to use the RDMA devices.
        environment: what its programs need.
    """

    gpus: tuple[str, ...] = ()
    rdma: bool = True
    environment: t.Mapping[str, str] = dc.field(default_factory=dict)


def judge(running: Running, host: Host, needs: Needs, checks: Checks) -> Judgement:
    """What is wrong with a container; its image is judged by itself."""
    judged = _Judged(running, host, needs, checks)
    found = (*judged.devices(), *judged.access(), *judged.visible(), *judged.environment(), *judged.limits())
    asked = {"gpus", "environment", *judged.wanted} | ({"verbs"} if needs.rdma else set())
    lost = {name: why for name, why in host.unknown.items() if name in asked}
    return Judgement(found, {**judged.unknown(), **lost, **running.unknown})


def address(text: str) -> str:
    """A PCI address as the kernel writes it."""
    return text.lower() if text.count(":") > 1 else f"0000:{text.lower()}"


class _Judged:

    def __init__(self, running: Running, host: Host, needs: Needs, checks: Checks) -> None:
        self._running = running
        self._host = host
        self._needs = needs
        self._checks = checks
        self._verbs = host.verbs if needs.rdma else ()
        self.wanted = tuple(map(address, needs.gpus)) or tuple(host.gpus)
        self._nodes = {node: bdf for bdf in self.wanted for node in host.gpus.get(bdf, ())}

    def unknown(self) -> dict[str, str]:
        """What of a need cannot be told, where no reader says so."""
        found = {bdf: "no render node of this GPU is known" for bdf in self.wanted if self._host.gpus.get(bdf) == ()}
        if self._verbs and not self._running.locks and self._running.memlock_bytes is None:
            found["memlock_bytes"] = "how much memory it may lock is not known"
        if len(self._nodes) > 1 and self._running.shm_bytes is None:
            found["shm_bytes"] = "the size of its /dev/shm is not known"
        if self._nodes and empty(self._running.environment):
            names = ", ".join(empty(self._running.environment))
            found["environment"] = f"{names} is set and empty, which hides all GPUs or none"
        return found

    def devices(self) -> t.Iterator[Finding]:
        if "gpus" not in self._host.unknown:
            gone = [bdf for bdf in self.wanted if bdf not in self._host.gpus]
            if gone:
                yield self._checks.finding("container-gpus", f"the node has no GPU {', '.join(gone)}", gone)
        there = self._running.devices
        if "devices" in self._running.unknown:
            return
        if self._host.gpus and self._lost(KFD):
            yield self._checks.finding("container-kfd", f"it lacks {self._lost(KFD)}")
        lost = [f"{self._lost(node)} of GPU {bdf}" for node, bdf in self._nodes.items() if self._lost(node)]
        if lost:
            yield self._checks.finding("container-gpus", f"it lacks {', '.join(lost)}", lost)
        other = [path for path in there if _RENDER.match(path) and path not in self._nodes]
        if other and self._needs.gpus:
            yield self._checks.finding("container-gpus-foreign", f"it also has {', '.join(other)}", other)
        files = [f"{RDMA}/{device.verbs}" for device in self._verbs]
        lost = [self._lost(path) for path in (*files, *([_MANAGER] if files else [])) if self._lost(path)]
        if lost:
            yield self._checks.finding("container-rdma", f"it lacks {', '.join(lost)}", lost)

    def _lost(self, path: str) -> str:
        """A device that programs do not find, in words; empty: they do. They open it by its name, and by no other.

        source: ROCm/rocm-systems:projects/rocr-runtime/libhsakmt/src/fmm.c, hsakmt_open_drm_render_device;
            linux-rdma/rdma-core:libibverbs/device.c, verbs_open_device
        """
        found = self._running.devices.get(path)
        if found is None:
            return path
        return f"{path} (which is there as {found.name})" if found.name else ""

    def visible(self) -> t.Iterator[Finding]:
        """Whether variables hide GPUs that are there."""
        if {"devices", "environment"} & set(self._running.unknown):
            return
        there = sum(_RENDER.match(path) is not None for path in self._running.devices)
        seen, hiding = visible(self._running.environment, there)
        due = min(there, len(self._nodes))
        if seen < due:
            said = f"{', '.join(hiding)} in its environment leaves {seen} of {due} GPUs visible"
            yield self._checks.finding("container-visible", said, hiding)

    def access(self) -> t.Iterator[Finding]:
        about = {KFD, *self._nodes, *(f"{RDMA}/{device.verbs}" for device in self._verbs),
                 *([_MANAGER] if self._verbs else [])}
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
        wrong = [f"{name}={value}" + (f" (it is {there[name]!r})" if name in there else "")
                 for name, value in self._needs.environment.items() if there.get(name) != value]
        if wrong and "environment" not in self._running.unknown:
            yield self._checks.finding("container-environment", f"its environment lacks {', '.join(wrong)}", wrong)

    def limits(self) -> t.Iterator[Finding]:
        locked, shared = self._running.memlock_bytes, self._running.shm_bytes
        if self._verbs and not self._running.locks and locked not in (None, UNLIMITED):
            yield self._checks.finding("container-memlock", f"it may lock {locked} bytes of memory alone")
        least = self._checks.by_id["container-shm"].least_bytes
        if len(self._nodes) > 1 and shared is not None and shared < least:
            said = f"its /dev/shm has {shared} bytes, and {len(self._nodes)} GPUs need {least}"
            yield self._checks.finding("container-shm", said)
