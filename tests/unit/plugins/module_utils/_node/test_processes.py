# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Processes of KFD with what /proc adds."""

from __future__ import annotations

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.kfd import Node
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Process, Processes
from ansible_collections.instinct.fleet.plugins.module_utils._node import processes
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree

A, B = "0000:05:00.0", "0000:26:00.0"
NODES = [(A, Node(2, 60723, 0, 0x500, 128, 0, 0, 0)), (B, Node(3, 48483, 0, 0x2600, 136, 0, 0, 0))]
PROC = "/sys/class/kfd/kfd/proc"


def test_read_processes(tree: Tree) -> None:
    tree.fill({
        "/etc/passwd": "alice:x:1000:1000::/:/bin/sh\n", f"{PROC}/4121/vram_60723": "1024\n", f"{PROC}/4121/vram_48483": "512\n",
        f"{PROC}/4121/sdma_60723": "9\n", f"{PROC}/4121/pasid": "32776\n", f"{PROC}/77/vram_48483": "0\n", f"{PROC}/77/vram_5": "1\n",
        "/proc/4121/comm": "python3\n", "/proc/4121/status": "State:\tZ (zombie)\nUid:\t1000\t1000\t1000\t1000\n",
        "/proc/4121/cgroup": "0::/system.slice/slurmd.service/job_1\n"})
    assert processes.read(tree.machine(), True, NODES) == Processes((
        Process(77, gpus=(B,), vram_bytes=1),
        Process(4121, "python3", "alice", "slurmd.service", (A, B), 1536, "Z")))


def test_a_process_that_is_not_visible_from_here_is_still_one(tree: Tree) -> None:
    tree.folder(f"{PROC}/4121")
    assert processes.read(tree.machine(), True, NODES) == Processes((Process(4121),))


def test_an_empty_list_is_no_process(tree: Tree) -> None:
    tree.folder(PROC)
    assert processes.read(tree.machine(), True, NODES) == Processes()


def test_without_driver_there_is_no_process(tree: Tree) -> None:
    assert processes.read(tree.machine(), False, []) == Processes()


def test_a_driver_without_the_list_is_unknown_and_not_idle(tree: Tree) -> None:
    assert processes.read(tree.machine(), True, NODES) == Processes((), {
        "processes": f"amdgpu is loaded but there is no {PROC}"})
