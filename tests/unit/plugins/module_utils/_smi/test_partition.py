# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Modes set through the vendor's own bindings, on the simulated library: what each generation answers and reads back."""

from __future__ import annotations

import fcntl
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._smi.partition import Said, change
from ansible_collections.instinct.fleet.tests.unit.plugins.simulated import BINDINGS, GENERATIONS, SimulatedNode

A, B, C, D = "0000:05:00.0", "0000:26:00.0", "0000:46:00.0", "0000:65:00.0"
SUCCESS = "AMDSMI_STATUS_SUCCESS"
UNAVAILABLE = "Setting is not available"


@pytest.fixture
def node(tmp_path: Path) -> SimulatedNode:
    """Two MI300X with a loaded driver and no ROCm."""
    return made(tmp_path, 2)


def made(path: Path, gpus: int, product: str = "mi300x") -> SimulatedNode:
    """A node on which a change can take its lock."""
    node = SimulatedNode(path, product, gpus)
    node.folder("/run")
    return node


def ask(node: SimulatedNode, kind: str, mode: str, *bdfs: str, seconds: float = 20) -> tuple[Said, ...]:
    """Change the node."""
    return change(node.machine(), kind, mode, bdfs, seconds)


def done(bdf: str, now: str) -> Said:
    """What success looks like."""
    return Said(bdf, 0, SUCCESS, "", now)


@pytest.mark.parametrize("rocm", GENERATIONS)
def test_compute_of_each_gpu(node: SimulatedNode, rocm: str) -> None:
    node.install(rocm)
    assert ask(node, "compute", "CPX", A, B) == (done(A, "CPX"), done(B, "CPX"))
    assert ask(node, "compute", "SPX", B) == (done(B, "SPX"),)  # of its eight handles the first alone can be set
    assert "gpu0.compute=CPX" in node.state.read_text(encoding="utf-8")


@pytest.mark.parametrize(("rocm", "now", "applied"), [
    ("6.2.4", "NPS4", "CPX"), ("6.4.4", "NPS4", "CPX"), ("7.0.2", "NPS1", "SPX"), ("10.1", "NPS1", "SPX"), ("11.0", "NPS1", "SPX")])
def test_memory_is_asked_once_for_a_hive_and_libraries_before_26_load_the_driver(
    node: SimulatedNode, rocm: str, now: str, applied: str
) -> None:
    node.install(rocm)
    assert ask(node, "memory", "NPS4", A, B) == (done(A, now), done(B, now))
    text = node.state.read_text(encoding="utf-8")
    assert ("hive.requested_memory=NPS4" in text) is (now == "NPS1")
    assert f"gpu0.compute={applied}" in text


# id, fault, what is asked for, what the library says and what there is now; a dictionary where bindings differ
ANSWERS: list[tuple[str, str, tuple[str, str], tuple[t.Any, ...]]] = [
    ("a mode that the product does not have", "", ("compute", "TPX"), (55, "SETTING_UNAVAILABLE", UNAVAILABLE, "SPX")),
    ("a process holds the GPU", "busy pid=4194999", ("compute", "CPX"), (30, "BUSY", "Device busy", "SPX")),
    ("the same mode while a process holds it", "busy pid=4194999", ("compute", "SPX"), (0, "SUCCESS", "", "SPX")),
    ("not root", "no_permission", ("compute", "CPX"), (10, "NO_PERM", "Permission Denied", "SPX")),
    ("a virtual function", "vf gpu=all", ("compute", "CPX"), (2, "NOT_SUPPORTED", "Feature not supported", "SPX")),
    ("the GPU is being reset", "resetting times=1", ("compute", "CPX"), (2, "NOT_SUPPORTED", "Feature not supported", "SPX")),
    ("the same memory mode", "", ("memory", "NPS1"), (0, "SUCCESS", "", "NPS1")),
    ("a memory mode that firmware does not offer", "", ("memory", "NPS8"), (1, "INVAL", "Invalid parameters", "NPS1")),
    ("it answers success and does nothing", "set_ignored", ("compute", "CPX"), (0, "SUCCESS", "", "SPX")),
]
# By profile, the library is not asked for what it has no profile of, and 6.2.4 has no words for 55.
OTHERS: dict[tuple[str, str], tuple[t.Any, ...]] = {
    ("6.2.4", "a mode that the product does not have"): (55, "SETTING_UNAVAILABLE", "", "SPX"),
    ("11.0", "a virtual function"): (
        2, "NOT_SUPPORTED", "Feature not supported; not read back: the library says N/A", None),
    ("11.0", "a mode that the product does not have"): (
        None, "", "the library has no profile TPX for this GPU, but SPX, DPX, QPX, CPX", "SPX"),
}


@pytest.mark.parametrize(("name", "fault", "asked", "answer"), ANSWERS, ids=[c[0] for c in ANSWERS])
@pytest.mark.parametrize("rocm", [*BINDINGS, "11.0"])
def test_answers(node: SimulatedNode, rocm: str, name: str, fault: str, asked: tuple[str, str], answer: tuple[t.Any, ...]) -> None:
    node.install(rocm)
    if fault:
        node.simulator("fault", *fault.split())
    code, status, words, now = OTHERS.get((rocm, name), answer)
    assert ask(node, *asked, A) == (Said(A, code, f"AMDSMI_STATUS_{status}" if status else "", words, now),)


