# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The setting program in pieces: which call of a binding it takes, and what it says line by line."""

from __future__ import annotations

import types
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._smi import amdsmi_set
from ansible_collections.instinct.fleet.tests.unit.plugins.bindings import LibraryError, binding, throw

A, B, C = "0000:05:00.0", "0000:26:00.0", "0000:46:00.0"
MODES = types.SimpleNamespace(SPX="spx", CPX="cpx", NPS1="nps1", NPS4="nps4")
NAMES = {"AmdSmiComputePartitionType": MODES, "AmdSmiMemoryPartitionType": MODES}
UNBOUND = "UnboundLocalError cannot access local variable 'profile_type_ret'"


def profiles(*names: str) -> t.Callable[[t.Any], dict[str, t.Any]]:
    """The profiles that a GPU has, numbered as a library does it."""
    return lambda _handle: {"profiles": [{"profile_type": name, "profile_index": at} for at, name in enumerate(names)]}


# id, kind, mode, functions that the binding has -> what each answers; calls that are made, and the answer
CHOICES: list[tuple[str, str, str, dict[str, t.Any], list[t.Any], dict[str, t.Any]]] = [
    ("by name, though there are profiles", "compute", "CPX",
     {"amdsmi_set_gpu_compute_partition": None, "amdsmi_set_gpu_accelerator_partition_profile": None,
      "amdsmi_get_gpu_accelerator_partition_profile_config": profiles("SPX", "CPX")},
     [("amdsmi_set_gpu_compute_partition", "h", "cpx")], {"code": 0}),
    ("by the index that this GPU has it under", "compute", "CPX",
     {"amdsmi_set_gpu_accelerator_partition_profile": None,
      "amdsmi_get_gpu_accelerator_partition_profile_config": profiles("SPX", "TPX", "CPX")},
     [("amdsmi_set_gpu_accelerator_partition_profile", "h", 2)], {"code": 0}),
    ("no such profile", "compute", "CPX", {"amdsmi_get_gpu_accelerator_partition_profile_config": profiles("SPX")}, [],
     {"code": None, "words": "the library has no profile CPX for this GPU, but SPX"}),
    ("no profile at all", "compute", "CPX", {"amdsmi_get_gpu_accelerator_partition_profile_config": profiles()}, [],
     {"code": None, "words": "the library has no profile CPX for this GPU, but none at all"}),
    ("no profile, and a mistake of the binding", "compute", "CPX",
     {"amdsmi_get_gpu_accelerator_partition_profile_config": throw(UnboundLocalError(UNBOUND[18:]))}, [],
     {"code": None, "words": UNBOUND}),
    ("profiles that only root may see", "compute", "CPX",
     {"amdsmi_get_gpu_accelerator_partition_profile_config": throw(LibraryError(10))}, [],
     {"code": 10, "status": "AMDSMI_STATUS_NO_PERM", "words": ""}),
    ("neither call", "compute", "CPX", {}, [], {"code": None, "words": "AttributeError 'types.SimpleNamespace' object has "
     "no attribute 'amdsmi_get_gpu_accelerator_partition_profile_config'"}),
    ("memory by the newer name", "memory", "NPS4",
     {"amdsmi_set_gpu_memory_partition": None, "amdsmi_set_gpu_memory_partition_mode": None},
     [("amdsmi_set_gpu_memory_partition_mode", "h", "nps4")], {"code": 0}),
    ("memory by the older name", "memory", "NPS4", {"amdsmi_set_gpu_memory_partition": None},
     [("amdsmi_set_gpu_memory_partition", "h", "nps4")], {"code": 0}),
    ("a mode that the binding does not know", "compute", "XPX", {"amdsmi_set_gpu_compute_partition": None}, [],
     {"code": None, "words": "AttributeError 'types.SimpleNamespace' object has no attribute 'XPX'"}),
    ("a status that the exception has no words for", "compute", "CPX",
     {"amdsmi_set_gpu_compute_partition": throw(LibraryError(55))}, [],
     {"code": 55, "status": "AMDSMI_STATUS_SETTING_UNAVAILABLE", "words": ""}),
    ("a status that the binding does not know", "compute", "CPX",
     {"amdsmi_set_gpu_compute_partition": throw(LibraryError(99))}, [],
     {"code": 99, "status": "AMDSMI_STATUS_X", "words": "words"}),
]


