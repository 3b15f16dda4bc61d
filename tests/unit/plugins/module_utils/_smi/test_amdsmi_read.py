# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The reading program in pieces: what it puts down of each call. Whole runs are in test_library.py."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._smi import amdsmi, amdsmi_read
from ansible_collections.instinct.fleet.tests.unit.plugins.bindings import LibraryError, binding, throw

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
    amdsmi.call(binding(amdsmi_get_gpu_vram_info=function), amdsmi.asking(None), "vram_mb", amdsmi_read.CALLS["vram_mb"], found)
    assert found == item


def test_call_of_a_function_that_the_binding_lacks() -> None:
    found: dict[str, t.Any] = {"unknown": {}}
    amdsmi.call(binding(), amdsmi.asking(None), "vram_mb", amdsmi_read.CALLS["vram_mb"], found)
    assert found == {"unknown": {"vram_mb": f"{VRAM} is not in this binding"}}
