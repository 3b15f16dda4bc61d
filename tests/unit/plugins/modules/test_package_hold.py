# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""package_hold against a dpkg, a list of dnf's plugin and a zypper that keep state."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._act import holders, lock
from ansible_collections.instinct.fleet.plugins.module_utils._act.process import Done
from ansible_collections.instinct.fleet.plugins.module_utils._core.act.holds import parse_selections
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._node.command import Ran
from ansible_collections.instinct.fleet.plugins.module_utils._node.rpm import QUERY
from ansible_collections.instinct.fleet.plugins.modules import package_hold
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree
from ansible_collections.instinct.fleet.tests.unit.plugins.owners import Owners
from ansible_collections.instinct.fleet.tests.unit.plugins.run_module import run_module


class Dpkg:
    """Answers dpkg-query and dpkg --set-selections as they do; ``deaf`` takes selections and forgets them."""

    def __init__(self, *packages: str, deaf: bool = False) -> None:
        self.packages = {line.split()[1]: line.split() for line in packages}
        self.deaf = deaf
        self.told: list[str] = []

    def command(self, command: list[str], data: str) -> tuple[int, str, str]:
        if command[0] == "dpkg-query":
            assert command[2].endswith("${Package} ${binary:Package} ${db:Status-Want} ${db:Status-Status}\\n")
            found = [p for p in self.packages.values() if p[0] in command[3:]]
            missing = [name for name in command[3:] if name not in {p[0] for p in found}]
            return int(bool(missing)), "".join(" ".join(p) + "\n" for p in found), "no packages found matching"
        assert command == ["dpkg", "--set-selections"]
        self.told += data.splitlines()
        for line in data.splitlines():
            name, want = line.split()
            if not self.deaf:
                self.packages[name][2] = want
        return 0, "", ""

    def wants(self) -> dict[str, str]:
        return {name: words[2] for name, words in self.packages.items()}


def node() -> Dpkg:
    return Dpkg(
        "amdgpu-dkms amdgpu-dkms install installed",
        "libdrm2 libdrm2:amd64 install installed",
        "libdrm2 libdrm2:i386 hold installed",
        "left left hold not-installed",
        "other other install installed",
    )


def run(dpkg: Dpkg, names: list[str], state: str = "held", check: bool = False) -> dict[str, t.Any]:
    def command(_module: t.Any, argv: list[str], data: str = "") -> tuple[int, str, str]:
        return dpkg.command(argv, data)

    return run_module(package_hold, {"names": names, "state": state}, check=check, run_command=command)


ALL = {"amdgpu-dkms": "hold", "libdrm2:amd64": "hold", "libdrm2:i386": "hold", "left": "hold", "other": "install"}
NONE = dict.fromkeys(ALL, "install") | {"left": "deinstall"}
STEPS = [
    ("hold", ["libdrm2", "amdgpu-dkms"], "held", ["hold amdgpu-dkms", "hold libdrm2"], ALL),
    ("unhold", ["amdgpu-dkms", "left", "libdrm2", "never-heard-of"], "unheld",
     ["unhold amdgpu-dkms", "unhold left", "unhold libdrm2"], NONE),
]  # fmt: skip


def test_check_do_again() -> None:
    dpkg = node()
    for name, names, state, actions, wants in STEPS:
        before = dpkg.wants()
        predicted = run(dpkg, names, state, check=True)
        assert dpkg.wants() == before, f"{name}: check mode told dpkg something"
        done = run(dpkg, names, state)
        assert predicted == done, name
        assert (done["changed"], done["actions"]) == (True, actions), name
        assert dpkg.wants() == wants, name
        again = run(dpkg, names, state)
        assert (again["changed"], again["actions"], again["diff"]) == (False, [], []), name


def test_only_what_differs_is_told() -> None:
    dpkg = node()
    run(dpkg, ["libdrm2"])
    assert dpkg.told == ["libdrm2:amd64 hold"]


def test_returns_and_diff_name_the_holds_before_and_after() -> None:
    result = run(node(), ["other", "libdrm2", "other"])
    assert (result["names"], result["before"], result["after"]) == (
        ["libdrm2", "other"],
        ["libdrm2"],
        ["libdrm2", "other"],
    )
    assert [(d["before"], d["after"]) for d in result["diff"]] == [("libdrm2\n", "libdrm2\nother\n")]


def test_what_is_installed_is_held_before_the_task_fails_for_the_rest() -> None:
    dpkg = node()
    result = run(dpkg, ["amdgpu-dkms", "new"])
    assert result["msg"] == "new: cannot be held: it is not installed; install first; the other packages named are held"
    assert dpkg.wants()["amdgpu-dkms"] == "hold"


