# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""package_hold against a dpkg that keeps state."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.act.holds import parse_selections
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.modules import package_hold
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
