# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Processes that KFD knows: the kernel's own test for a busy GPU asks the same list."""

from __future__ import annotations

import typing as t

from .._core.formats.text import status_state, status_uid, unit
from .._core.look.kfd import Node
from .._core.look.shape import Process, Processes
from .apart import UnreadableError
from .machine import Machine
from .notes import Notes

KFD = "/sys/class/kfd/kfd/proc"


def read(machine: Machine, loaded: bool, nodes: t.Iterable[tuple[str, Node]]) -> Processes:
    """Read the processes section. ``nodes`` are KFD nodes with the GPU each belongs to."""
    notes = Notes()
    gpus = {str(node.gpu_id): bdf for bdf, node in nodes}
    pids = notes.attempt("processes", (), listed, machine, loaded)
    found = [notes.attempt(f"processes.{pid}", Process(int(pid)), one, machine, pid, gpus) for pid in pids]
    return Processes(tuple(sorted(found, key=lambda p: p.pid)), notes)


def listed(machine: Machine, loaded: bool) -> tuple[str, ...]:
    """Return the numbers of the processes that KFD lists.

    Raises:
        UnreadableError: there is no list, and there should be one.
    """
    if loaded and not machine.exists(KFD):
        raise UnreadableError(f"amdgpu is loaded but there is no {KFD}")
    return tuple(name for name in machine.names(KFD) if name.isdigit())


def one(machine: Machine, pid: str, gpus: t.Mapping[str, str]) -> Process:
    """Return what is known of a process, whether KFD lists it or not. ``gpus``: KFD's id of a GPU -> PCI address.

    Raises:
        UnreadableError: something of it is there but cannot be read.
    """
    names = machine.names(f"{KFD}/{pid}")
    status = machine.text(f"/proc/{pid}/status") or ""
    uid = status_uid(status)
    used = {name[5:]: machine.word(f"{KFD}/{pid}/{name}") for name in names if name.startswith("vram_")}
    sizes = [int(size) for size in used.values() if size and size.isdigit()]
    return Process(
        pid=int(pid), command=machine.word(f"/proc/{pid}/comm"), user=None if uid is None else machine.user(uid),
        unit=unit(machine.text(f"/proc/{pid}/cgroup") or "", machine.text("/proc/1/cgroup") or ""),
        gpus=tuple(sorted({gpus[gpu_id] for gpu_id in used if gpu_id in gpus})),
        vram_bytes=sum(sizes) if sizes else None, state=status_state(status),
    )
