# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""package_repair against a dpkg and an rpm that were cut off."""

from __future__ import annotations

import typing as t
from pathlib import Path
from unittest import mock

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._act import offers, repair, rpm
from ansible_collections.instinct.fleet.plugins.module_utils._act.process import Done
from ansible_collections.instinct.fleet.plugins.module_utils._node.apart import UnreadableError
from ansible_collections.instinct.fleet.plugins.module_utils._node.command import Ran
from ansible_collections.instinct.fleet.plugins.module_utils._node.rpm import QUERY
from ansible_collections.instinct.fleet.plugins.modules import package_repair
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree
from ansible_collections.instinct.fleet.tests.unit.plugins.run_module import run_module

OK, FAILED = Done(0, "", "", 0), Done(1, "", "dpkg: error processing package stuck (--configure)\n", 0)
LOCKED = Done(2, "", "dpkg: error: dpkg frontend lock was locked by another process with pid 7\n", 0)


class Node:
    """Packages as name -> "want flag state"; what dpkg can configure, it does unless it is named ``stuck``."""

    def __init__(self, packages: dict[str, str], updates: tuple[str, ...] = (), locked: int = 0) -> None:
        self.packages = packages
        self.updates = list(updates)
        self.locked = locked
        self.told: list[str] = []

    def run(self, argv: t.Sequence[str], timeout: float, cwd: str = "/", **environment: str) -> Done:
        if argv[0] == "dpkg-query":
            if "Eflag" in argv[2]:
                return Done(0, "".join(f"{n} {s.split()[1]}\n" for n, s in self.packages.items()), "", 0)
            stanzas = (
                f"Package: {n}\nStatus: {s}\nArchitecture: all\nVersion: 1\n\n" for n, s in self.packages.items()
            )
            return Done(0, "".join(stanzas), "", 0)
        self.told.append(" ".join(argv))
        if "--configure" in argv:
            assert environment == {"DEBIAN_FRONTEND": "noninteractive"}
            return self._configure()
        if "--remove" in argv:
            for name in argv[argv.index("--remove") + 1 :]:
                self.packages[name] = "deinstall ok config-files"
        return OK

    def _configure(self) -> Done:
        if self.locked:
            self.locked -= 1
            return LOCKED
        self.updates.clear()
        for name, status in self.packages.items():
            want, flag, _state = status.split()
            if flag == "ok" and name != "stuck":
                self.packages[name] = f"{want} ok installed"
        return FAILED if "stuck" in self.packages else OK


@pytest.fixture(name="repaired")
def _repaired(monkeypatch: pytest.MonkeyPatch) -> t.Callable[..., dict[str, t.Any]]:
    def act(node: Node, check: bool = False, **arguments: t.Any) -> dict[str, t.Any]:
        monkeypatch.setattr(repair, "run", node.run)
        monkeypatch.setattr(repair, "_PAUSE", 0.001)
        monkeypatch.setattr(repair.os, "listdir", lambda _path: node.updates)
        return run_module(package_repair, arguments, check=check)

    return act


WHOLE = "install ok installed"
HALF = "install ok half-configured"
MESS = "install reinstreq half-installed"
CASES = {
    "clean": (Node({"a": WHOLE}), [], [], []),
    "half configured": (Node({"a": HALF, "b": WHOLE}), ["finish a (half-configured)"], [], ["configure"]),
    "cut off after the last package": (Node({"a": WHOLE}, ("0001",)), ["merge the updates of dpkg"], [], ["configure"]),
    "half of a file of updates": (Node({"a": WHOLE}, ("tmp.i",)), [], [], []),
    "one that must wait for the transaction": (
        Node({"a": HALF, "stuck": HALF}),
        ["finish a (half-configured)"],
        ["stuck (half-configured)"],
        ["configure", "update"],
    ),
    "one that could only be reinstalled": (
        Node({"ours": MESS}), ["remove ours, which could only be reinstalled"], [], ["configure", "remove"]),
    "another hand's that could only be reinstalled": (
        Node({"theirs": MESS}), [], ["theirs (half-installed)"], ["configure", "update"]),
    "another process works on packages": (
        Node({"a": HALF}, locked=2), ["finish a (half-configured)"], [], ["configure"] * 3),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_what_can_be_finished_is(repaired, case):
    node, actions, after, told = CASES[case]
    done = repaired(node, packages=["ours", "absent"])
    assert (done["failed"], done["changed"], done["actions"], done["after"]) == (False, bool(actions), actions, after)
    assert [next(w for w in ("configure", "remove", "update") if w in line) for line in node.told] == told
    assert bool(done["error"]) is ("stuck" in node.packages)


def test_check_mode_tells_nobody_anything(repaired):
    node = Node({"a": HALF}, ("0001",))
    done = repaired(node, check=True)
    assert (done["actions"], node.told) == (["finish a (half-configured)", "merge the updates of dpkg"], [])


@pytest.mark.parametrize("check", [True, False])
def test_lists_that_are_not_whole_are_removed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, check: bool) -> None:
    lists, node, tree = "/var/lib/apt/lists", Node({"a": WHOLE}), Tree(tmp_path)
    tree.fill({f"{lists}/x_Packages": "", f"{lists}/y_Packages": "whole\n",
               f"{lists}/x_InRelease": f"SHA256:\n {'ab' * 32} 9 Packages\n", f"{lists}/y_InRelease": f"SHA256:\n {'ab' * 32} 6 Packages\n"})
    torn = f"{tree.root}{lists}/x_Packages"
    monkeypatch.setattr(repair, "run", node.run)
    monkeypatch.setattr(offers, "LISTS", f"{tree.root}{lists}")
    done = run_module(package_repair, {}, check=check)
    assert (done["actions"], done["before"], done["after"]) == ([f"remove {torn}, which is not whole"], [f"{torn} (not whole)"], [])
    assert sorted(path.name for path in Path(torn).parent.iterdir()) == ["x_InRelease", *(["x_Packages"] if check else []), "y_InRelease", "y_Packages"]


