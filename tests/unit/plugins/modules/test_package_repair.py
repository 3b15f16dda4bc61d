# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""package_repair against a dpkg that was cut off."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._act import repair
from ansible_collections.instinct.fleet.plugins.module_utils._act.process import Done
from ansible_collections.instinct.fleet.plugins.modules import package_repair
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


def test_a_lock_that_is_never_free_is_a_failure(repaired):
    done = repaired(Node({"a": HALF}, locked=10**6), lock_timeout=0)
    assert done["msg"] == "dpkg: another process works on packages (waited 0 s); wait for it to end and run again"
