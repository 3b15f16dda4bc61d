# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A simulated node whose GPUs can be partitioned: its kernel has a driver on disk, modprobe loads it, units hold GPUs."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import tempfile
import typing as t
from pathlib import Path

import pytest
import yaml

from ansible_collections.instinct.fleet.plugins.module_utils._act import amdgpu, journal, lock
from ansible_collections.instinct.fleet.plugins.module_utils._act.process import Done
from ansible_collections.instinct.fleet.plugins.module_utils._node.machine import Machine
from ansible_collections.instinct.fleet.plugins.module_utils._partition import changer, eyes, holders, units
from ansible_collections.instinct.fleet.plugins.modules import gpu_partition
from ansible_collections.instinct.fleet.tests.unit.plugins.run_module import run_module
from ansible_collections.instinct.fleet.tests.unit.plugins.simulated import ROOT, SIMULATOR, SimulatedNode

CATALOGUE = ROOT / "roles/gpu_partition/files/partitioning"
KERNEL = "6.1.0-57-amd64"
DKMS, IN_TREE = "updates/dkms", "kernel/drivers/gpu/drm/amd/amdgpu"
BOOT = "8c2f66e0-6c8a-4d9b-a4c3-0a5e5d7f1a11"
A, B = "0000:05:00.0", "0000:26:00.0"


@functools.cache
def _capabilities() -> dict[str, t.Any]:
    """The collection's own, without the code of the controller, which a node's Python may not be able to run."""
    paths = sorted(CATALOGUE.glob("*.yml"))
    return {"products": [], "documents": [
        {"path": path.name, "data": yaml.safe_load(path.read_text(encoding="utf-8"))} for path in paths]}


@functools.cache
def _object(text: str) -> bytes:
    """An object file that tells this of itself, as a module of the kernel does. Most nodes have the same."""
    code = f'const char info[] __attribute__((section(".modinfo"), used)) = "{text}";'
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["cc", "-c", "-x", "c", "-o", f"{folder}/o", "-"], input=code, text=True, check=True)
        return Path(folder, "o").read_bytes()