def test_check_mode_expects_what_an_earlier_task_would_install() -> None:
    result = run(node(), ["new"], check=True)
    assert (result["failed"], result["actions"], result["after"]) == (False, ["hold new (not installed yet)"], ["new"])


def test_a_hold_that_did_not_take_is_a_failure() -> None:
    dpkg = Dpkg("other other install installed", deaf=True)
    assert run(dpkg, ["other"])["msg"] == "dpkg: took the selections but did not hold other; look at dpkg --audit"


@pytest.mark.parametrize("name", ["amdgpu*", "A", "", "a b", "--root=/x"])
def test_patterns_and_options_are_refused(name: str) -> None:
    dpkg = node()
    result = run(dpkg, ["other", name])
    assert result["msg"] == f"names: {name!r} is not a package name; name each package, without patterns"
    assert dpkg.told == []


def test_a_broken_dpkg_is_a_failure() -> None:
    def command(_module: t.Any, argv: list[str]) -> tuple[int, str, str]:
        return 2, "", "dpkg-query: error: failed to open\n the database"

    result = run_module(package_hold, {"names": ["other"]}, run_command=command)
    assert result["msg"] == (
        "dpkg-query: ended with 2: dpkg-query: error: failed to open the database; repair dpkg first"
    )


def test_a_refused_selection_is_a_failure() -> None:
    def command(_module: t.Any, argv: list[str], data: str = "") -> tuple[int, str, str]:
        return (2, "", "not root") if data else (0, "other other install installed\n", "")

    result = run_module(package_hold, {"names": ["other"]}, run_command=command)
    assert result["msg"] == "dpkg: refused the selections: not root; run as root (become: true)"


def test_parse_selections_refuses_other_lines() -> None:
    with pytest.raises(DataError, match="line not understood: 'a b'"):
        parse_selections("a b\n")


def test_what_is_missing_may_be_skipped() -> None:
    dpkg = node()
    result = run_module(
        package_hold,
        {"names": ["amdgpu-dkms", "new"], "missing": "skip"},
        run_command=lambda _module, argv, data="": dpkg.command(argv, data),
    )
    assert (result["failed"], result["actions"], result["after"]) == (False, ["hold amdgpu-dkms"], ["amdgpu-dkms"])


PRINTED = (
    "amdgpu-dkms\t1\t6.14.14\t2226257.el9\tnoarch\t5\n"
    "kernel-core\t(none)\t5.14.0\t570.12.1.el9_6\tx86_64\t4\n"
    "kernel-core\t(none)\t5.14.0\t570.58.1.el9_6\tx86_64\t6\n"
)
OTHERS = "\n# Added lock on Sun Nov 29 19:32:53 2026\nbash-0:5.1.8-9.el9.*\n"
LOCKED = (
    "amdgpu-dkms-1:6.14.14-2226257.el9.*\nkernel-core-0:5.14.0-570.12.1.el9_6.*\nkernel-core-0:5.14.0-570.58.1.el9_6.*\n"
)


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """A machine below a folder."""
    return Tree(tmp_path / "node")


@pytest.fixture
def el(tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Tree, Path]:
    """A RHEL with its versionlock plugin, and the plugin's list."""
    Owners(monkeypatch)
    monkeypatch.setattr(lock, "LOCK", str(tmp_path / "lock"))
    monkeypatch.setattr(holders, "Machine", tree.machine)
    locks = tmp_path / "versionlock.list"
    locks.write_text(OTHERS)
    tree.fill({"/usr/bin/dnf": "", "/etc/dnf/plugins/versionlock.conf": f"[main]\nenabled = 1\nlocklist = {locks}\n"})
    tree.commands[" ".join(QUERY)] = Ran(0, PRINTED, "")
    return tree, locks


def hold(names: list[str], state: str = "held", check: bool = False, manager: str = "dnf", **more: t.Any) -> dict[str, t.Any]:
    """Run the module for another package manager."""
    return run_module(package_hold, {"names": names, "state": state, "manager": manager}, check=check, **more)


def test_dnf_check_do_again(el: tuple[Tree, Path]) -> None:
    names, locks = ["kernel-core", "amdgpu-dkms"], el[1]
    for state, verb, after in (("held", "hold", OTHERS + LOCKED), ("unheld", "unhold", OTHERS)):
        before = locks.read_text()
        predicted = hold(names, state, check=True)
        assert locks.read_text() == before
        done = hold(names, state)
        assert predicted == done
        assert (done["changed"], done["actions"]) == (True, [f"{verb} amdgpu-dkms", f"{verb} kernel-core"])
        assert locks.read_text() == after
        again = hold(names, state)
        assert (again["changed"], again["actions"], again["diff"]) == (False, [], [])


