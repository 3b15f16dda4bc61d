# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The program that resets GPUs: under the lock, the whole GPU that is named, and the library's answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._smi import reset
from ansible_collections.instinct.fleet.tests.unit.plugins.simulated import SimulatedNode

A = "0000:05:00.0"


def made(path: Path) -> SimulatedNode:
    """A node on which a reset can take its lock."""
    node = SimulatedNode(path, "mi300x", 2)
    node.folder("/run")
    node.install("7.0.2")
    return node


def test_what_processes_left_behind_is_given_back(tmp_path: Path) -> None:
    node = made(tmp_path)
    node.simulator("fault", "zombie", "gpu=0", "pid=4194001")
    node.simulator("fault", "vram_leak", "gpu=1")
    assert ":zombie" in node.state.read_text(encoding="utf-8") and "gpu1.vram_used_mib=60000" in node.state.read_text(encoding="utf-8")
    assert reset.reset(node.machine(), A, 20) == ""
    text = node.state.read_text(encoding="utf-8")
    assert ":zombie" not in text and "gpu1.vram_used_mib=284" in text


@pytest.mark.parametrize(("fault", "bdf", "said"), [
    ("vf gpu=all", A, "AMDSMI_STATUS_NOT_SUPPORTED: Feature not supported"),
    ("no_permission", A, "AMDSMI_STATUS_NO_PERM: Permission Denied"),
    ("no_permission", "0000:ff:00.0", "the library does not list this GPU"),
])
def test_what_the_library_refuses(tmp_path: Path, fault: str, bdf: str, said: str) -> None:
    node = made(tmp_path)
    node.simulator("fault", *fault.split())
    assert reset.reset(node.machine(), bdf, 20) == said


def test_without_the_lock_nothing_is_asked(tmp_path: Path) -> None:
    node = SimulatedNode(tmp_path, "mi300x", 2)
    node.install("7.0.2")
    assert "instinct-smi.lock cannot be opened" in reset.reset(node.machine(), A, 20)
