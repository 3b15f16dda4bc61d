# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node for partitioning that is a few variables: GPUs that take modes, a driver that comes and goes, units, processes."""

from __future__ import annotations

import dataclasses as dc
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._act import amdgpu, journal, lock
from ansible_collections.instinct.fleet.plugins.module_utils._act.process import Done
from ansible_collections.instinct.fleet.plugins.module_utils._core.act.module_proof import Loaded, OnDisk
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.capabilities import (
    Capabilities,
    MinorLimit,
    Pair,
    Period,
    ProductModes,
    Reloading,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.profile import Profile
from ansible_collections.instinct.fleet.plugins.module_utils._partition import changer, eyes, holders, units
from ansible_collections.instinct.fleet.plugins.module_utils._partition.request import APPLIED, Known, Request
from ansible_collections.instinct.fleet.plugins.module_utils._smi.partition import Said

A, B = "0000:05:00.0", "0000:26:00.0"
DEVICES = {"SPX": 1, "DPX": 2, "QPX": 4, "CPX": 8}
CHOSEN = {"NPS1": "SPX", "NPS4": "CPX"}
MODES = [("SPX", "NPS1"), ("DPX", "NPS1"), ("CPX", "NPS1"), ("QPX", "NPS4"), ("CPX", "NPS4")]
KNOWN = Known(Capabilities(
    {"MI300X": ProductModes(
        "MI300X", 8, 304, 196592, "reload", automatic=CHOSEN, sources=("S",),
        pairs=tuple(Pair(compute, memory, DEVICES[compute], (Period("documented"),)) for compute, memory in MODES))},
    (Reloading((0,), True, ("S",)), Reloading((26,), False, ("S",))), (MinorLimit((0,), None, ("S",)),)), ())
DISK = OnDisk("/lib/modules/6.8.0/updates/dkms/amdgpu.ko", "dkms", "6.14.14", "AAAA")
INVAL, BUSY = (1, "AMDSMI_STATUS_INVAL"), (30, "AMDSMI_STATUS_BUSY")


def wish(compute: str, memory: str, gpus: t.Any = "all") -> Profile:
    """A profile of one rule."""
    return Profile.inline([{"gpus": gpus, "compute": compute, "memory": memory}], "gpus")


def request(compute: str = "CPX", memory: str = "NPS1", **options: t.Any) -> Request:
    """What a run is asked."""
    given: dict[str, t.Any] = {"profile": wish(compute, memory), "timeout": 2, **options}
    return Request(given.pop("state", APPLIED), KNOWN, **given)


class World:
    """The node.

    Attributes:
        modes: address -> compute and memory mode.
        answers: address -> what the library answers instead, the last again and again: code and status.
        ignored: GPUs that take no mode, and say that they did.
        lost: GPUs that are gone with the next reload.
        library: its version; before 26 it reloads by itself.
        loaded: the module in the kernel.
        log: what was done, in order.
    """

    def __init__(self) -> None:
        self.modes = {A: ["SPX", "NPS1"], B: ["SPX", "NPS1"]}
        self.answers: dict[str, list[tuple[int | None, str]]] = {}
        self.ignored: set[str] = set()
        self.lost: set[str] = set()
        self.fewer: dict[str, int] = {}  # address -> partitions that KFD shows
        self.processes: list[lk.Process] = []
        self.others: list[lk.Process] = []  # that the library alone lists
        self.untold: dict[str, str] = {}
        self.library, self.boot, self.pending = "26.0.2", "b1", ""
        self.disk, self.loaded = DISK, Loaded("live", DISK.version, DISK.srcversion)  # type: tuple[OnDisk, Loaded | None]
        self.log: list[str] = []
        self.there, self.active = {"a.service", "b.service"}, {"a.service"}
        self.at: dict[str, t.Callable[[], t.Any]] = {}
        self.fails: dict[str, str] = {}  # command -> what it says

    # What the node shows.

    def look(self, sections: t.Sequence[str], _products: t.Any = ()) -> lk.Look:
        """One look."""
        there = {bdf: modes for bdf, modes in self.modes.items() if self.loaded}
        every: dict[str, t.Any] = {
            "gpus": lk.Gpus(tuple(self._gpu(index, bdf, *modes) for index, (bdf, modes) in enumerate(there.items()))),
            "smi": lk.Smi(source="amdsmi", library_version=self.library), "devices": lk.Devices(displays=0),
            "driver": lk.Driver(loaded=True, version="6.14.14"), "kernel": lk.Kernel(running="6.8.0", boot_id=self.boot),
            "processes": lk.Processes(tuple(self.processes), dict(self.untold)),
        }
        self.log.append("look")
        return lk.Look(**{name: every[name] for name in sections})

    def _gpu(self, index: int, bdf: str, compute: str, memory: str) -> lk.Gpu:
        count = self.fewer.get(bdf, DEVICES[compute])
        return lk.Gpu(
            index, bdf, "74a1", "MI300X", compute_partition=compute, memory_partition=memory, xgmi_hive_id="1", numa_node=0,
            available_compute=tuple(one for one, other in MODES if other == memory), available_memory=("NPS1", "NPS4"),
            partitions=tuple(lk.Partition(number, f"/dev/dri/renderD{128 + 8 * index + number}") for number in range(count)),
            driver="amdgpu")

    def _holders(self, _machine: t.Any, _seconds: float) -> lk.Processes:
        return lk.Processes((*self.processes, *self.others))

    # What can be done to it.

    def change(self, _machine: t.Any, kind: str, mode: str, bdfs: t.Sequence[str], _seconds: float) -> tuple[Said, ...]:
        """The library's answers."""
        self.log.append(f"{kind} {mode} {' '.join(bdfs)}")
        return tuple(self._set(kind, mode, bdf) for bdf in bdfs)

    def _set(self, kind: str, mode: str, bdf: str) -> Said:
        told = self.answers.get(bdf, [])
        code, status = (told.pop(0) if len(told) > 1 else told[0]) if told else (0, "")
        if code == 0 and bdf not in self.ignored and bdf in self.modes:
            if kind == "memory":
                self.pending = mode
                if self.library < "26":
                    self._apply()
            else:
                self.modes[bdf][0] = mode
        return Said(bdf, code, status, "", self.modes.get(bdf, [None])[0])

    def _apply(self) -> None:
        for bdf in self.lost:
            self.modes.pop(bdf, None)
        for modes in self.modes.values():
            modes[1] = self.pending or modes[1]
            modes[0] = CHOSEN[modes[1]]
        self.pending = ""

    def carry_out(self, step: str, _disk: OnDisk, wanted: t.Any, _timeout: float) -> int:
        """Loading and reloading."""
        self.log.append(f"{step} amdgpu")
        self.at.get(f"{step} amdgpu", lambda: None)()
        if f"{step} amdgpu" in self.fails:
            raise FleetError("modprobe -r amdgpu", self.fails[f"{step} amdgpu"], "drain the node first")
        self.loaded = Loaded("live", self.disk.version, self.disk.srcversion)
        self._apply()
        return self.prove(_disk, wanted, 0)

    def prove(self, _disk: OnDisk, wanted: t.Any, _timeout: float) -> int:
        """All GPUs are there."""
        if len(self.modes) != wanted.gpus:
            raise FleetError("amdgpu", f"KFD shows {len(self.modes)} of {wanted.gpus} GPUs")
        return 0

    def run(self, argv: t.Sequence[str], _timeout: float, **_more: t.Any) -> Done:
        """systemctl."""
        names = list(argv[argv.index("--") + 1:])
        line = " ".join(argv)
        if line in self.fails:
            return Done(1, "", self.fails[line], 0, timed_out=not self.fails[line])
        if argv[1] == "show":
            return Done(0, "\n\n".join(f"LoadState={'loaded' if name in self.there else 'not-found'}\nActiveState="
                                       f"{'active' if name in self.active else 'inactive'}" for name in names), "", 0)
        self.log.append(f"{argv[1]} {' '.join(names)}")
        self.at.get(self.log[-1], lambda: None)()
        self.active = self.active - set(names) if argv[1] == "stop" else self.active | set(names)
        return Done(0, "", "", 0)

    @property
    def acts(self) -> list[str]:
        """What was done that is no look."""
        return [line for line in self.log if line != "look"]

    def live(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> World:
        """Let what runs in this process be on this node. Its files are in a folder."""
        def told(disk: bool) -> t.Any:
            return self.disk if disk else self.loaded

        monkeypatch.setattr(lock, "LOCK", str(folder / "lock"))
        monkeypatch.setattr(journal, "JOURNAL", str(folder / "journal.jsonl"))
        monkeypatch.setattr(units, "NOTE", str(folder / "partition-units.json"))
        monkeypatch.setattr(units, "run", self.run)
        monkeypatch.setattr(eyes, "look", self.look)
        monkeypatch.setattr(changer.partition, "change", self.change)
        monkeypatch.setattr(holders.partition, "holders", self._holders)
        for name, value in {"loaded": lambda: told(False), "on_disk": lambda: told(True), "gpus": lambda: len(self.modes),
                            "on_bus": lambda: 2, "kept_out": lambda: (), "carry_out": self.carry_out, "prove": self.prove}.items():
            monkeypatch.setattr(amdgpu, name, value)
        for where, name in ((changer, "PAUSE"), (changer, "SETTLING"), (holders, "PATIENCE"), (holders, "PAUSE")):
            monkeypatch.setattr(where, name, 0.01)
        return self


def process(pid: int, unit: str | None = None, **fields: t.Any) -> lk.Process:
    """A process that holds a GPU."""
    return dc.replace(lk.Process(pid, "python3", "root", unit, (A,)), **fields)
