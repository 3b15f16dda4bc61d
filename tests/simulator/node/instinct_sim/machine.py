# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the state means: GPUs, their partitions, and the processes that hold them."""

from __future__ import annotations

import dataclasses as dc
import os
import typing as t

from .state import State, under

MODES = ("SPX", "DPX", "TPX", "QPX", "CPX")  # order of the profile index
KFD_ID_STEP = 257  # between the partitions of one GPU; smi/handles.c counts the same way


@dc.dataclass(frozen=True)
class Partition:
    """One logical GPU."""

    gpu: int
    id: int
    node: int  # of the KFD topology
    kfd_id: int
    minor: int  # of its render node
    card: int


@dc.dataclass(frozen=True)
class Gpu:
    """One PCI device and its part of the state."""

    index: int
    data: State

    def __getitem__(self, key: str) -> str:
        return self.data[key]

    def number(self, key: str) -> int:
        """A value as a number, whatever its base."""
        return int(self.data[key], 0)

    @property
    def bdf(self) -> str:
        """PCI address."""
        return self.data["bdf"]

    @property
    def bound(self) -> bool:
        """Whether the driver drives it."""
        return self.data["bound"] == "1"

    @property
    def device_id(self) -> str:
        """PCI device id as lspci prints it."""
        return (
            self.data["vf_device_id"] or self.data["device_id"]
            if self.data["virtual"] == "1"
            else self.data["device_id"]
        )[2:]

    @property
    def modes(self) -> tuple[str, ...]:
        """Compute partition modes that the product has."""
        return tuple(mode for mode in MODES if f"mode.{mode}" in self.data)

    def fits(self, mode: str, memory: str) -> bool:
        """Whether a compute mode goes with a memory mode."""
        return memory in self.data.get(f"mode.{mode}", ":").partition(":")[2].split(",")

    @property
    def available(self) -> tuple[str, ...]:
        """Compute modes that can be set now."""
        lacking = self.data.get("lacking", "").split(",")
        return tuple(mode for mode in self.modes if mode not in lacking and self.fits(mode, self.data["memory"]))

    @property
    def partitions(self) -> int:
        """How many logical GPUs there are in the mode of now."""
        return int(self.data.get(f"mode.{self.data['compute']}", "1").partition(":")[0])

    @property
    def shown(self) -> int:
        """How many of them the driver shows: one without a minor number of DRM is not added to the topology."""
        return min(self.partitions, self.number("minors")) if self.bound else 0


@dc.dataclass(frozen=True)
class Process:
    """A process that holds GPUs."""

    pid: int
    name: str
    vram: int
    gpus: tuple[int, ...]


def gpus(state: State) -> list[Gpu]:
    """All GPUs on the PCI bus."""
    return [Gpu(index, under(state, f"gpu{index}.")) for index in range(int(state["node.gpus"]))]


def partitions(state: State) -> list[Partition]:
    """All logical GPUs that the driver drives, by GPU.

    A change of its mode takes a GPU out of the topology of KFD and adds it at the end: kfd_order says when.
    """
    known = gpus(state)
    nodes, first = int(state["node.cpus"]), {}
    for gpu in sorted(known, key=lambda gpu: int(gpu.data.get("kfd_order", "0"))):
        first[gpu.index] = nodes
        nodes += gpu.shown
    return [
        Partition(
            gpu.index,
            part,
            first[gpu.index] + part,
            gpu.number("kfd_id") + part * KFD_ID_STEP,
            gpu.number("minor") + part,
            gpu.number("card") + part,
        )
        for gpu in known
        for part in range(gpu.shown)
    ]


def processes(state: State) -> list[Process]:
    """Processes that KFD lists. One that was told to be real counts only while it lives, a zombie for ever."""
    return _holders(state, "proc.")


def clients(state: State) -> list[Process]:
    """Processes that have opened a GPU and do not compute: KFD does not know them."""
    return _holders(state, "client.")


def _holders(state: State, prefix: str) -> list[Process]:
    found = []
    for pid, text in under(state, prefix).items():
        name, vram, held, kind = text.split(":")
        if kind in ("fixed", "zombie") or os.path.exists(f"/proc/{pid}"):
            everyone = range(int(state["node.gpus"]))
            found.append(
                Process(int(pid), name, int(vram), tuple(everyone if held == "all" else map(int, held.split(","))))
            )
    return sorted(found, key=lambda process: process.pid)


def users(state: State) -> int:
    """How many use the driver, so that it cannot be unloaded: processes, and what in the kernel holds it."""
    return len(processes(state)) + len(clients(state)) + int(state.get("node.module_held") == "1")


def loaded(state: State) -> bool:
    """Whether the driver is loaded."""
    return state.get("driver.state") == "loaded"


def to_dict(state: State) -> dict[str, t.Any]:
    """The node as plain data, for people and for tests."""
    return {
        "product": state["node.product"],
        "kernel": state.get("node.kernel"),
        "cmdline": state.get("node.cmdline"),
        "boot_id": state.get("node.boot_id"),
        "driver": {
            "loaded": loaded(state),
            **{key: state.get(f"driver.{key}") for key in ("version", "srcversion", "path")},
        },
        "requested_memory_partition": state.get("hive.requested_memory") or None,
        "gpus": [
            {
                "index": gpu.index,
                "bdf": gpu.bdf,
                "device_id": gpu.device_id,
                "bound": gpu.bound,
                "compute": gpu["compute"] or None,
                "memory": gpu["memory"] or None,
                "partitions": gpu.partitions,
                "lost": gpu["lost"] == "1",
            }
            for gpu in gpus(state)
        ],
        "partitions": [dc.asdict(part) for part in partitions(state)],
        "processes": [dc.asdict(process) for process in processes(state)],
        "clients": [dc.asdict(process) for process in clients(state)],
        "faults": under(state, "fault."),
    }