@pytest.mark.parametrize("rocm", GENERATIONS)
def test_one_gpu_that_fails_does_not_stop_the_others(tmp_path: Path, rocm: str) -> None:
    node = made(tmp_path, 4)
    node.install(rocm)
    node.simulator("fault", "set_fails", "gpu=1", "code=30")
    node.simulator("fault", "gpu_lost_at_set", "gpu=2")
    first, busy, lost, last = ask(node, "compute", "CPX", A, B, C, D)
    assert (first, last) == (done(A, "CPX"), done(D, "CPX"))
    assert busy == Said(B, 30, "AMDSMI_STATUS_BUSY", "Device busy", "SPX")
    assert (lost.code, lost.now) == (42, None)
    assert lost.words == "unexpected size of data was read; not read back: the library does not list this GPU"


def test_a_gpu_that_is_not_there_is_told(node: SimulatedNode) -> None:
    node.install("7.0.2")
    why = "the library does not list this GPU"
    assert ask(node, "compute", "CPX", C, A) == (Said(C, None, "", why, None), done(A, "CPX"))
    assert ask(node, "memory", "NPS4", C) == (Said(C, None, "", why, None),)


def test_a_hang_is_told_of_the_gpu_at_which_it_came_and_of_those_after_it(node: SimulatedNode) -> None:
    node.install("7.0.2")
    node.simulator("fault", "hang")
    why = "the library did not answer in 4 s (at: amdsmi_init)"
    assert ask(node, "compute", "CPX", A, B, seconds=4) == (Said(A, None, "", why, None), Said(B, None, "", why, None))


# What a binding does with its second GPU, how that ends, and what is told of it
BROKEN = [
    ("it crashes", "ctypes.string_at(0)", "the library crashed with SIGSEGV"),
    ("it hangs", "__import__('signal').pause()", "the library did not answer in 6 s"),
    ("it ends the process", "__import__('os')._exit(3)", "exit code 3"),
]


@pytest.mark.parametrize(("does", "how"), [c[1:] for c in BROKEN], ids=[c[0] for c in BROKEN])
def test_what_was_done_before_a_crash_stays_told(tmp_path: Path, does: str, how: str) -> None:
    node = made(tmp_path, 3)
    path = node.root / f"{node.install('7.0.2')}/share/amd_smi/amdsmi/__init__.py".lstrip("/")
    path.write_text(f"""{path.read_text(encoding="utf-8")}
import ctypes
_set = amdsmi_set_gpu_compute_partition
def amdsmi_set_gpu_compute_partition(handle, mode):
    if amdsmi_get_gpu_device_bdf(handle) == {B!r}:
        {does}
    _set(handle, mode)
""", encoding="utf-8")
    why = f"{how} (at: setting CPX on {B})"
    assert ask(node, "compute", "CPX", A, B, C, seconds=6) == (
        done(A, "CPX"), Said(B, None, "", why, None), Said(C, None, "", why, None))


def test_one_change_at_a_time(node: SimulatedNode) -> None:
    node.install("7.0.2")
    path = node.write("/run/instinct-smi.lock")
    with open(path, "w", encoding="utf-8") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        why = f"the library did not answer in 4 s (at: waiting for {path})"
        assert ask(node, "compute", "CPX", A, seconds=4) == (Said(A, None, "", why, None),)
    assert ask(node, "compute", "CPX", A) == (done(A, "CPX"),)


def test_a_lock_that_cannot_be_opened_is_told(node: SimulatedNode) -> None:
    node.install("7.0.2")
    (node.root / "run").rmdir()
    why = f"the lock {node.root}/run/instinct-smi.lock cannot be opened: No such file or directory"
    assert ask(node, "compute", "CPX", A) == (Said(A, None, "", why, None),)


# id, files that are other, why the library is not called
REFUSALS: list[tuple[str, dict[str, str | None], str]] = [
    ("no driver", {"/sys/module/amdgpu/initstate": None}, "amdgpu is not loaded (initstate absent), the library is not called"),
    ("a GPU sleeps", {f"/sys/bus/pci/devices/{B}/power/runtime_status": "suspended\n"},
     f"{B} suspended: the library would wake it, so it is not called"),
    ("no binding", {"/opt/rocm": None}, "no amdsmi binding in any Python of the system, and there is no ROCm"),
]


@pytest.mark.parametrize(("files", "why"), [c[1:] for c in REFUSALS], ids=[c[0] for c in REFUSALS])
def test_when_the_library_is_not_called(node: SimulatedNode, files: dict[str, str | None], why: str) -> None:
    (node.root / node.install("7.0.2").lstrip("/")).rename(node.root / "opt/rocm-x")
    (node.root / "opt/rocm").unlink()
    node.link("/opt/rocm", "rocm-x")
    for path, text in files.items():
        (node.root / path.lstrip("/")).unlink()
        if text is not None:
            node.write(path, text)
    if "/opt/rocm" in files:
        (node.root / "opt/rocm-x").rename(node.root / "opt/gone")
    assert ask(node, "compute", "CPX", A) == (Said(A, None, "", why, None),)


def test_without_a_gpu_nothing_is_started(tmp_path: Path) -> None:
    node = made(tmp_path, 1)
    node.simulator("fault", "gpu_lost", "gpu=0")
    assert ask(node, "compute", "CPX", A)[0].code is None
