# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The runner of the rings: it counts right, and calls nothing green that is not."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import sys
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.tests.unit.support.project import ROOT

SCRIPT = ROOT / "tests" / "tools" / "run-rings"


@pytest.fixture
def rings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> t.Any:
    """The runner, with empty folders for rings and their results."""
    loader = importlib.machinery.SourceFileLoader("run_rings", str(SCRIPT))
    spec = importlib.util.spec_from_loader("run_rings", loader)
    assert spec
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "run_rings", module)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    loader.exec_module(module)
    monkeypatch.setattr(module, "TOOLS", tmp_path)
    monkeypatch.setattr(module, "OUT", tmp_path / "out")
    (tmp_path / "rings").mkdir()
    return module


def add_ring(rings: t.Any, name: str, body: str) -> None:
    """A ring that is this shell script."""
    path = rings.TOOLS / "rings" / name
    path.write_text(f'#!/bin/sh\nmkdir -p "$RING"\n{body}\n', encoding="utf-8")
    path.chmod(0o755)


JUNIT = '<testsuites><testsuite tests="{}" failures="{}" errors="{}" skipped="{}"/></testsuites>'
GREEN = f"echo '{JUNIT.format(5, 0, 0, 1)}' >$RING/a.xml"

CASES: list[tuple[str, dict[str, str], int, str]] = [
    ("JUnit files are added up", {"a": f"{GREEN}; cp $RING/a.xml $RING/b.xml"}, 0, "8 passed, 0 failed, 2 skipped"),
    ("errors count as failures", {"a": f"echo '{JUNIT.format(5, 1, 2, 0)}' >$RING/a.xml"}, 1, "2 passed, 3 failed"),
    ("counts are added up", {"a": "printf 'passed 3 x\\nskipped 1 y z\\n' >$RING/counts"}, 0,
     "3 passed, 0 failed, 1 skipped"),
    ("two rings are added up", {"a": GREEN, "b": "echo passed 1 x >$RING/counts"}, 0, "5 passed, 0 failed, 1 skipped"),
    ("a failed test fails, whatever the status", {"a": "echo failed 1 x >$RING/counts"}, 1, "0 passed, 1 failed"),
    ("a failed status fails, whatever the tests", {"a": f"{GREEN}; exit 3"}, 1, "4 passed, 1 failed, 1 skipped"),
    ("a broken result is a failure", {"a": "echo '<testsuites' >$RING/a.xml"}, 1, "0 passed, 1 failed"),
    ("no test at all is not green", {"a": "true"}, 1, "0 passed, 0 failed"),
    ("the first failure does not stop the rest", {"a": "exit 1", "b": GREEN}, 1, "4 passed, 1 failed, 1 skipped"),
]


@pytest.mark.parametrize(("bodies", "status", "last"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_verdict(
    rings: t.Any, capfd: pytest.CaptureFixture[str], bodies: dict[str, str], status: int, last: str
) -> None:
    for name, body in bodies.items():
        add_ring(rings, name, body)
    assert rings.main(list(bodies)) == status
    assert capfd.readouterr().out.splitlines()[-1] == last


def test_a_ring_of_one_core_runs_beside_the_others(rings: t.Any, capfd: pytest.CaptureFixture[str]) -> None:
    meet = "touch ../$1.here; n=0; until [ -e ../$2.here ]; do sleep 0.1; n=$((n + 1)); [ $n -lt 100 ] || exit 1; done"
    for name, other in (("lint", "unit"), ("unit", "lint")):
        add_ring(rings, name, f"cd $RING; set {name} {other}; {meet}; {GREEN}")
    assert rings.main(["lint", "unit"]) == 0, capfd.readouterr().out


def test_output_of_a_failed_ring_is_shown(rings: t.Any, capfd: pytest.CaptureFixture[str]) -> None:
    add_ring(rings, "bad", "echo this is why; exit 1")
    add_ring(rings, "good", f"echo this is not; {GREEN}")
    rings.main(["bad", "good"])
    out = capfd.readouterr().out
    assert "this is why" in out
    assert "this is not" not in out


def test_unknown_ring_is_refused(rings: t.Any, capfd: pytest.CaptureFixture[str]) -> None:
    add_ring(rings, "unit", GREEN)
    assert rings.main(["unti"]) == 2
    assert "no ring unti; there are: unit" in capfd.readouterr().err
