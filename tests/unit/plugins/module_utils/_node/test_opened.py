# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a process has a device open: a real one, and those of a fabricated /proc."""

from __future__ import annotations

import os

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._node.apart import UnreadableError
from ansible_collections.instinct.fleet.plugins.module_utils._node.machine import Machine
from ansible_collections.instinct.fleet.plugins.module_utils._node.opened import refuse_other
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree

DOORS = ["/dev/kfd", "/dev/dri/renderD128"]
MAPPED = "7f00-7f10 rw-s 00000000 00:05 1 /dev/{}\n"


@pytest.fixture
def node(tree: Tree) -> Tree:
    """A process that has the first door open, and other files."""
    for door in DOORS:
        tree.write(door)
    tree.write("/home/x")
    for name, target in (("0", "/home/x"), ("1", "/dev/kfd"), ("2", "/dev/none")):
        tree.link(f"/proc/7/task/7/fd/{name}", target)
    return tree


def refused(tree: Tree, *doors: str) -> str:
    with pytest.raises(UnreadableError) as raised:
        refuse_other(tree.machine(), 7, doors)
    return str(raised.value)


def test_what_is_open(node: Tree) -> None:
    refuse_other(node.machine(), 7, DOORS[:1])
    assert refused(node, *DOORS) == (
        "process 7 has not opened /dev/dri/renderD128: KFD's entry may be of another process that had this number before")


def test_what_is_mapped(node: Tree) -> None:
    node.write("/proc/7/task/7/maps", MAPPED.format("dri/renderD1280"))
    assert "renderD128:" in refused(node, *DOORS)
    node.write("/proc/7/task/7/maps", MAPPED.format("dri/renderD128"))
    refuse_other(node.machine(), 7, DOORS)


def test_a_first_thread_that_ended(node: Tree) -> None:
    node.folder("/proc/7/task/6/fd")
    refuse_other(node.machine(), 7, DOORS[:1])


def test_a_door_that_is_not_there(node: Tree) -> None:
    (node.root / "dev/kfd").unlink()
    assert "/dev/kfd" in refused(node, "/dev/kfd")


def test_a_number_of_nobody(tree: Tree) -> None:
    assert "has not opened /dev/kfd" in refused(tree, "/dev/kfd")


def test_devices_are_the_same_by_any_name() -> None:
    """/dev/null stands for the device: this process opens it by another path."""
    opened = os.open("/dev/fd/../../../dev/null", os.O_PATH)
    try:
        refuse_other(Machine(), os.getpid(), ["/dev/null"])
        with pytest.raises(UnreadableError, match="has not opened /dev/full"):
            refuse_other(Machine(), os.getpid(), ["/dev/full"])
    finally:
        os.close(opened)
