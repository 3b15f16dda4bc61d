# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""gpu_driver_dkms on a tree of files, with a stand-in for dkms that changes it as dkms does."""

from __future__ import annotations

import os
import shutil
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._act import dkms, lock
from ansible_collections.instinct.fleet.plugins.module_utils._act.process import Done
from ansible_collections.instinct.fleet.plugins.modules import gpu_driver_dkms
from ansible_collections.instinct.fleet.tests.unit.plugins.run_module import run_module

OLD, NEW, KERNEL, X = "6.12.12-1.24.04", "6.14.14-2.24.04", "6.8.0-85-generic", os.uname().machine
WANTED = {"version": NEW, "kernel": KERNEL}
OK = Done(0, "", "", 1)


class Node:
    """A tree of DKMS. The stand-in for the module file is the version that it was built from."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.tree = root / "var/lib/dkms/amdgpu"
        self.disk = root / f"lib/modules/{KERNEL}/updates/dkms/amdgpu.ko"
        self.log: list[str] = []
        self.fails: dict[str, Done] = {}  # verb -> how it ends
        self.on_disk: list[bool] = []  # whether there was a module on disk after each command
        self.add(OLD)
        self.build(OLD)
        self.install(OLD)

    def add(self, version: str) -> None:
        source = self.root / f"usr/src/amdgpu-{version}"
        source.mkdir(parents=True)
        (source / "dkms.conf").write_text('BUILT_MODULE_NAME[0]="amdgpu"\n')
        (self.tree / version).mkdir(parents=True)
        (self.tree / version / "source").symlink_to(f"/usr/src/amdgpu-{version}")

    def build(self, version: str) -> None:
        place = self.tree / version / KERNEL / X / "module"
        place.mkdir(parents=True, exist_ok=True)
        (place / "amdgpu.ko").write_text(version)

    def install(self, version: str) -> None:
        link = self.tree / f"kernel-{KERNEL}-{X}"
        link.unlink(missing_ok=True)
        link.symlink_to(f"{version}/{KERNEL}/{X}")
        self.disk.parent.mkdir(parents=True, exist_ok=True)
        self.disk.write_text(version)

    def run(self, argv: t.Sequence[str], timeout: float, cwd: str = "/", **environment: str) -> Done:
        version = argv[argv.index("-v") + 1]
        self.log.append(f"{argv[1]} {version}{' --force' if '--force' in argv else ''}")
        done = self.fails.get(argv[1], OK)
        if done.code == 0 and argv[1] == "build":
            assert not (self.tree / version / KERNEL / X).exists(), "dkms 3.0 refuses what it takes for built"
            self.build(version)
        elif done.code == 0 and argv[1] == "install":
            self.install(version)
        elif done.code == 0:
            shutil.rmtree(self.tree / version)
        self.on_disk.append(self.disk.exists())
        return done


@pytest.fixture
def node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Node:
    made = Node(tmp_path)
    monkeypatch.setattr(dkms, "ROOT", str(tmp_path))
    monkeypatch.setattr(dkms, "TREE", str(tmp_path / "var/lib/dkms"))
    monkeypatch.setattr(dkms, "run", made.run)
    monkeypatch.setattr(lock, "LOCK", str(tmp_path / "lock"))
    return made


def added(node: Node) -> None:
    node.add(NEW)


def built(node: Node) -> None:
    node.add(NEW)
    node.build(NEW)


def installed(node: Node) -> None:
    built(node)
    node.install(NEW)


def differs(node: Node) -> None:
    installed(node)
    node.disk.write_text("other")


# id, what is done before, options, what dkms said, commands
CASES: list[tuple[str, t.Callable[[Node], None], dict[str, t.Any], str, list[str]]] = [
    ("added", added, {}, "", [f"build {NEW}", f"install {NEW} --force"]),
    ("built", built, {}, "built", [f"build {NEW}", f"install {NEW} --force"]),
    ("installed", installed, {}, "installed", []),
    ("installed, and modules.dep does not agree", installed, {"force": True}, "installed",
     [f"build {NEW}", f"install {NEW} --force"]),
    ("installed, and another file is there", differs, {}, "installed (installed differs from built)",
     [f"build {NEW}", f"install {NEW} --force"]),
]


@pytest.mark.parametrize(("before", "options", "said", "commands"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_the_version_is_built_then_installed_and_proved(node: Node, before, options, said, commands) -> None:
    before(node)
    asked = {**WANTED, **options}
    predicted = run_module(gpu_driver_dkms, asked, check=True)
    assert node.log == []
    result = run_module(gpu_driver_dkms, asked)
    assert (result["failed"], result["before"], result["after"], node.log) == (False, said, "installed", commands)
    assert result["actions"] == predicted["actions"] == ([f"install amdgpu {NEW} for {KERNEL}"] if commands else [])
    assert predicted["after"] == "installed"
    assert node.disk.read_text() == NEW and all(node.on_disk)
    assert run_module(gpu_driver_dkms, WANTED)["changed"] is False


def test_a_build_that_fails_leaves_the_old_module_and_says_why(node: Node) -> None:
    added(node)
    log = node.tree / NEW / "build/make.log"
    log.parent.mkdir()
    log.write_text(f"{log.parent}/amd/x.c:3:1: error: no member named 'date'\n")
    node.fails["build"] = Done(10, "", "Error! Bad return status\n", 3)
    result = run_module(gpu_driver_dkms, WANTED)
    assert result["msg"] == (f"dkms build: of amdgpu {NEW} for {KERNEL} failed: amd/x.c:3:1: no member named 'date'; read "
                             f"{log}")
    assert (node.log, node.disk.read_text()) == ([f"build {NEW}"], OLD)


@pytest.mark.parametrize(
    ("fails", "options", "sentence"),
    [
        ({"build": Done(-9, "", "", 900, timed_out=True)}, {},
         f"dkms build: of amdgpu {NEW} for {KERNEL} did not end within 900 s; read /var/lib/dkms/amdgpu and run again"),
        ({"install": Done(6, "", "Error! Installation aborted.\n", 1)}, {},
         f"dkms install: of amdgpu {NEW} for {KERNEL} failed: Error! Installation aborted.; read "),
        ({"remove": Done(1, "", "", 1)}, {"state": "absent", "version": OLD},
         f"dkms remove: of amdgpu {OLD} from all kernels failed: dkms ended with 1 and named no error; read "),
    ],
    ids=["it hangs", "it does not install", "it does not remove"],
)
def test_what_fails_is_one_sentence(node: Node, fails, options, sentence) -> None:
    added(node)
    node.fails = fails
    result = run_module(gpu_driver_dkms, {**WANTED, **options})
    assert result["failed"] and result["msg"].startswith(sentence)
    assert node.disk.exists()


def test_what_dkms_does_not_confirm_is_a_failure(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    added(node)
    monkeypatch.setattr(dkms, "run", lambda *_a, **_k: OK)
    assert f"amdgpu {NEW}: is not installed for {KERNEL} after all" in run_module(gpu_driver_dkms, WANTED)["msg"]
    assert f"amdgpu {OLD}: is still in DKMS: installed" in run_module(
        gpu_driver_dkms, {"version": OLD, "state": "absent"})["msg"]


def test_a_version_is_removed_once(node: Node) -> None:
    installed(node)
    gone = {"version": OLD, "state": "absent"}
    assert run_module(gpu_driver_dkms, gone, check=True)["actions"] == [f"remove amdgpu {OLD} from DKMS"]
    assert run_module(gpu_driver_dkms, gone)["before"] == "built"
    assert run_module(gpu_driver_dkms, gone)["actions"] == []
    assert node.log == [f"remove {OLD}"]


def test_a_tree_without_source_goes_without_dkms_and_its_module_stays(node: Node) -> None:
    shutil.rmtree(node.root / f"usr/src/amdgpu-{OLD}")
    result = run_module(gpu_driver_dkms, {"version": OLD, "state": "absent"})
    assert (result["failed"], result["before"], node.log) == (False, "broken", [])
    assert list(node.tree.iterdir()) == [] and node.disk.read_text() == OLD


def test_what_cannot_be_read_is_a_failure(node: Node) -> None:
    (node.root / "etc/dkms").mkdir(parents=True)
    (node.root / "etc/dkms/amdgpu.conf").touch()
    assert run_module(gpu_driver_dkms, WANTED)["msg"].startswith("DKMS: /var/lib/dkms is odd and dkms is not installed")


@pytest.mark.parametrize("options", [{"version": NEW}, {"version": "../x", "kernel": KERNEL}])
def test_wrong_options_are_refused(node: Node, options: dict[str, str]) -> None:
    assert run_module(gpu_driver_dkms, options)["failed"] and node.log == []
