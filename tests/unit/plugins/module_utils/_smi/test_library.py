# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The vendor's own bindings on the simulated library: every version, every trap."""

from __future__ import annotations

import dataclasses as dc
import sys
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Health, Smi
from ansible_collections.instinct.fleet.plugins.module_utils._node import pci
from ansible_collections.instinct.fleet.plugins.module_utils._smi.library import Library
from ansible_collections.instinct.fleet.plugins.module_utils._smi.port import Answer
from ansible_collections.instinct.fleet.tests.unit.plugins.simulated import BINDINGS, SimulatedNode

A = "0000:05:00.0"
LIBRARIES = {"6.2.4": "24.6.3", "6.4.4": "25.5.1", "7.0.2": "26.0.2"}


@pytest.fixture
def node(tmp_path: Path) -> SimulatedNode:
    """Two MI300X with a loaded driver and no ROCm."""
    return SimulatedNode(tmp_path)


def ask(node: SimulatedNode, seconds: float = 20) -> Answer:
    """What the library says about the node."""
    machine = node.machine()
    return Library(machine, pci.read(machine)).answer(seconds)


def stub(node: SimulatedNode, source: str, version: str = "26.0.2") -> str:
    """Put a binding of our own beside a library that answers its version. Returns its prefix."""
    prefix = node.install("7.0.2")
    folder = f"{prefix}/share/amd_smi/amdsmi"
    node.write(f"{folder}/_version.py", f'__version__ = "{version}"\n')
    node.write(f"{folder}/__init__.py", f"class AmdSmiException(Exception):\n    pass\n\nimport os, ctypes\n"
               f"ctypes.CDLL(os.environ['AMDSMI_LIB_OVERRIDE'])\n{source}\n")
    return prefix


@pytest.mark.parametrize("rocm", BINDINGS)
def test_every_binding_answers(node: SimulatedNode, rocm: str) -> None:
    prefix = node.install(rocm)
    answer = ask(node)
    assert answer.smi == Smi(
        source="amdsmi", binding_path=f"{prefix}/share/amd_smi/amdsmi", binding_version=rocm,
        library_path=f"{prefix}/lib/libamd_smi.so", library_version=LIBRARIES[rocm], mismatch=False, simulated=True)
    assert list(answer.readings) == [A, "0000:26:00.0"]
    reading = answer.readings[A]
    assert (reading.market_name, reading.vram_bytes, reading.compute_partition, reading.memory_partition) == (
        "AMD Instinct MI300X", 206141652992, "SPX", "NPS1")
    assert (reading.errors.correctable, reading.errors.uncorrectable, reading.errors.bad_pages) == (0, 0, 0)
    assert (reading.pcie.width, reading.pcie.speed_mts, reading.power_cap_w) == (16, 32000, 750)


def test_bindings_differ_in_what_they_cannot_tell(node: SimulatedNode) -> None:
    node.install("6.2.4")
    reading = ask(node).readings[A]
    assert (reading.virtual_function, reading.available_memory) == (None, ())
    assert reading.unknown == {
        "virtual_function": "amdsmi_get_gpu_virtualization_mode is not in this binding",
        "available_memory": "amdsmi_get_gpu_memory_partition_config is not in this binding"}


@pytest.mark.parametrize("rocm", BINDINGS)
def test_partitions_are_read_anew_each_time(node: SimulatedNode, rocm: str) -> None:
    prefix = node.install(rocm)
    assert ask(node).readings[A].compute_partition == "SPX"
    script = (f"import sys; sys.path.insert(0, '{node.root}{prefix}/share/amd_smi'); import amdsmi as a; a.amdsmi_init();"
              "a.amdsmi_set_gpu_compute_partition(a.amdsmi_get_processor_handles()[0], a.AmdSmiComputePartitionType.CPX)")
    ran = node.machine().run("/usr/bin/env", f"ROCM_PATH={node.root}{prefix}", sys.executable, "-c", script)
    assert (ran.code, ran.stderr) == (0, "")
    readings = ask(node).readings
    assert [r.compute_partition for r in readings.values()] == ["CPX", "SPX"]
    # 6.2 cannot number partitions; 6.4 gives all of them one UUID.
    assert list(readings[A].partition_uuids) == {"6.2.4": [0], "6.4.4": [], "7.0.2": list(range(8))}[rocm]
    assert readings[A].unknown.get("partitions.uuid") == {
        "6.4.4": "the library gives all partitions the UUID of the GPU"}.get(rocm)


