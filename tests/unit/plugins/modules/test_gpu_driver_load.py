# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""gpu_driver_load on a small machine: a tree of files for /sys, and commands that change it as the kernel would."""

from __future__ import annotations

import os
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._act import amdgpu, clock, lock
from ansible_collections.instinct.fleet.plugins.module_utils._act.process import Done
from ansible_collections.instinct.fleet.plugins.modules import gpu_driver_load
from ansible_collections.instinct.fleet.tests.unit.plugins.run_module import run_module

KERNEL = "6.1.0-57-amd64"
DKMS_PATH = f"/lib/modules/{KERNEL}/updates/dkms/amdgpu.ko"
IN_TREE_PATH = f"/lib/modules/{KERNEL}/kernel/drivers/gpu/drm/amd/amdgpu/amdgpu.ko"
NEW, OLD = ("6.14.14", "AAAA"), ("6.12.12", "BBBB")


class Machine:
    """Eight GPUs, two of them in two partitions, and a driver that can be loaded."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.path, self.version = DKMS_PATH, NEW
        self.log: list[str] = []
        self.time = 0.0
        self.appear = [8]  # GPUs that show at each look after loading; the last one stays
        self.fails: dict[str, str] = {}
        for number in range(8):
            self.write(f"bus/pci/devices/{self.bdf(number)}/vendor", "0x1002")
            self.write(f"bus/pci/devices/{self.bdf(number)}/class", "0x120000")
        self.write("bus/pci/devices/0000:00:01.0/vendor", "0x1022")

    @staticmethod
    def bdf(number: int) -> str:
        return f"0000:{0x10 + number:02x}:00.0"

    def write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text + "\n")

    def load(self, version: tuple[str, str] | None = None, count: int | None = None) -> None:
        self.write("module/amdgpu/initstate", "live")
        for name, text in zip(("version", "srcversion"), version or self.version):
            if text:
                self.write(f"module/amdgpu/{name}", text)
        (self.root / "class/kfd/kfd/proc").mkdir(parents=True, exist_ok=True)
        self.show(self.appear[0] if count is None else count)

    def show(self, count: int) -> None:
        self.node(0, "0", "simd_count 0")
        for number in range(count):
            location = (0x10 + number) << 8
            self.node(number + 1, str(number + 99), f"simd_count 304\nlocation_id {location}\ndomain 0")
            if number < 2:  # a second partition of the same GPU
                self.node(number + 20, str(number + 199), f"simd_count 304\nlocation_id {location + 1}\ndomain 0")
            link = self.root / f"bus/pci/devices/{self.bdf(number)}/driver"
            if not link.is_symlink():
                link.symlink_to("/sys/bus/pci/drivers/amdgpu")

    def node(self, number: int, gpu_id: str, properties: str) -> None:
        self.write(f"class/kfd/kfd/topology/nodes/{number}/gpu_id", gpu_id)
        self.write(f"class/kfd/kfd/topology/nodes/{number}/properties", properties)

    def unload(self) -> None:
        for path in sorted(self.root.glob("module/**/*")) + sorted(self.root.glob("class/**/*")):
            if path.is_file():
                path.unlink()

    def hold(self, pid: int) -> None:
        (self.root / f"class/kfd/kfd/proc/{pid}").mkdir(parents=True)

    def run(self, argv: list[str], timeout: float) -> Done:
        if argv[0] == "modinfo":
            assert argv[1:] == ["-k", KERNEL, "amdgpu"]
            lines = [
                f"filename:       {self.path}",
                f"version:        {self.version[0]}",
                f"srcversion:     {self.version[1]}",
            ]
            return Done(0, "\n".join(line for line in lines if line.split(":")[1].strip()) + "\n", "", 0)
        self.log.append(" ".join(argv))
        if self.log[-1] in self.fails:
            return Done(1, "", self.fails[self.log[-1]], 0, timed_out=not self.fails[self.log[-1]])
        (self.unload if "-r" in argv else self.load)()
        return Done(0, "", "", 0)

    def rest(self, seconds: float) -> None:
        """What happens while the module waits."""
        self.time += seconds
        if len(self.appear) > 1:
            self.appear.pop(0)
        self.show(self.appear[0])


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    machine = Machine(tmp_path / "sys")

    def ticks(timeout: float) -> t.Iterator[float]:
        return clock.ticks(timeout, now=lambda: machine.time, rest=machine.rest)

    monkeypatch.setattr(lock, "LOCK", str(tmp_path / "lock"))
    monkeypatch.setattr(amdgpu, "ROOT", str(tmp_path))
    monkeypatch.setattr(amdgpu, "run", machine.run)
    monkeypatch.setattr(amdgpu, "ticks", ticks)
    monkeypatch.setattr(os, "uname", lambda: os.uname_result(("Linux", "n", KERNEL, "v", "x86_64")))
    return machine


def run(check: bool = False, **args: t.Any) -> dict[str, t.Any]:
    return run_module(gpu_driver_load, {"kind": "dkms", "gpus": 8, **args}, check=check)


def test_load_check_do_again(machine: Machine) -> None:
    predicted = run(check=True)
    assert machine.log == []
    done = run()
    assert machine.log == ["modprobe amdgpu"]
    assert {k: v for k, v in done.items() if k != "seconds"} == {k: v for k, v in predicted.items() if k != "seconds"}
    assert done["actions"] == ["load amdgpu"]
    assert (done["path"], done["version"], done["srcversion"], done["gpus"]) == (DKMS_PATH, *NEW, 8)
    assert [(d["before"], d["after"]) for d in done["diff"]] == [("", "amdgpu 6.14.14 (srcversion AAAA)\n")]
    again = run()
    assert (again["changed"], again["actions"], again["diff"], machine.log) == (False, [], [], ["modprobe amdgpu"])


def test_reload_check_do_and_do_again_because_reloading_is_an_act(machine: Machine) -> None:
    machine.load(OLD)
    predicted = run(state="reloaded", check=True)
    assert machine.log == []
    done = run(state="reloaded")
    assert machine.log == ["modprobe -r amdgpu", "modprobe amdgpu"]
    assert predicted["diff"] == done["diff"]
    assert [d["before"] for d in done["diff"]] == ["amdgpu 6.12.12 (srcversion BBBB)\n"]
    assert run(state="reloaded")["actions"] == ["reload amdgpu"]


def test_the_in_tree_module_has_no_version(machine: Machine) -> None:
    machine.path, machine.version = IN_TREE_PATH, ("", "CCCC")
    done = run(kind="in_tree")
    assert (done["changed"], done["version"], done["kind"]) == (True, "", "in_tree")


def test_waits_until_all_gpus_show(machine: Machine) -> None:
    machine.appear = [0, 3, 7, 8]
    assert run()["gpus"] == 8
    assert machine.appear == [8]


MISSING = "build the driver for this kernel first"
NEW_WORDS, OLD_WORDS = "6.14.14 (srcversion AAAA)", "6.12.12 (srcversion BBBB)"
KERNEL_LOG = "read the kernel log for their probe (journalctl -k -g amdgpu)"
REFUSED: dict[str, tuple[t.Callable[[Machine], t.Any], dict[str, t.Any], str, list[str]]] = {
    "DKMS build is missing and modprobe would take the in-tree module": (
        lambda m: setattr(m, "path", IN_TREE_PATH),
        {},
        f"{IN_TREE_PATH}: modprobe would load the in-tree module, wanted is the DKMS one; {MISSING}",
        [],
    ),
    "in-tree wanted and a DKMS build is in the way": (
        lambda m: None,
        {"kind": "in_tree"},
        f"{DKMS_PATH}: modprobe would load the DKMS module, wanted is the in-tree one; remove the packages of the other driver first",
        [],
    ),
    "no module at all": (
        lambda m: setattr(m, "path", ""),
        {},
        f"amdgpu for kernel {KERNEL}: is not there; install the driver for this kernel first",
        [],
    ),
    "built into the kernel": (
        lambda m: setattr(m, "path", "(builtin)"),
        {},
        f"amdgpu for kernel {KERNEL}: is not there as a module; install the driver for this kernel first",
        [],
    ),
    "another version on disk": (
        lambda m: None,
        {"version": "6.16.13"},
        f"{DKMS_PATH}: version is 6.14.14, wanted is 6.16.13; build the driver anew",
        [],
    ),
    "same version from other source on disk": (
        lambda m: None,
        {"srcversion": "DDDD"},
        f"{DKMS_PATH}: srcversion is AAAA, wanted is DDDD; build the driver anew",
        [],
    ),
    "another module is loaded": (
        lambda m: m.load(OLD),
        {},
        f"amdgpu: loaded is {OLD_WORDS}, on disk is {NEW_WORDS}; reload it (state: reloaded) or reboot",
        [],
    ),
    "processes hold GPUs": (
        lambda m: (m.load(OLD), m.hold(4121), m.hold(977)),
        {"state": "reloaded"},
        "amdgpu: cannot be reloaded: 2 processes hold GPUs (977, 4121); drain the node first",
        [],
    ),
    "something else holds the module": (
        lambda m: (m.load(OLD), m.fails.update({"modprobe -r amdgpu": "FATAL: Module amdgpu is in use."})),
        {"state": "reloaded"},
        "modprobe -r amdgpu: FATAL: Module amdgpu is in use; drain the node first, or reboot it",
        ["modprobe -r amdgpu"],
    ),
    "loading hangs": (
        lambda m: m.fails.update({"modprobe amdgpu": ""}),
        {"timeout": 6},
        "modprobe amdgpu: did not end within 6 s; read the kernel log (journalctl -k)",
        ["modprobe amdgpu"],
    ),
    "one probe fails though modprobe says nothing": (
        lambda m: setattr(m, "appear", [7]),
        {"timeout": 6},
        f"amdgpu: KFD shows 7 of 8 GPUs after 6 s; without driver: 0000:17:00.0; {KERNEL_LOG}",
        ["modprobe amdgpu"],
    ),
    "a loaded driver lacks a GPU": (
        lambda m: m.load(count=7),
        {},
        f"amdgpu: KFD shows 7 of 8 GPUs after 0 s; without driver: 0000:17:00.0; {KERNEL_LOG}",
        [],
    ),
}


@pytest.mark.parametrize(("arrange", "args", "sentence", "log"), REFUSED.values(), ids=REFUSED)
def test_refused(
    machine: Machine, arrange: t.Callable[[Machine], t.Any], args: dict[str, t.Any], sentence: str, log: list[str]
) -> None:
    arrange(machine)
    if not log:
        assert run(check=True, **args)["msg"] == sentence, "check mode refuses the same"
    result = run(**args)
    assert (result["failed"], result["msg"], machine.log) == (True, sentence, log)


def test_names_of_processes_are_shown_where_known(machine: Machine, tmp_path: Path) -> None:
    machine.load(OLD)
    machine.hold(4121)
    (tmp_path / "proc/4121").mkdir(parents=True)
    (tmp_path / "proc/4121/comm").write_text("vllm\n")
    message = run(state="reloaded")["msg"]
    assert message == "amdgpu: cannot be reloaded: 1 process holds GPUs (4121 vllm); drain the node first"


def test_is_not_reloaded_while_kfd_does_not_tell_who_uses_it(machine: Machine) -> None:
    machine.load(OLD)
    (machine.root / "class/kfd/kfd/proc").rmdir()
    why = "whether processes hold GPUs is unknown: amdgpu is loaded but there is no /sys/class/kfd/kfd/proc"
    assert run(state="reloaded")["msg"] == f"amdgpu: cannot be reloaded: {why}; reboot the node instead"
    assert machine.log == []


def test_another_display_controller_of_the_vendor_is_no_gpu_of_the_node(machine: Machine) -> None:
    machine.write("bus/pci/devices/0000:01:00.0/vendor", "0x1002")
    machine.write("bus/pci/devices/0000:01:00.0/class", "0x030000")
    machine.load()
    machine.node(30, "300", "simd_count 8\nlocation_id 256\ndomain 0")
    assert run()["gpus"] == 8


def test_a_module_that_never_gets_live_is_a_failure(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "load", lambda: machine.write("module/amdgpu/initstate", "coming"))
    monkeypatch.setattr(machine, "show", lambda count: None)
    assert run(timeout=2)["msg"] == "amdgpu: is coming after 2 s; read the kernel log (journalctl -k -g amdgpu)"


def test_a_topology_that_is_still_written_is_read_again(machine: Machine) -> None:
    machine.load()
    machine.node(8, "106", "simd_count")
    assert run()["msg"].startswith("amdgpu: KFD shows 0 of 8 GPUs after 0 s; read the kernel log")
