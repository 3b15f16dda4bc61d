# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How images.yml ends, from real runs: the exit code is what scripts go by."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.tests.unit.plugins.run_playbook import HERE, end_of_playbook
from ansible_collections.instinct.fleet.tests.unit.support.project import ROOT

TELL = {"ansible.builtin.import_tasks": str(ROOT / "playbooks/tasks/imaged.yml")}
DETAILED = ("-e", "fleet_image_detailed_exitcode=true")
FAILS = {"verdict": "fail", "findings": [{"summary": "outside of the window", "remedy": "another"}], "unknown": {}}
GOOD = {**HERE, "fleet_image_check": {"verdict": "pass", "findings": [], "unknown": {}}, "rocm_image_result": {"tag": "a:1", "digest": "sha256:1"}}
TOLD, SILENT = {**HERE, "fleet_image_labels": FAILS}, dict(HERE)
ENDINGS: dict[str, tuple[dict[str, t.Any], tuple[str, ...], int]] = {
    "a node is told and the run is well": ({"a": GOOD, "b": TOLD}, (), 0),
    "a node is told by the exit code": ({"a": GOOD, "b": TOLD}, DETAILED, 2),
    "one did not answer": ({"a": GOOD, "b": SILENT}, DETAILED, 1),
}


@pytest.mark.parametrize(("hosts", "options", "code"), ENDINGS.values(), ids=ENDINGS)
def test_end(tmp_path: Path, hosts: dict[str, t.Any], options: tuple[str, ...], code: int) -> None:
    done = end_of_playbook(tmp_path, hosts, [TELL], *options)
    assert (done.returncode, "what is wrong" in done.stdout) == (code, True), done.stdout + done.stderr
