# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The program that resets GPUs: under the lock, the whole GPU that is named, and the library's answer."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._smi import reset
from ansible_collections.instinct.fleet.tests.unit.plugins.simulated import SimulatedNode

A = "0000:05:00.0"


@pytest.mark.parametrize(("bdf", "said"), [
    (A, "AMDSMI_STATUS_NOT_SUPPORTED: Feature not supported"), ("0000:ff:00.0", "the library does not list this GPU"),
])
def test_the_binding_is_asked(tmp_path: Path, bdf: str, said: t.Any) -> None:
    node = SimulatedNode(tmp_path, "mi300x", 2)
    node.folder("/run")
    node.install("7.0.2")
    assert reset.reset(node.machine(), bdf, 20) == said


def test_without_the_lock_nothing_is_asked(tmp_path: Path) -> None:
    node = SimulatedNode(tmp_path, "mi300x", 2)
    node.install("7.0.2")
    assert "instinct-smi.lock cannot be opened" in reset.reset(node.machine(), A, 20)
