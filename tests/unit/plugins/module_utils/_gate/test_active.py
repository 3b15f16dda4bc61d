# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tools are run where they are installed, and for no longer than their time."""

from __future__ import annotations

import dataclasses as dc
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.health.actives import Ran
from ansible_collections.instinct.fleet.plugins.module_utils._core.health.profile import Active
from ansible_collections.instinct.fleet.plugins.module_utils._gate import active as subject
from ansible_collections.instinct.fleet.tests.unit.support.healthy import profile

RVS = next(item for item in profile("burn_in").active if item.tool == "rvs")


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "rvs"
    monkeypatch.setitem(subject._PLACES, "rvs", ("/nonexistent/rvs", str(path)))
    return path


def install(path: Path, script: str) -> None:
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)


def run(timeout: int = 20) -> Ran:
    ((_active, ran),) = subject.run_all([dc.replace(RVS, timeout=timeout, arguments=("-c", "x y"))])
    return ran


def test_a_tool_that_is_not_there(tool: Path) -> None:
    assert run() == Ran(problem="rvs is not installed")


def test_a_tool_that_ends(tool: Path) -> None:
    install(tool, 'echo "$1|$2"; echo no >&2; exit 3')
    assert run() == Ran(3, "-c|x y\n", "no\n")


def test_a_tool_that_does_not_end(tool: Path) -> None:
    install(tool, "sleep 60")
    assert run(timeout=1) == Ran(problem="rvs did not end within 1 s")


def test_a_tool_that_cannot_be_run(tool: Path) -> None:
    tool.write_text("\x7fELF", encoding="utf-8")
    tool.chmod(0o755)
    assert run().problem.startswith(f"{tool} could not be run: ")


def test_every_tool_has_its_places() -> None:
    assert {item.tool for item in profile("burn_in").active} == set(subject._PLACES)
    assert isinstance(RVS, Active)
