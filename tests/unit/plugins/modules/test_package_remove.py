# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""package_remove against package managers that keep state."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._act import removal
from ansible_collections.instinct.fleet.plugins.module_utils._act.process import Done
from ansible_collections.instinct.fleet.plugins.modules import package_remove
from ansible_collections.instinct.fleet.tests.unit.plugins.run_module import run_module


class Node:
    """Packages, and for some of them those that need them; ``deaf`` says yes and removes nothing."""

    def __init__(self, packages: t.Iterable[str], needed_by: dict[str, str] | None = None, deaf: bool = False) -> None:
        self.packages = set(packages)
        self.needed_by = needed_by or {}
        self.deaf = deaf
        self.told: list[str] = []
        self.asked: list[str] = []

    def run(self, argv: t.Sequence[str], timeout: float, **environment: str) -> Done:
        words = list(argv)
        if words[0] == "dpkg-query":
            found = [f"{n} {'installed' if n in self.packages else 'config-files'}\n" for n in words[3:] if n != "unknown"]
            return Done(int("unknown" in words), "".join(found), "", 0)
        if words[:2] == ["rpm", "--query"]:
            return Done(0, "".join(f"{n}\n" if n in self.packages else f"package {n} is not installed\n" for n in words[4:]), "", 0)
        if words[0] in ("dnf", "zypper"):
            return self._ask(words)
        self.told.append(" ".join(words))
        if words[0] == "rpm":
            return self._rpm(words)
        names = words[next(i for i, word in enumerate(words) if word in ("remove", "purge")) + 1:]
        going = {*names, *(self.needed_by[n] for n in names if n in self.needed_by)}
        if "--simulate" in words:
            return Done(0, "".join(f"Remv {n} [1]\n" for n in sorted(going)), "", 0)
        assert environment == {"DEBIAN_FRONTEND": "noninteractive"}
        return self._gone(going)

    def _ask(self, words: list[str]) -> Done:
        """Whether a repository has a package; ``down`` is one that does not answer."""
        self.asked.append(" ".join(words))
        if "down" in words:
            return Done(1 if words[0] == "dnf" else 4, "", "Failed to download\n metadata", 0)
        there = "absent" not in words[-1]
        return Done(0 if there or words[0] == "dnf" else 104, words[-1] if there else "", "", 0)

    def _rpm(self, words: list[str]) -> Done:
        names = [w for w in words[2:] if not w.startswith("--")]
        needing = sorted(self.needed_by[n] for n in names if n in self.needed_by)
        if needing:
            return Done(1, "", f"error: Failed dependencies:\n\trocminfo is needed by (installed) {needing[0]}\n", 0)
        return Done(0, "", "", 0) if "--test" in words else self._gone(set(names))

    def _gone(self, names: set[str]) -> Done:
        if self.deaf:
            return Done(100, "", "E: could not get lock", 0)
        self.packages -= names
        return Done(0, "", "", 0)


@pytest.fixture(name="remove")
def _remove(monkeypatch: pytest.MonkeyPatch) -> t.Callable[..., dict[str, t.Any]]:
    def act(node: Node, names: list[str], check: bool = False, **options: t.Any) -> dict[str, t.Any]:
        monkeypatch.setattr(removal, "run", node.run)
        return run_module(package_remove, {"names": names, **options}, check=check)

    return act


NAMES = ["rocminfo", "rocm-core", "unknown", "gone"]


@pytest.mark.parametrize("manager", ["apt", "dnf", "zypper"])
def test_check_do_again(remove: t.Callable[..., dict[str, t.Any]], manager: str) -> None:
    node = Node({"rocm-core", "rocminfo", "vim"})
    predicted = remove(node, NAMES, check=True, manager=manager)
    assert node.packages == {"rocm-core", "rocminfo", "vim"}
    done = remove(node, NAMES, manager=manager)
    assert predicted == done
    assert done["actions"] == ["remove rocm-core", "remove rocminfo"]
    assert done["diff"][0]["before"] == "rocm-core\nrocminfo\n"
    assert node.packages == {"vim"}
    again = remove(node, NAMES, manager=manager)
    assert (again["changed"], again["actions"]) == (False, [])