@pytest.mark.parametrize(("kind", "mode", "functions", "calls", "answer"), [c[1:] for c in CHOICES], ids=[c[0] for c in CHOICES])
def test_which_call_is_taken(
    kind: str, mode: str, functions: dict[str, t.Any], calls: list[t.Any], answer: dict[str, t.Any]
) -> None:
    made: list[t.Any] = []
    of = {name: what or (lambda *given, name=name: made.append((name, *given))) for name, what in functions.items()}
    names = {10: "AMDSMI_STATUS_NO_PERM", 55: "AMDSMI_STATUS_SETTING_UNAVAILABLE"}
    amdsmi = binding(**of, **NAMES, amdsmi_wrapper=types.SimpleNamespace(amdsmi_status_t__enumvalues=names))
    said = amdsmi_set.attempt(amdsmi, kind, mode, "h")
    assert made == calls
    assert {name: said[name] for name in answer} == answer


def library(**functions: t.Callable[..., t.Any]) -> types.SimpleNamespace:
    """Three GPUs, the first and the last in one hive; the first has a second partition. Handles are (GPU, partition)."""
    return binding(**{
        "amdsmi_init": lambda: None, "amdsmi_shut_down": lambda: None,
        "amdsmi_get_processor_handles": lambda: [(A, 0), (A, 1), (B, 0), (C, 0)],
        "amdsmi_get_gpu_device_bdf": lambda handle: handle[0],
        "amdsmi_get_gpu_kfd_info": lambda handle: {"current_partition_id": handle[1]},
        "amdsmi_get_xgmi_info": lambda handle: {"xgmi_hive_id": {A: 7, B: 0, C: 7}[handle[0]]},
        "amdsmi_get_gpu_memory_partition": lambda handle: "NPS1",
        **NAMES, "amdsmi_wrapper": types.SimpleNamespace(), **functions})


def run(amdsmi: t.Any, tmp_path: Path, kind: str, mode: str) -> list[dict[str, t.Any]]:
    """What the program says of all three GPUs, without its steps."""
    (tmp_path / "initstate").write_text("live\n")
    request = {"lock": str(tmp_path / "lock"), "initstate": str(tmp_path / "initstate"), "patience": 0.3,
               "change": {"kind": kind, "mode": mode, "bdfs": [A, B, C]}}
    said: list[dict[str, t.Any]] = []
    amdsmi_set.work(amdsmi, request, lambda **line: said.append(line))
    return [line["told"] for line in said if "told" in line]


@pytest.mark.parametrize(("info", "asked"), [
    (None, [(A, 0), (B, 0)]), (throw(LibraryError(2)), [(A, 0), (B, 0), (C, 0)]),
    (lambda _h: {"xgmi_hive_id": "N/A"}, [(A, 0), (B, 0), (C, 0)])], ids=["a hive and one alone", "no hives", "unknown hives"])
def test_memory_is_asked_of_one_gpu_of_each_hive(tmp_path: Path, info: t.Any, asked: list[t.Any]) -> None:
    made: list[t.Any] = []
    other = {"amdsmi_get_xgmi_info": info} if info else {}
    amdsmi = library(amdsmi_set_gpu_memory_partition=lambda handle, _mode: made.append(handle), **other)
    told = run(amdsmi, tmp_path, "memory", "NPS4")
    assert made == asked
    assert {bdf: sum(bdf in line for line in told) for bdf in (A, B, C)} == {A: 2, B: 2, C: 2}


def test_what_was_set_is_read_in_another_session(tmp_path: Path) -> None:
    calls: list[str] = []
    amdsmi = library(
        amdsmi_init=lambda: calls.append("init"), amdsmi_shut_down=lambda: calls.append("shut down"),
        amdsmi_set_gpu_compute_partition=lambda handle, mode: calls.append(f"set {handle[0]} {handle[1]}"),
        amdsmi_get_gpu_compute_partition=lambda handle: calls.append(f"read {handle[0]} {handle[1]}") or "CPX")
    told = run(amdsmi, tmp_path, "compute", "CPX")
    assert calls == ["init", f"set {A} 0", "shut down", "init", f"read {A} 0", f"set {B} 0", "shut down",
                     "init", f"read {B} 0", f"set {C} 0", "shut down", "init", f"read {C} 0", "shut down"]
    success = {"code": 0, "status": "AMDSMI_STATUS_SUCCESS", "words": ""}
    assert told[0] == {A: success}
    assert told[1][A]["now"] == "CPX"


def test_the_driver_is_waited_for_but_not_for_ever(tmp_path: Path) -> None:
    amdsmi = library(
        amdsmi_set_gpu_memory_partition=lambda _h, _m: (tmp_path / "initstate").write_text("coming\n"),
        amdsmi_get_xgmi_info=lambda handle: {"xgmi_hive_id": 7})
    told = run(amdsmi, tmp_path, "memory", "NPS4")
    assert [line[A] for line in told] == [{"code": 0, "status": "AMDSMI_STATUS_SUCCESS", "words": ""}]
