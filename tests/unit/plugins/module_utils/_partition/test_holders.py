# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who holds GPUs, by two lists."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.plugins.module_utils._node.machine import Machine
from ansible_collections.instinct.fleet.plugins.module_utils._partition import eyes, holders
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree
from ansible_collections.instinct.fleet.tests.unit.plugins.partition_world import A, B, World, process


@pytest.fixture(autouse=True)
def files(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> Tree:
    """The processes of the node."""
    def machine(seconds: float) -> Machine:
        return tree.machine(timeout=seconds)

    monkeypatch.setattr(eyes, "machine", machine)
    return tree


def test_each_process_counts_once_and_kfd_knows_it_best(world: World) -> None:
    world.processes, world.others = [process(7, "a.service")], [process(7)]
    assert holders.listed() == ((process(7, "a.service"),), None)


def test_what_the_library_alone_lists_gets_its_unit_and_name(world: World, files: Tree) -> None:
    files.fill({"/proc/9/comm": "Xorg\n", "/proc/9/cgroup": "0::/system.slice/gdm.service\n"})
    world.others = [process(9, command=None, gpus=(B,))]
    (found,), _unknown = holders.listed()
    assert (found.pid, found.command, found.unit, found.gpus) == (9, "Xorg", "gdm.service", (B,))


def test_the_name_of_the_library_stands_where_the_node_has_none(world: World, files: Tree) -> None:
    files.folder("/proc/9")
    world.others = [process(9)]
    assert holders.listed()[0][0].command == "python3"


def test_what_is_gone_by_then_does_not_count(world: World) -> None:
    world.others = [process(9)]
    assert holders.listed() == ((), None)


def test_what_cannot_be_read_counts(world: World, files: Tree) -> None:
    files.folder("/proc/9/comm")
    world.others = [process(9)]
    assert holders.listed() == ((process(9),), None)


def test_why_the_list_is_not_known(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.untold = {"processes": "no such list"}
    assert holders.listed() == ((), "no such list")
    monkeypatch.setattr(eyes, "look", lambda _sections: lk.Look())
    assert holders.listed() == ((), "it was not looked at")


def test_refused_after_a_while(world: World) -> None:
    world.processes = [process(7)]
    with pytest.raises(FleetError, match="pid 7"):
        holders.refuse((A,), (), 0.05)
    assert len(world.log) > 1
    holders.refuse((B,))
    holders.refuse((), ())
