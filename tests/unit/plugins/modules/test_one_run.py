# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Modules that change packages or links wait for another run of the collection before they even look."""

from __future__ import annotations

import fcntl
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._act import alternatives, removal, repair, rpm
from ansible_collections.instinct.fleet.plugins.modules import package_remove, package_repair, rocm_activate
from ansible_collections.instinct.fleet.tests.unit.plugins.run_module import run_module

WAITING: list[tuple[t.Any, dict[str, t.Any]]] = [
    *((package_remove, {"names": ["rocminfo"], "manager": manager, "lock_timeout": 0}) for manager in ("apt", "dnf", "zypper")),
    *((package_repair, {"manager": manager, "lock_timeout": 0}) for manager in ("apt", "dnf", "zypper")),
    (rocm_activate, {"prefix": "/opt/rocm-7.2.3"}),
    (rocm_activate, {"state": "cleared"}),
]


@pytest.mark.parametrize(("module", "options"), WAITING, ids=[f"{m.__name__.rpartition('.')[2]} {o}" for m, o in WAITING])
def test_while_another_run_acts_nothing_is_done(
    module: t.Any, options: dict[str, t.Any], own_lock: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    for does in (alternatives, removal, repair, rpm):
        monkeypatch.setattr(does, "run", None)
    monkeypatch.setattr(rocm_activate, "LOCK_TIMEOUT", 0)
    with open(own_lock, "w", encoding="utf-8") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        result = run_module(module, options)
    assert result["msg"].endswith("another run acts on this node (waited 0 s); wait for it to end and run again")