# id, status codes by call, what changes in the reading
STATUS: list[tuple[str, dict[str, int], dict[str, t.Any]]] = [
    ("not supported is absent", {"amdsmi_get_temp_metric": 2}, {"temperature_hotspot_c": None, "temperature_memory_c": None}),
    ("no permission is unknown", {"amdsmi_get_gpu_device_uuid": 10}, {
        "uuid": None, "partition_uuids": {}, "unknown": {"uuid": "amdsmi_get_gpu_device_uuid: error 10 AMDSMI_STATUS_NO_PERM - Permission Denied"}}),
    ("busy is unknown", {"amdsmi_get_gpu_compute_partition": 30}, {
        "compute_partition": None, "unknown": {"compute_partition": "amdsmi_get_gpu_compute_partition: error 30 AMDSMI_STATUS_BUSY - Device busy"}}),
    ("errors that the binding swallows are never asked for", {"amdsmi_get_gpu_accelerator_partition_profile": 30}, {}),
]


@pytest.mark.parametrize(("codes", "changed"), [c[1:] for c in STATUS], ids=[c[0] for c in STATUS])
@pytest.mark.parametrize("rocm", ["6.4.4", "7.0.2"])
def test_status_codes(node: SimulatedNode, rocm: str, codes: dict[str, int], changed: dict[str, t.Any]) -> None:
    node.install(rocm)
    before = ask(node).readings[A]
    for function, code in codes.items():
        node.status(function, code)
    after = ask(node).readings[A]
    reasons = {field: why for field, why in after.unknown.items() if field not in before.unknown}
    assert reasons == changed.get("unknown", {})
    assert after == dc.replace(before, **{**changed, "unknown": after.unknown})


def test_mixed_versions_are_told_and_the_binding_is_not_even_imported(node: SimulatedNode) -> None:
    prefix = stub(node, f"open({str(node.root / 'imported')!r}, 'w')", version="25.5.1")
    answer = ask(node)
    assert answer.readings == {}
    assert answer.smi == Smi(
        source="none", binding_path=f"{prefix}/share/amd_smi/amdsmi", binding_version="25.5.1",
        library_path=f"{prefix}/lib/libamd_smi.so", library_version="26.0.2", mismatch=True, simulated=True,
        error="amdsmi binding 25.5.1 does not belong to library 26.0.2 of ROCm 7.0.2, so it is not called; "
        "install the binding of this ROCm")
    assert not (node.root / "imported").exists()


# id, source of a binding of our own, error, mismatch
TRAPS = [
    ("it finds no library, as bindings up to 7.13 say it", "print('Could not load'); raise KeyError('libamd_smi.so')",
     "the binding finds no library (KeyError 'libamd_smi.so')", False),
    ("it imports and fails at the first call, as 10.x does", "def amdsmi_init(): raise OSError('libamd_smi.so.27: cannot open')",
     "the library cannot be loaded: libamd_smi.so.27: cannot open", False),
    ("a symbol is missing", "raise AttributeError('undefined symbol: amdsmi_get_x')",
     "binding and library do not belong together: undefined symbol: amdsmi_get_x", True),
    ("it crashes in init", "def amdsmi_init(): ctypes.string_at(0)", "the library crashed with SIGSEGV (at: amdsmi_init)", False),
    ("it hangs in init", "import signal\ndef amdsmi_init(): signal.pause()",
     "the library did not answer in 2 s (at: amdsmi_init)", False),
    ("the driver is not loaded after all", "def amdsmi_init(): raise AmdSmiException('Error code:\\n\\t34 | DRIVER_NOT_LOADED')",
     "amdsmi: error  DRIVER_NOT_LOADED", False),
    ("it ends the process", "import os\nos._exit(3)", "exit code 3 (at: importing amdsmi)", False),
]


@pytest.mark.parametrize(("source", "error", "mismatch"), [c[1:] for c in TRAPS], ids=[c[0] for c in TRAPS])
def test_traps_of_a_binding(node: SimulatedNode, source: str, error: str, mismatch: bool) -> None:
    stub(node, source)
    answer = ask(node, seconds=2)
    assert (answer.smi.source, answer.smi.error, answer.smi.mismatch) == ("none", error, mismatch)
    assert (answer.smi.library_version, answer.readings) == ("26.0.2", {})