class PartitionNode(SimulatedNode):
    """A node with a kernel, units, and files of its own.

    Attributes:
        log: commands that changed something, in order.
        active: units that run; ``there`` are all that there are.
    """

    def __init__(self, root: Path, product: str = "mi300x", gpus: int = 2) -> None:
        super().__init__(root, product, gpus)
        self.log: list[str] = []
        self.there: set[str] = set()
        self.active: set[str] = set()
        self.told: dict[str, str] = {}  # unit -> more that systemd says of it, "Transient=yes\n"
        self.broken: set[str] = set()  # units that do not start
        self.at: dict[str, t.Callable[[], t.Any]] = {}  # command -> what happens when it is run
        self.fill({"/proc/sys/kernel/osrelease": f"{KERNEL}\n", "/proc/sys/kernel/random/boot_id": f"{BOOT}\n"})
        for folder in ("/run", "/etc/modprobe.d", "/var/lib/instinct"):
            self.folder(folder)
        self.module(DKMS, "6.14.14")
        self.set(**{"node.kernel": KERNEL, "node.root": str(self.root), "library.root": "yes",
                    "node.modprobe_d": str(self.root / "etc/modprobe.d")})
        self.link("/usr/sbin/modprobe", str(SIMULATOR / "node" / "instinct-sim"))

    def set(self, **keys: str) -> None:
        """Set keys of the state."""
        text = self.state.read_text(encoding="utf-8")
        told = dict(line.split("=", 1) for line in text.splitlines())
        self.state.write_text("".join(f"{key}={value}\n" for key, value in {**told, **keys}.items()), encoding="utf-8")

    def module(self, folder: str, version: str, source: str = "51A0000000000000000000A") -> None:
        """Put a driver on disk for the kernel, in place of the one that is there."""
        for old in (self.root / f"lib/modules/{KERNEL}").glob("**/amdgpu.ko"):
            old.unlink()
        place = self.write(f"/lib/modules/{KERNEL}/{folder}/amdgpu.ko")
        told = {"license": "GPL", "vermagic": f"{KERNEL} SMP", "alias": "pci:v00001002d*sv*sd*bc12sc00i*",
                "version": version, "srcversion": source}
        place.write_bytes(_object("".join(f"{key}={value}\\0" for key, value in told.items() if value)))
        subprocess.run(["/sbin/depmod", "-b", str(self.root), KERNEL], check=True, capture_output=True)

    def fault(self, *words: str) -> None:
        """Break something."""
        self.simulator("fault", *words)

    def modes(self) -> list[str]:
        """CPX/NPS4 of each GPU, by the state of the simulator."""
        shown = json.loads(self.simulator("show", "--json"))
        return [f"{gpu['compute']}/{gpu['memory']}" for gpu in shown["gpus"]]

    def unit(self, name: str, runs: bool = True, pid: int | None = None) -> None:
        """Have a unit, that may hold a GPU."""
        self.there.add(name)
        if runs:
            self.active.add(name)
        if pid is not None:
            self.fault("busy", f"pid={pid}", "name=agent")
            self.fill({f"/proc/{pid}/comm": "agent\n", f"/proc/{pid}/cgroup": f"0::/system.slice/{name}\n",
                       f"/proc/{pid}/status": "State:\tS (sleeping)\nUid:\t0\t0\t0\t0\n"})
            self.at[f"systemctl stop -- {name}"] = lambda: self.simulator("heal", "busy")

    def run(self, argv: t.Sequence[str], timeout: float, **_more: t.Any) -> Done:
        """What commands do on this node."""
        if argv[0] == "modinfo":
            return self._real(["modinfo", "-b", str(self.root), *argv[1:]])
        line = " ".join(argv)
        if argv[0] == "systemctl" and argv[1] == "show":
            return Done(0, "\n\n".join(map(self._state, argv[4:])) + "\n", "", 0)
        self.log.append(line)
        if line in self.at:
            self.at[line]()
        if argv[0] == "modprobe":
            return self._modprobe(*argv[1:])
        names = set(argv[argv.index("--") + 1:])
        if argv[1] == "stop":
            self.active -= names
        else:
            self.active |= names - self.broken
        return Done(0, "", "", 0)

    def _state(self, name: str) -> str:
        load = "loaded" if name in self.there else "not-found"
        active = "active" if name in self.active else "failed" if name in self.broken else "inactive"
        return f"{self.told.get(name, '')}LoadState={load}\nActiveState={active}"

    def _modprobe(self, *words: str) -> Done:
        return self._real([str(self.root / "usr/sbin/modprobe"), *words])

    def _real(self, argv: t.Sequence[str]) -> Done:
        done = subprocess.run(argv, check=False, capture_output=True, text=True,
                              env={**os.environ, "INSTINCT_SIM_STATE": str(self.state)})
        return Done(done.returncode, done.stdout, done.stderr, 0)

    def live(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Let what runs in this process be on this node."""
        def machine(seconds: float) -> Machine:
            return self.machine(timeout=seconds)

        monkeypatch.setattr(lock, "LOCK", str(self.root / "run/lock"))
        monkeypatch.setattr(journal, "JOURNAL", str(self.root / "var/lib/instinct/journal.jsonl"))
        monkeypatch.setattr(units, "NOTE", str(self.root / "var/lib/instinct/partition-units.json"))
        monkeypatch.setattr(amdgpu, "ROOT", str(self.root))
        monkeypatch.setattr(eyes, "machine", machine)
        for where in (amdgpu, units):
            monkeypatch.setattr(where, "run", self.run)
        for where, name in ((changer, "PAUSE"), (changer, "SETTLING"), (holders, "PATIENCE"), (holders, "PAUSE")):
            monkeypatch.setattr(where, name, 0.02)
        monkeypatch.setattr(os, "uname", lambda: os.uname_result(("Linux", "n", KERNEL, "v", "x86_64")))

    @staticmethod
    def ask(compute: str = "", memory: str = "", check: bool = False, **options: t.Any) -> dict[str, t.Any]:
        """Run the module, as its action plugin calls it."""
        given = {"capability_data": _capabilities(), "accept": ["documented", "allowed", "experimental"], "timeout": 20,
                 **({"gpus": [{"gpus": "all", "compute": compute, "memory": memory}]} if compute else {}), **options}
        return run_module(gpu_partition, given, check=check)