@pytest.mark.parametrize(("manager", "sentence"), [
    ("apt", "site-app: needs what should be removed, and would go with it; remove it first"),
    ("dnf", "rocminfo: cannot be removed: error: Failed dependencies: rocminfo is needed by (installed) site-app; "
            "remove what needs them first"),
])
@pytest.mark.parametrize(("way_out", "more"), [("", ""), ("keep both", ", or keep both")])
def test_what_another_package_needs_stays(
    remove: t.Callable[..., dict[str, t.Any]], manager: str, sentence: str, way_out: str, more: str,
) -> None:
    node = Node({"rocminfo", "site-app"}, {"rocminfo": "site-app"})
    assert remove(node, ["rocminfo"], manager=manager, way_out=way_out)["msg"] == sentence + more
    assert node.packages == {"rocminfo", "site-app"}
    assert all("--simulate" in told or "--test" in told for told in node.told)


@pytest.mark.parametrize(("manager", "present", "absent", "asked"), [
    ("dnf", "rocm-core-*.70203-*", "absent-1", "dnf --quiet repoquery --available --queryformat=%{name} rocm-core-*.70203-*"),
    ("zypper", "rocm-core=7", "absent", "zypper --non-interactive --quiet search --match-exact --type=package --repo=x rocm-core"),
])
def test_nothing_goes_before_its_successors_are_known_to_be_there(
    remove: t.Callable[..., dict[str, t.Any]], manager: str, present: str, absent: str, asked: str,
) -> None:
    node = Node({"rocminfo"})
    options = {"manager": manager, "repositories": ["x"]}
    assert remove(node, ["rocminfo"], successors=[present, absent], **options)["msg"] == (
        f"{absent}: no repository of this node has it; complete the mirror, or choose another release; nothing was removed")
    assert remove(node, ["rocminfo"], successors=[absent, "absent2"], **options)["msg"].startswith(
        f"{absent}, absent2: no repository of this node has them;")
    assert remove(node, ["rocminfo"], successors=["down"], **options)["msg"] == (
        f"{manager}: ended with {1 if manager == 'dnf' else 4} when asked for down: Failed to download metadata; "
        "see to it that its repositories answer; nothing was removed")
    assert (node.packages, node.told, node.asked[0]) == ({"rocminfo"}, [], asked)
    assert remove(node, ["rocminfo"], successors=[present], **options)["changed"] and not node.packages


def test_apt_was_asked_before(remove: t.Callable[..., dict[str, t.Any]]) -> None:
    node = Node({"rocminfo"})
    assert remove(node, ["rocminfo"], successors=["absent"])["changed"] and node.asked == []


def test_a_removal_that_did_not_happen_is_said(remove: t.Callable[..., dict[str, t.Any]]) -> None:
    result = remove(Node({"rocminfo"}, deaf=True), ["rocminfo"], lock_timeout=7)
    assert result["msg"] == ("removal of packages: apt-get ended with 100, rocminfo left: E: could not get lock; "
                             "see the log of the package manager")


@pytest.mark.parametrize(("purge", "word"), [(False, "remove"), (True, "purge")])
def test_settings_go_on_demand(remove: t.Callable[..., dict[str, t.Any]], purge: bool, word: str) -> None:
    node = Node({"rocminfo"})
    assert remove(node, ["rocminfo"], purge=purge)["changed"] and node.told[-1].endswith(f" {word} rocminfo")


def test_a_pattern_is_refused(remove: t.Callable[..., dict[str, t.Any]]) -> None:
    assert "'rocm*' is not a package name" in remove(Node(()), ["rocm*"])["msg"]
