# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Limits of the daemons that start jobs: what a job may lock and open, it has from them."""

from __future__ import annotations

import typing as t

from .._core.formats import host_files
from .._core.look.shape import Limits
from .machine import Machine
from .notes import Notes

# Units to the names of their processes. A k3s or rke2 process is kubelet and containerd in one.
_UNITS = {
    "slurmd.service": "slurmd", "containerd.service": "containerd", "docker.service": "dockerd",
    "kubelet.service": "kubelet", "crio.service": "crio", "k3s.service": "k3s-server", "k3s-agent.service": "k3s-agent",
    "rke2-server.service": "rke2", "rke2-agent.service": "rke2", "pbs.service": "pbs_mom",
}
# Hierarchies in which systemd has its units: of version 2, and of version 1.
_HIERARCHIES = {"": "/sys/fs/cgroup", "name=systemd": "/sys/fs/cgroup/systemd"}
_MOST = 256  # processes of one unit that are looked at


def read(machine: Machine, notes: Notes) -> tuple[Limits, ...]:
    """Return the limits of process 1 and of each daemon that runs as a unit; notes go under ``limits``."""
    return tuple(notes.attempt(f"limits.{pid}", Limits(name, pid), _limits, machine, name, pid)
                 for name, pid in (("systemd", 1), *notes.attempt("limits", (), _daemons, machine)))


def _limits(machine: Machine, name: str, pid: int) -> Limits:
    text = machine.text(f"/proc/{pid}/limits") or ""
    return Limits(machine.word(f"/proc/{pid}/comm") or name, pid, host_files.soft_limit(text, "Max locked memory"),
                  host_files.soft_limit(text, "Max open files"))


def _daemons(machine: Machine) -> list[tuple[str, int]]:
    """Return name and number of the first process of each unit that has the daemon's name."""
    found: list[tuple[str, int]] = []
    slices = _slices(machine)
    for unit, name in _UNITS.items():
        for pid in _processes(machine, slices, unit):
            if machine.word(f"/proc/{pid}/comm") == name:
                found.append((name, pid))
                break
    return found


def _slices(machine: Machine) -> list[str]:
    """Return where the units of the system are: below the folder of process 1, which a container has of its own."""
    lines = (line.split(":", 2) for line in (machine.text("/proc/1/cgroup") or "").splitlines())
    return [f"{_HIERARCHIES[words[1]]}{words[2].removesuffix('/init.scope').rstrip('/')}/system.slice"
            for words in lines if len(words) == 3 and words[1] in _HIERARCHIES]


def _processes(machine: Machine, slices: t.Sequence[str], unit: str) -> t.Iterator[int]:
    for folder in slices:
        text = machine.text(f"{folder}/{unit}/cgroup.procs") or ""
        yield from (int(word) for word in text.split()[:_MOST] if word.isdigit())
