# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is to be seen of reservations on a fabricated node."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Process, Processes
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation import record
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.verdict_holder import Hold
from ansible_collections.instinct.fleet.plugins.module_utils._node.apart import UnreadableError
from ansible_collections.instinct.fleet.plugins.module_utils._reservation import seen
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import KFD, Tree
from ansible_collections.instinct.fleet.tests.unit.support.trespass import RECORD

A, B = "0000:05:00.0", "0000:26:00.0"


@pytest.fixture
def node(tree: Tree) -> Tree:
    """A whole GPU and one of two partitions; one process."""
    for bdf in (A, B):
        tree.pci(bdf)
    whole, first, second = (tree.kfd_node(number, location, minor) for number, location, minor in
                            ((2, 0x500, 128), (3, 0x2600, 136), (4, 0x2601, 137)))
    tree.fill({f"{KFD}/proc/7/vram_{whole}": "0\n", f"{KFD}/proc/7/vram_{first}": "0\n", f"{KFD}/proc/7/vram_{second}": "5\n",
               f"{KFD}/proc/7/queues/.keep": "", "/dev/kfd": "",
               "/sys/module/amdgpu/initstate": "live\n", "/proc/7/status": "Uid:\t0\t0\n"})
    return tree


def test_a_node_that_was_told_of_nothing(node: Tree) -> None:
    found = seen.look(node.machine())
    assert found.record is None
    assert [(one.id, one.render_node) for one in found.devices] == [
        (A, "/dev/dri/renderD128"), (f"{B}-0", "/dev/dri/renderD136"), (f"{B}-1", "/dev/dri/renderD137")]
    assert [one.holds for one in found.held.holders] == [(Hold(A, 0, 0), Hold(f"{B}-0", 0, 0), Hold(f"{B}-1", 5, 0))]
    assert found.held.holders[0].unknown["open"].startswith("process 7 has not opened /dev/kfd, /dev/dri/renderD137: ")
    assert (list(found.held.unknown), found.at > 1.7e9, abs(found.zone) <= 14 * 60) == (["library"], True, True)


def test_a_library_that_answers(node: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    node.fill({"/proc/9/status": "Uid:\t1000\t1000\n"})
    monkeypatch.setattr(seen.partition, "holders", lambda *_given: Processes((Process(9, gpus=(A,)),), {"processes.x": "no list"}))
    found = seen.look(node.machine()).held
    assert ([(one.pid, [hold.device for hold in one.holds if hold.real]) for one in found.holders], found.unknown) == ([(7, [f"{B}-1"]), (9, [A])], {})


def test_the_record(node: Tree) -> None:
    node.write(record.PATH, record.text(RECORD))
    assert seen.look(node.machine()).record == RECORD
    node.write(record.PATH, "{")
    with pytest.raises(DataError, match=r"reservation\.json"):
        seen.look(node.machine())


def test_devices_that_cannot_be_told_hide_their_holders(node: Tree) -> None:
    node.write(f"{KFD}/topology/nodes/4/properties", "simd_count many\n")
    assert list(seen.look(node.machine()).held.unknown) == ["processes", "library"]


def test_the_time_that_is_left_for_the_library(node: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = node.machine(timeout=0.5)
    assert 0.1 < seen._left(machine) <= 0.5

    def none() -> float:
        raise UnreadableError("the time is used up")

    monkeypatch.setattr(machine, "left", none)
    assert seen._left(machine) == 0.1
