# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""rocm_activate on a node in a folder, with an update-alternatives that links as the real one does."""

from __future__ import annotations

import os
import shutil
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._act import alternatives
from ansible_collections.instinct.fleet.plugins.module_utils._act.process import Done
from ansible_collections.instinct.fleet.plugins.module_utils._node import alternatives as node_alternatives
from ansible_collections.instinct.fleet.plugins.module_utils._node.apart import UnreadableError
from ansible_collections.instinct.fleet.plugins.modules import rocm_activate
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree
from ansible_collections.instinct.fleet.tests.unit.plugins.run_module import run_module

SEVEN, SIX, CORE = "/opt/rocm-7.2.3", "/opt/rocm-7.0.2", "/opt/rocm/core-7.14"
ADMIN = "/var/lib/dpkg/alternatives"


class Tool:
    """update-alternatives, rm, find and rmdir below a folder."""

    def __init__(self, tree: Tree, deaf: bool = False) -> None:
        self.tree = tree
        self.deaf = deaf
        self.told: list[str] = []

    def at(self, path: str) -> str:
        return str(self.tree.root) + path

    def run(self, argv: t.Sequence[str], _timeout: float) -> Done:
        words = list(argv)
        self.told.append(" ".join(words))
        if self.deaf:
            return Done(0, "", "", 0)
        if words[0] != "update-alternatives":
            return self._other(words)
        if words[1] == "--install":
            link, name, path = words[2:5]
            self._write(name, link, {*self._choices(name), path})
            self._point(name, link, path)
        elif words[1] == "--set":
            if words[3] not in self._choices(words[2]):
                return Done(2, "", f"error: alternative {words[3]} for {words[2]} not registered", 0)
            self._point(words[2], self._lines(words[2])[1], words[3])
        else:
            link = self._lines(words[2])[1]
            for path in (link, f"/etc/alternatives/{words[2]}", f"{ADMIN}/{words[2]}"):
                if os.path.islink(self.at(path)) or os.path.isfile(self.at(path)):
                    os.unlink(self.at(path))
        return Done(0, "", "", 0)

    def _other(self, words: list[str]) -> Done:
        if words[0] == "rm" and os.path.lexists(self.at(words[2])):
            os.unlink(self.at(words[2]))
        elif words[0] == "find":
            for entry in os.scandir(self.at("/opt/rocm")):
                if entry.is_symlink():
                    os.unlink(entry.path)
        elif words[0] == "rmdir":
            os.rmdir(self.at(words[1]))
        return Done(0, "", "", 0)

    def _lines(self, name: str) -> list[str]:
        path = Path(self.at(f"{ADMIN}/{name}"))
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []

    def _choices(self, name: str) -> list[str]:
        return self._lines(name)[3::2]

    def _write(self, name: str, link: str, choices: set[str]) -> None:
        self.tree.write(f"{ADMIN}/{name}", f"manual\n{link}\n\n" + "".join(f"{c}\n1\n" for c in sorted(choices)) + "\n")

    def _point(self, name: str, link: str, path: str) -> None:
        if os.path.isdir(self.at(link)) and not os.path.islink(self.at(link)):
            return  # warning: not replacing it with a link
        for place, target in ((f"/etc/alternatives/{name}", path), (link, f"/etc/alternatives/{name}")):
            if os.path.lexists(self.at(place)):
                os.unlink(self.at(place))
            self.tree.link(place, target)


@pytest.fixture(name="tree")
def _tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


