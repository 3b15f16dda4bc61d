# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Packages by the names that a system has for them, and one of two things that cannot stand side by side."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.stack import Renamed, Served, Side, Stack
from ansible_collections.instinct.fleet.tests.unit.support.rdma import CATALOGUE

LIB = "/usr/lib/libx-rdmav34.so"


@pytest.mark.parametrize(("side", "found"), [
    (Side(("a", "b", "c")), ("a 1", "b 2mlnx3")), (Side(("a", "b"), like="mlnx"), ("b 2mlnx3",)),
    (Side(("a", "b"), unlike="mlnx"), ("a 1",)), (Side(("c",)), ()), (Side(paths=("/usr/lib/libx-rdmav*.so",)), (LIB,)),
    (Side(paths=("/usr/*.so",)), ()), (Side(("a",), ("/usr/lib/libx-rdmav34xso",)), ("a 1",)),
])
def test_a_side(side: Side, found: tuple[str, ...]) -> None:
    assert side.found({"a": "1", "b": "2mlnx3"}, {LIB}) == found


OLD, NEW = {"rdma-core": ("a", "b")}, {"rdma-core": ("a64", "b")}


@pytest.mark.parametrize(("system", "found"), [
    ("ubuntu 22.04", OLD), ("ubuntu 24.04", NEW), ("ubuntu 24.10", NEW), ("debian 12", OLD), ("debian 13", NEW), ("rhel 24.04", OLD), ("", OLD),
    ("arch rolling", OLD)])
def test_packages_have_the_names_of_the_system(system: str, found: dict[str, tuple[str, ...]]) -> None:
    stack = Stack("own", {"apt": OLD}, "", ("a page",), (Renamed("a", "a64", ("debian 13", "ubuntu 24.04")),))
    assert stack.offered("apt", system) == found
    assert stack.offered("dnf", system) == stack.offered(None, system) == {}


@pytest.mark.parametrize("name", sorted(CATALOGUE.families))
def test_each_family_is_served(name: str) -> None:
    assert CATALOGUE.serving(name, "apt")
    assert [one.sources and one.confidence for stack in CATALOGUE.stacks.values() for one in stack.serves if one.family == name]


def test_stacks_of_vendors_and_what_they_serve() -> None:
    assert CATALOGUE.serving("mlx5", "apt") == ("inbox", "doca")
    assert [one.partition(" where ")[0] for one in CATALOGUE.serving("ionic", "apt")] == ["inbox", "pollara"]
    assert [one.partition(" where ")[0] for one in CATALOGUE.serving("bnxt_re", "apt")] == ["inbox", "broadcom"]
    # A stack without packages for the node's manager is no remedy there.
    assert [one.partition(" where ")[0] for one in CATALOGUE.serving("ionic", "dnf")] == ["inbox"] and not CATALOGUE.serving("mlx5", None)
    offered = CATALOGUE.stacks["pollara"].offered("apt", "ubuntu 24.04")
    assert offered["libionic"] == ("libionic1",) and "librdmacm1t64" in offered["rdma-core"]
    assert CATALOGUE.stacks["broadcom"].offered("apt", "ubuntu 22.04")["bnxt-rocelib"] == ("bnxt-rocelib",)


def test_what_serves_a_family_in_words() -> None:
    assert Served("x", "", ("a page",), "documented").told("own") == "own"
    assert Served("x", "it rains", ("a page",), "documented").told("own") == "own where it rains"


DEBIAN = {"rdma-core", "libibverbs1", "ibverbs-providers", "ibverbs-utils", "perftest"}
RHEL = {"rdma-core", "libibverbs", "librdmacm", "libibverbs-utils", "perftest"}
SUSE = {"rdma-core", "libibverbs", "libibverbs1", "librdmacm1", "libibverbs-utils", "perftest"}


# As the distributions have them. source: Packages of main and universe of Debian 12 and 13 and of Ubuntu 22.04, 24.04 and 26.04;
# linux-rdma/rdma-core:redhat/rdma-core.spec, suse/rdma-core.spec
@pytest.mark.parametrize(("manager", "system", "names"), [
    ("apt", "debian 12", {*DEBIAN, "librdmacm1"}), ("apt", "debian 13", {*DEBIAN, "librdmacm1t64"}),
    ("apt", "ubuntu 22.04", {*DEBIAN, "librdmacm1"}), ("apt", "ubuntu 24.04", {*DEBIAN, "librdmacm1t64"}),
    ("apt", "ubuntu 26.04", {*DEBIAN, "librdmacm1t64"}), ("dnf", "rhel 8.10", RHEL), ("dnf", "rocky 9.6", RHEL), ("dnf", "rhel 10.0", RHEL),
    ("zypper", "sles 15.7", SUSE), ("zypper", "sles 16.0", SUSE)])
def test_names_of_packages_on_each_platform(manager: str, system: str, names: set[str]) -> None:
    assert {name for of in CATALOGUE.stacks["inbox"].offered(manager, system).values() for name in of} == names
