# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node on which real processes hold GPUs that are not there: KFD's list is a folder, and forgets a process when it ends."""

from __future__ import annotations

import contextlib
import dataclasses as dc
import os
import subprocess
import sys
import time
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._act import journal, lock
from ansible_collections.instinct.fleet.plugins.module_utils._act.outcome import Failed, Outcome
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Processes
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.shape import Checkpoint, Record
from ansible_collections.instinct.fleet.plugins.module_utils._evict import evict, eyes, options, reset
from ansible_collections.instinct.fleet.plugins.module_utils._node import holders
from ansible_collections.instinct.fleet.plugins.module_utils._node.machine import Machine
from ansible_collections.instinct.fleet.plugins.module_utils._reservation.seen import Seen
from ansible_collections.instinct.fleet.plugins.modules.gpu_evict import SPEC
from ansible_collections.instinct.fleet.tests.unit.support.evictions import DATA, DEVICES, GIB, RECORD
from ansible_collections.instinct.fleet.tests.unit.support.project import ROOT

PROGRAM = ROOT / "tests/simulator/programs/gpu_program.py"
KFD = "/sys/class/kfd/kfd/proc"
IDS = {str(51 + number): device.id for number, device in enumerate(DEVICES)}
DOORS = {device.id: f"/dev/dri/renderD{128 + number}" for number, device in enumerate(DEVICES)}
UIDS = {"alice": 2001, "bob": 2002, "carol": 2003, "dora": 2004, "eve": 2005}