def test_a_lock_of_another_version_is_replaced_by_one_of_the_installed(el: tuple[Tree, Path]) -> None:
    el[1].write_text("amdgpu-dkms-1:6.12.12-2187269.el9.*\n")
    assert hold(["amdgpu-dkms"])["actions"] == ["hold amdgpu-dkms"]
    assert el[1].read_text() == "amdgpu-dkms-1:6.14.14-2226257.el9.*\n"


def test_locks_of_another_version_or_of_nothing_installed_are_lifted(el: tuple[Tree, Path]) -> None:
    el[1].write_text("amdgpu-dkms-1:6.12.12-2187269.el9.*\nrocm-core-0:7.0.2.70002-56.el9.*\n!rocminfo-0:1-1.*\n")
    assert hold(["amdgpu-dkms", "rocm-core", "rocminfo"], "unheld")["actions"] == ["unhold amdgpu-dkms", "unhold rocm-core"]
    assert el[1].read_text() == "!rocminfo-0:1-1.*\n"


def test_what_is_not_installed_cannot_be_locked(el: tuple[Tree, Path]) -> None:
    assert hold(["rocm-core"])["msg"].startswith("rocm-core: cannot be held: it is not installed")


def test_a_pattern_that_still_locks_is_a_failure(el: tuple[Tree, Path]) -> None:
    el[1].write_text("amdgpu*\n")
    assert hold(["amdgpu-dkms"], "unheld")["msg"] == f"dnf: took the selections but did not unhold amdgpu-dkms; look at {el[1]}"
    assert el[1].read_text() == "amdgpu*\n"


def test_without_the_plugin_nothing_is_held(el: tuple[Tree, Path]) -> None:
    el[0].write("/etc/dnf/plugins/versionlock.conf", "[main]\nenabled = 0\n")
    assert hold(["amdgpu-dkms"])["msg"] == (
        "dnf: nothing can be held: its versionlock plugin is not installed, or is switched off; "
        "install python3-dnf-plugin-versionlock"
    )


def test_a_damaged_database_is_a_failure(el: tuple[Tree, Path]) -> None:
    el[0].commands[" ".join(QUERY)] = Ran(1, "", "error: damaged\n")
    assert hold(["amdgpu-dkms"])["msg"] == "rpm: rpm failed: error: damaged; repair its database first"


class Zypper:
    """zypper addlock and removelock, as zypper 1.14.42 does them."""

    def __init__(self, path: Path, code: int = 0, hangs: bool = False) -> None:
        self.path, self.code, self.hangs = path, code, hangs

    def __call__(self, argv: list[str], timeout: float, **environment: str) -> Done:
        assert argv[:3] == ["zypper", "--non-interactive", "--quiet"]
        assert (timeout, environment) == (300, {"ZYPP_LOCK_TIMEOUT": "30"})
        record = "\ntype: package\nmatch_type: glob\ncase_sensitive: on\nsolvable_name: {}\n\n"
        text = self.path.read_text() if self.path.exists() else ""
        for name in argv[4:]:
            text = text.replace(record.format(name), "") + (record.format(name) if argv[3] == "addlock" else "")
        self.path.write_text(text)
        return Done(self.code, "", "System management is locked" if self.code else "", 1, timed_out=self.hangs)


@pytest.fixture
def sles(tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A SLES, and its file of locks."""
    path = tmp_path / "locks"
    monkeypatch.setattr(holders, "Machine", tree.machine)
    monkeypatch.setattr(holders.zypplocks, "PATH", str(path))
    tree.write("/usr/bin/zypper")
    tree.commands[" ".join(QUERY)] = Ran(0, PRINTED, "")
    return path


def test_zypper_check_do_again(sles: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holders.process, "run", Zypper(sles))
    names = ["kernel-core", "amdgpu-dkms"]
    for state, verb in (("held", "hold"), ("unheld", "unhold")):
        predicted = hold(names, state, check=True, manager="zypper")
        done = hold(names, state, manager="zypper")
        assert predicted == done
        assert done["actions"] == [f"{verb} amdgpu-dkms", f"{verb} kernel-core"]
        assert sles.read_text().count("solvable_name") == (2 if state == "held" else 0)
        assert hold(names, state, manager="zypper")["actions"] == []


@pytest.mark.parametrize(("zypper", "sentence"), [
    ({"code": 7}, "zypper: ended with 7: System management is locked; run as root (become: true)"),
    ({"code": -9, "hangs": True}, "zypper: did not end within 300 s; look at what it waits for, then run again"),
])
def test_a_busy_zypper_is_a_failure(
    sles: Path, monkeypatch: pytest.MonkeyPatch, zypper: dict[str, t.Any], sentence: str,
) -> None:
    monkeypatch.setattr(holders.process, "run", Zypper(sles, **zypper))
    assert hold(["amdgpu-dkms"], manager="zypper")["msg"] == sentence
