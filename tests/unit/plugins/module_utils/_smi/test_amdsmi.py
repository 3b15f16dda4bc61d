# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The child program in pieces: what it says, line by line. Whole runs are in test_library.py."""

from __future__ import annotations

import ast
import enum
import inspect
import json
import sys
import types
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._node.command import Command
from ansible_collections.instinct.fleet.plugins.module_utils._smi import amdsmi


def test_it_stands_alone() -> None:
    imports = [node for node in ast.walk(ast.parse(inspect.getsource(amdsmi))) if isinstance(node, ast.ImportFrom)]
    assert [node.module for node in imports] == ["__future__"]


def lines(request: dict[str, t.Any]) -> list[dict[str, t.Any]]:
    """Run the program with a request."""
    ran = Command([sys.executable, "-I", "-c", inspect.getsource(amdsmi), json.dumps(request)]).wait(20)
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


class LibraryError(Exception):
    """An exception as bindings have it."""

    def __init__(self, code: int) -> None:
        super().__init__(f"Error code:\n\t{code} | AMDSMI_STATUS_X - words")
        self.code = code

    def get_error_code(self) -> int:
        """The code."""
        return self.code


def binding(**functions: t.Callable[..., t.Any]) -> types.SimpleNamespace:
    """A binding with these functions."""
    return types.SimpleNamespace(AmdSmiException=LibraryError, AmdSmiLibraryException=LibraryError, **functions)


def throw(error: Exception) -> t.Callable[..., t.NoReturn]:
    """A function that raises."""
    def function(*_arguments: t.Any) -> t.NoReturn:
        raise error
    return function


VRAM = "amdsmi_get_gpu_vram_info"
# id, function of vram_mb, what is put down
CALLS: list[tuple[str, t.Callable[..., t.Any], dict[str, t.Any]]] = [
    ("the key of today", lambda _h: {"vram_size": 5}, {"vram_mb": 5, "unknown": {}}),
    ("the key of 6.1", lambda _h: {"vram_size_mb": 5}, {"vram_mb": 5, "unknown": {}}),
    ("not supported", throw(LibraryError(2)), {"unknown": {}}),
    ("an error", throw(LibraryError(10)), {"unknown": {"vram_mb": f"{VRAM}: error 10 AMDSMI_STATUS_X - words"}}),
    ("text that is no text", throw(UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad")), {"unknown": {
        "vram_mb": f"{VRAM}: UnicodeDecodeError 'utf-8' codec can't decode byte 0xff in position 0: bad"}}),
    ("a defect of the binding", throw(TypeError("int")), {"unknown": {"vram_mb": f"{VRAM}: TypeError int"}}),
    ("neither key", lambda _h: {}, {"unknown": {"vram_mb": f"{VRAM}: KeyError 'vram_size_mb'"}}),
]


@pytest.mark.parametrize(("function", "item"), [c[1:] for c in CALLS], ids=[c[0] for c in CALLS])
def test_call_puts_down_an_answer_or_a_reason(function: t.Callable[..., t.Any], item: dict[str, t.Any]) -> None:
    found: dict[str, t.Any] = {"unknown": {}}
    amdsmi.call(binding(amdsmi_get_gpu_vram_info=function), None, "vram_mb", found)
    assert found == item


def test_call_of_a_function_that_the_binding_lacks() -> None:
    found: dict[str, t.Any] = {"unknown": {}}
    amdsmi.call(binding(), None, "vram_mb", found)
    assert found == {"unknown": {"vram_mb": f"{VRAM} is not in this binding"}}


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
