# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the child programs share: what they say before they do anything, and plain data. Whole runs are in test_library.py."""

from __future__ import annotations

import enum
import json
import sys
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._node.command import Command
from ansible_collections.instinct.fleet.plugins.module_utils._smi import amdsmi, amdsmi_read, child
from ansible_collections.instinct.fleet.tests.unit.plugins.bindings import LibraryError, binding, throw

PROFILE = "amdsmi_get_gpu_accelerator_partition_profile"


def lines(request: dict[str, t.Any]) -> list[dict[str, t.Any]]:
    """Run the program with a request."""
    ran = Command([sys.executable, *child.arguments([amdsmi_read], request)]).wait(20)
    assert (ran.code, ran.stderr) == (0, "")
    return [json.loads(line) for line in ran.stdout.splitlines()]


def test_a_library_that_cannot_be_loaded(tmp_path: Path) -> None:
    library = tmp_path / "libamd_smi.so"
    library.write_text("text")
    said = lines({"binding": str(tmp_path), "library": str(library), "accept": [[26, 0]], "call": True})
    assert said[0] == {"step": f"loading {library}"}
    assert said[1]["error"].startswith("the library cannot be loaded: ")


def test_a_library_of_something_else() -> None:
    said = lines({"binding": "/", "library": "libc.so.6", "accept": [], "call": True})
    assert said[1]["mismatch"] is True
    assert "amdsmi_get_lib_version" in said[1]["error"]


class Colour(enum.IntEnum):
    """An enumeration as bindings have them."""

    RED = 1


PLAIN: list[tuple[t.Any, t.Any]] = [
    (Colour.RED, "RED"), ({Colour.RED: (1, b"x")}, {"RED": [1, "x"]}), (b"\xff", "\ufffd"), (None, None), (1.5, 1.5), (True, True),
    (object, "<class 'object'>"),
]


@pytest.mark.parametrize(("value", "plain"), PLAIN, ids=[repr(c[0]) for c in PLAIN])
def test_plain_is_json(value: t.Any, plain: t.Any) -> None:
    assert amdsmi.plain(value) == plain
    assert type(amdsmi.plain(value)) is type(plain)


PARTITIONS: list[tuple[str, t.Callable[..., t.Any], int | None]] = [
    ("a number", lambda _h: {"current_partition_id": 3}, 3),
    ("N/A", lambda _h: {"current_partition_id": "N/A"}, None),
    ("the largest number", lambda _h: {"current_partition_id": 2**32 - 1}, None),
    ("no key, as before 6.3", lambda _h: {}, None),
    ("an error", throw(LibraryError(2)), None),
]


@pytest.mark.parametrize(("function", "number"), [c[1:] for c in PARTITIONS], ids=[c[0] for c in PARTITIONS])
def test_partition(function: t.Callable[..., t.Any], number: int | None) -> None:
    assert amdsmi.partition(binding(amdsmi_get_gpu_kfd_info=function), None) == number


def test_a_call_is_made_once_for_all_parts_of_its_answer() -> None:
    made: list[t.Any] = []
    library = binding(amdsmi_get_gpu_asic_info=lambda handle: made.append(handle) or {"market_name": "M", "asic_serial": "S"})
    item: dict[str, t.Any] = {"unknown": {}}
    ask = amdsmi.asking("h")
    for name in ("market_name", "serial"):
        amdsmi.call(library, ask, name, amdsmi_read.CALLS[name], item)
    assert (item, made) == ({"market_name": "M", "serial": "S", "unknown": {}}, ["h"])


# id, functions of the binding, the mode, why there is none
COMPUTE: list[tuple[str, dict[str, t.Any], t.Any, str | None]] = [
    ("by the call that is deprecated, as long as there is one",
     {"amdsmi_get_gpu_compute_partition": lambda _h: "CPX", PROFILE: throw(LibraryError(30))}, "CPX", None),
    ("its errors are errors", {"amdsmi_get_gpu_compute_partition": throw(LibraryError(10)), PROFILE: lambda _h: {}},
     None, "amdsmi_get_gpu_compute_partition: error 10 AMDSMI_STATUS_X - words"),
    ("by the profile, where it is gone", {PROFILE: lambda _h: {"partition_profile": {"profile_type": "TPX"}}}, "TPX", None),
    ("neither", {}, None, f"{PROFILE} is not in this binding"),
]


@pytest.mark.parametrize(("functions", "mode", "why"), [c[1:] for c in COMPUTE], ids=[c[0] for c in COMPUTE])
def test_compute_mode_under_every_generation(functions: dict[str, t.Any], mode: t.Any, why: str | None) -> None:
    item: dict[str, t.Any] = {"unknown": {}}
    amdsmi.call(binding(**functions), amdsmi.asking("h"), "now", amdsmi.COMPUTE, item)
    assert (item.get("now"), item["unknown"].get("now")) == (mode, why)


def test_files_are_not_scarce(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[t.Any] = []
    monkeypatch.setattr(amdsmi.resource, "getrlimit", lambda _kind: (1024, 4096))
    monkeypatch.setattr(amdsmi.resource, "setrlimit", lambda _kind, limits: asked.append(limits))
    amdsmi.raise_file_limit()
    assert asked == [(4096, 4096)]
    monkeypatch.setattr(amdsmi.resource, "setrlimit", throw(ValueError("not allowed")))
    amdsmi.raise_file_limit()
