# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The agent as one file: the same bytes each time, with all that it imports, and it runs."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.plugin_utils import agent_archive, gate_data

PYTHON = "/usr/bin/python3"


def test_build_is_the_same_each_time() -> None:
    first = agent_archive.build(agent_archive.GATE, PYTHON)
    agent_archive.build.cache_clear()
    assert agent_archive.build(agent_archive.GATE, PYTHON) == first
    assert first.startswith(b"#!/usr/bin/python3 -I\nPK")
    assert agent_archive.build(agent_archive.GATE, "/opt/python/bin/python3") != first


def test_build_has_what_is_imported_and_no_more() -> None:
    names = zipfile.ZipFile(io.BytesIO(agent_archive.build(agent_archive.GATE, PYTHON))).namelist()
    assert {"__main__.py", "instinct_gate/__init__.py", "instinct_gate/_gate/agent.py", "instinct_gate/_smi/amdsmi.py",
            "instinct_gate/_core/health/__init__.py", "instinct_gate/_core/faults/find.py"} <= set(names)
    assert names == sorted(names) and len(names) == len(set(names))
    assert not any(part in name for name in names for part in ("diagnosis", "_gate/options", "_look/entry", "release/resolve"))


def test_needed_follows_every_form_of_import() -> None:
    assert set(agent_archive.needed("_core/findings.py")) == {"_core/findings.py"}
    assert set(agent_archive.needed("_core/formats/stress.py")) == {"_core/formats/stress.py"}
    assert {"_act/clock.py", "_core/errors.py", "_core/health/baseline.py"} <= set(agent_archive.needed("_gate/state.py"))


@pytest.mark.parametrize(("words", "code", "said"), [
    (["--help"], 0, "usage: instinct-gate"), (["status"], 2, "no gate has run yet"), (["--nonsense"], 2, ""), ([], None, ": ")])
def test_the_archive_runs(tmp_path: Path, words: list[str], code: int | None, said: str) -> None:
    program, data = tmp_path / "instinct-gate", tmp_path / "data.json"
    program.write_bytes(agent_archive.build(agent_archive.GATE, sys.executable))
    data.write_text(json.dumps(gate_data.agent((), "running", {}, None)), encoding="utf-8")
    command = [sys.executable, "-I", str(program), "--data", str(data), "--state", str(tmp_path / "state"), "--no-record", *words]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert said in ran.stdout and "Traceback" not in ran.stderr
    assert ran.returncode == code or (code is None and ran.returncode in (0, 1, 2))