class World(Machine):
    """The node.

    Attributes:
        record: what it was told.
        owners: pid -> user that it seems to be of; those of the same group are of the same user.
        dead: pids that KFD has though they ended.
        library: what the library lists.
        resets: what was reset; the memory of it is given back, and KFD forgets the dead.
    """

    def __init__(self, root: Path) -> None:
        super().__init__(str(root), 1e6)
        self.root = root
        self.record: Record | None = RECORD
        self.owners: dict[int, str] = {}
        self.dead: set[int] = set()
        self.library = Processes()
        self.unknown: dict[str, str] = {}
        self.resets: list[str] = []
        self.refuses_reset = ""
        self._started: list[subprocess.Popen[str]] = []
        self.write(f"{KFD}/.keep", "")
        self.write("/dev/kfd", "")
        for door in DOORS.values():
            self.write(door, "")
        self.write("/etc/passwd", "".join(f"{name}:x:{uid}:{uid}::/:/bin/sh\n" for name, uid in UIDS.items()))

    # What is read of it: /proc is that of this machine, but for whose the processes are.

    def _at(self, path: str) -> str:
        return path if path.startswith("/proc/") else super()._at(path)

    def link(self, path: str) -> str | None:
        return self._readlink(path) if path.startswith("/proc/") else super().link(path)

    def _readlink(self, path: str) -> str | None:
        with contextlib.suppress(OSError):
            return os.readlink(path)
        return None

    def text(self, path: str) -> str | None:
        found = super().text(path)
        _empty, place, pid, *name = (*path.split("/"), "", "")
        if found is None or place != "proc" or not pid.isdigit():
            return found
        if name[0] == "cgroup":
            return "0::/\n"
        if name[0] != "status":
            return found
        user = self.owners.get(int(pid)) or self.owners.get(os.getpgid(int(pid)), "")
        return "\n".join(f"Uid:\t{UIDS.get(user, 0)}" if line.startswith("Uid:") else line for line in found.splitlines())

    def names(self, path: str) -> tuple[str, ...]:
        found = super().names(path)
        if path != KFD:
            return found
        return tuple(name for name in found if name.isdigit() and (int(name) in self.dead or self.lives(int(name))))

    @staticmethod
    def lives(pid: int) -> bool:
        """Whether a process has not ended."""
        life = eyes.alive(pid)
        return life is not None and life.state not in "ZX"

    def write(self, path: str, text: str) -> None:
        """Make a file of it."""
        file = Path(f"{self.root}{path}")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def look(self, _machine: Machine) -> Seen:
        """What is to be seen of reservations."""
        held = holders.read(self, True, IDS, self.library, DOORS)
        return Seen(self.record, DEVICES, dc.replace(held, unknown={**held.unknown, **self.unknown}), time.time(), 0)

    # What can be done to it.

    def start(self, user: str, device: str, *manner: str, gib: int = 12, **environment: str) -> int:  # type: ignore[override]
        """A program that holds a device; its number."""
        number = next(number for number, name in IDS.items() if name == device)
        folder = f"{self.root}{KFD}/{{pid}}"
        words = f"sh -c 'mkdir -p {folder}/queues && echo {gib * GIB} > {folder}/vram_{number}'"
        program = subprocess.Popen([sys.executable, "-I", "-S", str(PROGRAM), words, *manner], stdout=subprocess.PIPE, text=True,
                                   start_new_session=True, env={**os.environ, "GPU_ROOT": str(self.root), **environment})
        self._started.append(program)
        assert program.stdout is not None and program.stdout.readline() == "ready\n"
        self.owners[program.pid] = user
        return program.pid

    def reset(self, gpu: str) -> str:
        """Reset a GPU."""
        if self.refuses_reset:
            return self.refuses_reset
        self.resets.append(gpu)
        self.dead.clear()
        for device in DEVICES:  # all of the hive
            self.used(device.gpu, 284 << 20)
        return ""

    def used(self, gpu: str, size: int) -> None:
        """What the driver has in use of a GPU."""
        self.write(f"/sys/bus/pci/devices/{gpu}/mem_info_vram_used", f"{size}\n")

    def evict(self, *devices: str, check: bool = False, release: int = 1, **given: t.Any) -> Outcome:
        """Run an eviction, with little time."""
        plain = {name: spec.get("default") for name, spec in SPEC.items()} | {
            "devices": list(devices), "whom": "all", "grace": {"P1": 5, "P2": 5}, "rules_data": {"path": "rules.yml", "data": DATA},
            "actor": "ann", **given}
        asked = options.asked(plain)
        return evict.run(dc.replace(asked, rules=dc.replace(asked.rules, release=release)), check)

    def failure(self, *devices: str, **given: t.Any) -> Failed:
        """How an eviction fails."""
        with pytest.raises(Failed) as raised:
            self.evict(*devices, **given)
        return raised.value

    def saving(self, how: Checkpoint) -> None:
        """Let tenant dev save its state so."""
        tenants = tuple(dc.replace(one, checkpoint=how) if one.name == "dev" else one for one in RECORD.tenants)
        self.record = dc.replace(RECORD, tenants=tenants)

    def journal(self) -> list[str]:
        """What the node noted."""
        return [line for line in (self.root / "journal.jsonl").read_text(encoding="utf-8").splitlines() if line]

    def live(self, monkeypatch: pytest.MonkeyPatch) -> World:
        """Let an eviction in this process be one on this node."""
        monkeypatch.setattr(lock, "LOCK", str(self.root / "lock"))
        monkeypatch.setattr(journal, "JOURNAL", str(self.root / "journal.jsonl"))
        monkeypatch.setattr(eyes, "machine", lambda: self)
        monkeypatch.setattr(eyes.seen, "look", self.look)
        monkeypatch.setattr(evict, "PAUSE", 0.02)
        monkeypatch.setattr(reset.partition, "holders", lambda _machine, _seconds: self.library)
        monkeypatch.setattr(reset.library, "reset", lambda _machine, gpu, _seconds: self.reset(gpu))
        return self

    def end(self) -> None:
        """End what is left of the programs, and what came of them."""
        for program in self._started:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(program.pid, 9)
            program.wait()
            if program.stdout:
                program.stdout.close()


def results(values: t.Mapping[str, t.Any]) -> dict[int, str]:
    """pid -> what became of it."""
    return {one["pid"]: one["result"] for one in values["processes"]}