def test_lists_that_cannot_be_read_are_one_sentence(repaired: t.Callable[..., dict[str, t.Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offers.apt_lists, "torn", mock.Mock(side_effect=UnreadableError("x_InRelease: Input/output error")))
    said = "/var/lib/apt/lists: cannot be read: x_InRelease: Input/output error; mend that on the node, then run again"
    assert repaired(Node({"a": WHOLE}))["msg"] == said


def test_a_lock_that_is_never_free_is_a_failure(repaired):
    done = repaired(Node({"a": HALF}, locked=10**6), lock_timeout=0)
    assert done["msg"] == "dpkg: another process works on packages (waited 0 s); wait for it to end and run again"


NEW = "amdgpu-dkms\t1\t6.16.13\t2327507.el9\tnoarch\t9\n"
OLD = "amdgpu-dkms\t1\t6.14.14\t2226257.el9\tnoarch\t5\n"
OTHER = "glibc\t(none)\t2.34\t1.el9\tx86_64\t5\nglibc\t(none)\t2.34\t2.el9\tx86_64\t9\n"
ERASED = "amdgpu-dkms 1:6.14.14-2226257.el9 (duplicate)"
LEFT = "glibc 2.34-1.el9 (duplicate)"
ASKED = "rpm --erase --nodeps amdgpu-dkms-1:6.14.14-2226257.el9.noarch"


class Rpm:
    """An rpm with some packages twice; it erases them unless it is ``broken``."""

    def __init__(self, tree: Tree, printed: str, broken: Done | None = None) -> None:
        self.tree, self.broken, self.told = tree, broken, []
        tree.commands[" ".join(QUERY)] = Ran(0, printed, "")

    def run(self, argv: t.Sequence[str], timeout: float) -> Done:
        self.told.append(" ".join(argv))
        if self.broken is None:
            left = self.tree.commands[" ".join(QUERY)].stdout.replace(OLD, "")
            self.tree.commands[" ".join(QUERY)] = Ran(0, left, "")
        return self.broken or OK


# id, what rpm prints, how it fails, actions, after, error, what it is told
RPM_CASES = [
    ("clean", NEW, None, [], [], "", []),
    ("cut off before the old version went", NEW + OLD, None, [f"erase {ERASED}"], [], "", [ASKED]),
    ("another hand's", NEW + OTHER, None, [], [LEFT], "", []),
    ("a scriptlet fails", NEW + OLD, Done(1, "", "error: %preun failed\n", 0), [], [ERASED], "error: %preun failed", [ASKED]),
    ("a scriptlet hangs", NEW + OLD, Done(-9, "", "", 600, True), [], [ERASED], "rpm --erase did not end within 600 s", [ASKED]),
]


@pytest.mark.parametrize("case", RPM_CASES, ids=[c[0] for c in RPM_CASES])
@pytest.mark.parametrize("manager", ["dnf", "zypper"])
def test_what_rpm_left_is_erased(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: t.Any, manager: str) -> None:
    _name, printed, broken, actions, after, error, told = case
    node = Rpm(Tree(tmp_path), printed, broken)
    monkeypatch.setattr(package_repair, "Machine", node.tree.machine)
    monkeypatch.setattr(rpm, "run", node.run)
    arguments = {"manager": manager, "packages": ["amdgpu-dkms", "absent"]}
    if broken is None:
        predicted = run_module(package_repair, arguments, check=True)
        assert (predicted["actions"], node.told) == (actions, [])
    done = run_module(package_repair, arguments)
    assert (done["failed"], done["actions"], done["after"], done["error"], node.told) == (False, actions, after, error, told)


def test_a_damaged_database_of_rpm_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = Tree(tmp_path)
    tree.commands[" ".join(QUERY)] = Ran(1, "", "error: damaged\n")
    monkeypatch.setattr(package_repair, "Machine", tree.machine)
    assert run_module(package_repair, {"manager": "dnf"})["msg"] == "rpm: rpm failed: error: damaged; repair its database first"