@pytest.fixture(name="activate")
def _activate(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> t.Callable[..., dict[str, t.Any]]:
    def act(tool: Tool, check: bool = False, **options: t.Any) -> dict[str, t.Any]:
        monkeypatch.setattr(alternatives, "Machine", tool.tree.machine)
        monkeypatch.setattr(alternatives, "run", tool.run)
        return run_module(rocm_activate, options, check=check)

    return act


def installed(tree: Tree, *prefixes: str) -> Tool:
    for prefix in prefixes:
        tree.fill({f"{prefix}/.info/version": prefix.rpartition("-")[2], f"{prefix}/bin/x": "", f"{prefix}/lib/x": ""})
    return Tool(tree)


def test_check_do_again(tree: Tree, activate: t.Callable[..., dict[str, t.Any]]) -> None:
    tool = installed(tree, SEVEN, SIX)
    tool.run(["update-alternatives", "--install", "/opt/rocm", "rocm", SIX, "1"], 1)
    tool.told.clear()
    predicted = activate(tool, check=True, prefix=SEVEN)
    assert tool.told == []
    done = activate(tool, prefix=SEVEN)
    assert predicted == done
    assert (done["changed"], done["active"]) == (True, SEVEN)
    assert done["actions"] == tool.told == [
        f"update-alternatives --install /opt/rocm rocm {SEVEN} 1", f"update-alternatives --set rocm {SEVEN}"]
    assert (done["diff"][0]["before"], done["diff"][0]["after"]) == (f"{SIX}\n", f"{SEVEN}\n")
    again = activate(tool, prefix=SEVEN)
    assert (again["changed"], again["active"]) == (False, SEVEN)


def test_from_the_old_layout_to_the_new_and_back(tree: Tree, activate: t.Callable[..., dict[str, t.Any]]) -> None:
    tool = installed(tree, SEVEN)
    activate(tool, prefix=SEVEN)
    done = activate(tool, state="cleared")
    assert (done["actions"], done["active"]) == (["update-alternatives --remove-all rocm", "rm -f /opt/rocm"], None)
    assert not activate(tool, state="cleared")["changed"]
    installed(tree, CORE)
    assert activate(tool, prefix=CORE)["active"] == CORE
    assert tree.machine().real("/opt/rocm/lib") == f"{CORE}/lib"
    # both streams side by side: the old one is active through links in the folder
    assert activate(tool, prefix=SEVEN)["active"] == SEVEN
    assert tree.machine().real("/opt/rocm/bin") == f"{SEVEN}/bin"
    # the packages of the new one go, and leave the links that no package made
    shutil.rmtree(tree.root / CORE.lstrip("/"))
    assert activate(tool, prefix=SEVEN)["active"] == SEVEN
    assert os.path.islink(tree.root / "opt/rocm")
    assert not activate(tool, prefix=SEVEN)["changed"]


def test_what_is_not_installed_cannot_be_active(tree: Tree, activate: t.Callable[..., dict[str, t.Any]]) -> None:
    assert activate(installed(tree, SEVEN), prefix=SIX)["msg"] == (
        f"prefix: there is no ROCm in {SIX}; there is {SEVEN}")


def test_a_command_that_does_not_help_is_said(tree: Tree, activate: t.Callable[..., dict[str, t.Any]]) -> None:
    tool = installed(tree, SEVEN)
    tool.deaf = True
    assert activate(tool, prefix=SEVEN)["msg"].startswith(
        f"/opt/rocm: is not as wanted after all commands: update-alternatives --install /opt/rocm rocm {SEVEN} 1 is left")


def test_a_command_that_fails_is_said(
        tree: Tree, activate: t.Callable[..., dict[str, t.Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    tool = installed(tree, SEVEN)
    monkeypatch.setattr(tool, "run", lambda argv, timeout: Done(2, "", "update-alternatives: error: no", 0))
    assert activate(tool, prefix=SEVEN)["msg"].startswith(
        f"update-alternatives --install /opt/rocm rocm {SEVEN} 1: ended with 2: update-alternatives: error: no")


def test_what_cannot_be_seen_is_not_changed(
        tree: Tree, activate: t.Callable[..., dict[str, t.Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_arguments: t.Any) -> t.NoReturn:
        raise UnreadableError("/var/lib/dpkg/alternatives: Permission denied")

    monkeypatch.setattr(node_alternatives, "groups", refuse)
    assert activate(installed(tree, SEVEN), prefix=SEVEN)["msg"] == (
        "rocm.alternatives: is unknown: /var/lib/dpkg/alternatives: Permission denied; run as root (become: true)")