def test_noise_does_not_reach_the_answer(node: SimulatedNode) -> None:
    stub(node, "print('noise')\nos.write(1, b'{\"error\": \"noise\"}')\nos.write(2, b'noise')\ndef amdsmi_init(): print('x')\n"
         "def amdsmi_get_processor_handles(): return []\ndef amdsmi_shut_down(): print('y')\nclass AmdSmiLibraryException(Exception): pass")
    assert ask(node).smi.source == "amdsmi"


def test_the_binding_must_load_the_library_that_was_looked_at(node: SimulatedNode) -> None:
    prefix = stub(node, "ctypes.CDLL(__file__.replace('__init__.py', 'libamd_smi.so'))")
    library = node.root / f"{prefix}/lib/libamd_smi.so".lstrip("/")
    node.write(f"{prefix}/share/amd_smi/amdsmi/libamd_smi.so", library.read_bytes())
    answer = ask(node)
    assert answer.smi.mismatch is True
    assert "the binding loaded" in (answer.smi.error or "")


def test_a_real_hang_of_the_simulated_library(node: SimulatedNode) -> None:
    node.install("7.0.2")
    node.simulator("fault", "hang")
    assert ask(node, seconds=1).smi.error == "the library did not answer in 1 s (at: amdsmi_init)"


REFUSALS = [
    ("the driver is not loaded", {"/sys/module/amdgpu/initstate": None},
     "amdgpu is not loaded (initstate absent), the library is not called"),
    ("the driver is being loaded", {"/sys/module/amdgpu/initstate": "coming\n"},
     "amdgpu is not loaded (initstate coming), the library is not called"),
    ("a GPU sleeps", {"/sys/bus/pci/devices/0000:26:00.0/power/runtime_status": "suspended\n"},
     "0000:26:00.0 suspended: the library would wake it, so it is not called"),
]


@pytest.mark.parametrize(("files", "error"), [c[1:] for c in REFUSALS], ids=[c[0] for c in REFUSALS])
def test_when_the_library_is_not_called(node: SimulatedNode, files: dict[str, str | None], error: str) -> None:
    stub(node, f"open({str(node.root / 'imported')!r}, 'w')")
    for path, text in files.items():
        (node.root / path.lstrip("/")).unlink()
        if text is not None:
            node.write(path, text)
    answer = ask(node)
    assert (answer.smi.error, answer.smi.library_version, answer.smi.mismatch) == (error, "26.0.2", False)
    assert not (node.root / "imported").exists()


def test_another_python_is_tried_where_ours_cannot_import_the_binding(node: SimulatedNode) -> None:
    stub(node, "if 'OTHER_PYTHON' not in os.environ: raise ImportError('No module named yaml')\ndef amdsmi_init(): pass\n"
         "def amdsmi_get_processor_handles(): return []\ndef amdsmi_shut_down(): pass\nclass AmdSmiLibraryException(Exception): pass")
    assert ask(node).smi.error == "the binding cannot be imported: No module named yaml"
    node.write("/usr/bin/python3", f'#!/bin/sh\nOTHER_PYTHON=1 exec {sys.executable} "$@"\n').chmod(0o755)
    assert ask(node).smi.source == "amdsmi"


def test_without_binding_or_library_nothing_is_started(node: SimulatedNode) -> None:
    assert ask(node).smi == Smi(error="no amdsmi binding in any Python of the system, and there is no ROCm")
    prefix = node.install("7.0.2")
    (node.root / f"{prefix}/lib/libamd_smi.so".lstrip("/")).unlink()
    why = f"the amdsmi binding is in {prefix}/share/amd_smi, but there is no libamd_smi.so"
    assert ask(node) == Answer(Smi(error=why), health=Health(unknown={"gpus": why}))


def test_a_node_is_left_as_it_was(node: SimulatedNode) -> None:
    node.install("7.0.2")

    def everything() -> dict[str, tuple[int, int]]:
        return {str(p): (p.lstat().st_mtime_ns, p.lstat().st_size) for p in node.root.rglob("*")}

    before = everything()
    assert ask(node).smi.source == "amdsmi"
    assert everything() == before
