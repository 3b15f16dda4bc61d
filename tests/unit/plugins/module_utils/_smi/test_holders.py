# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who holds GPUs, as the vendor's library lists it."""

from __future__ import annotations

import os
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Process, Processes
from ansible_collections.instinct.fleet.plugins.module_utils._smi import amdsmi_processes
from ansible_collections.instinct.fleet.plugins.module_utils._smi.partition import holders
from ansible_collections.instinct.fleet.tests.unit.plugins.bindings import binding
from ansible_collections.instinct.fleet.tests.unit.plugins.simulated import GENERATIONS, SimulatedNode

A, B = "0000:05:00.0", "0000:26:00.0"


@pytest.fixture
def node(tmp_path: Path) -> SimulatedNode:
    """Two MI300X, the second of them in use."""
    node = SimulatedNode(tmp_path)
    node.simulator("fault", "busy", "pid=4194999", "gpu=1", "name=trainer")
    node.simulator("fault", "zombie", "pid=4194998")  # KFD alone has it
    return node


@pytest.mark.parametrize("rocm", GENERATIONS)
def test_every_binding_lists_the_processes(node: SimulatedNode, rocm: str) -> None:
    node.install(rocm)
    seen = holders(node.machine(uid=0), 20)
    assert [(p.pid, p.command, B in p.gpus) for p in seen.processes] == [(4194999, "trainer", True)]
    assert seen.unknown == {}


def test_only_root_sees_all(node: SimulatedNode) -> None:
    node.install("7.0.2")
    seen = holders(node.machine(uid=1000), 20)
    assert (len(seen.processes), seen.unknown) == (1, {"processes": "only root sees the processes of others"})


def test_a_gpu_without_a_list_says_why(node: SimulatedNode) -> None:
    node.install("7.0.2")
    node.status("amdsmi_get_gpu_process_list", 10)
    why = "amdsmi_get_gpu_process_list: error 10 AMDSMI_STATUS_NO_PERM - Permission Denied"
    assert holders(node.machine(uid=0), 20) == Processes((), {f"processes.{A}": why, f"processes.{B}": why})


def test_why_nothing_is_known(node: SimulatedNode) -> None:
    why = "no amdsmi binding in any Python of the system, and there is no ROCm"
    assert holders(node.machine(uid=0), 20) == Processes((), {"processes": why})
    node.install("7.0.2")
    node.simulator("fault", "hang")
    why = "the library did not answer in 4 s (at: amdsmi_init)"
    assert holders(node.machine(uid=0), 4) == Processes((), {"processes": why})


# id, what the binding's list is, what is told of it
LISTS: list[tuple[str, t.Callable[..., t.Any], dict[str, t.Any]]] = [
    ("names, and none", lambda _h: [{"pid": 7, "name": "N/A"}, {"pid": 5, "name": "a"}, {"pid": 6, "name": ""}],
     {"processes": [(5, "a"), (6, None), (7, None)], "unknown": {}}),
    ("the asking process, as before 10.0", lambda _h: [{"pid": os.getpid(), "name": "python3"}], {"processes": [], "unknown": {}}),
    ("no pids", lambda _h: [{"pid": 0, "name": "x"}, {"pid": "N/A", "name": "x"}, {}], {"processes": [], "unknown": {}}),
    ("a name that is no text", lambda _h: [{"name": b"\xff".decode()}], {"processes": [], "unknown": {
        "processes": "amdsmi_get_gpu_process_list: UnicodeDecodeError 'utf-8' codec can't decode byte 0xff in position 0: "
        "invalid start byte"}}),
]


@pytest.mark.parametrize(("function", "told"), [c[1:] for c in LISTS], ids=[c[0] for c in LISTS])
def test_what_is_told_of_a_list(function: t.Callable[..., t.Any], told: dict[str, t.Any]) -> None:
    said: list[dict[str, t.Any]] = []
    amdsmi = binding(
        amdsmi_init=lambda: None, amdsmi_shut_down=lambda: None, amdsmi_get_processor_handles=lambda: ["h"],
        amdsmi_get_gpu_device_bdf=lambda _h: A.upper(), amdsmi_get_gpu_kfd_info=lambda _h: {"current_partition_id": 0},
        amdsmi_get_gpu_process_list=function)
    amdsmi_processes.work(amdsmi, {}, lambda **line: said.append(line))
    assert said[-1] == {"told": {A: told}}


def test_a_process_of_two_gpus_is_one(node: SimulatedNode) -> None:
    node.install("7.0.2")
    assert holders(node.machine(uid=0), 20).processes == (Process(4194999, "trainer", gpus=(A, B)),)
