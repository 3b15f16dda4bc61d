# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How reserve.yml and jobs.yml end, from real runs: the exit code is what scripts go by."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.verdict import judge
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.verdict_holder import Held
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.verdict_plain import plain
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.verdict_proof import Proof
from ansible_collections.instinct.fleet.tests.unit.plugins.run_playbook import HERE, end_of_playbook
from ansible_collections.instinct.fleet.tests.unit.support.project import ROOT
from ansible_collections.instinct.fleet.tests.unit.support.trespass import DEVICES, RECORD, A, holder

TELL = {"ansible.builtin.import_tasks": str(ROOT / "playbooks/tasks/reserved.yml")}
PROVED = {**TELL, "vars": {"__fleet_proof_needed": True}}
DETAILED = ("-e", "fleet_reservation_detailed_exitcode=true")


def seen(user: str, verdict: str = "ok") -> dict[str, t.Any]:
    found = judge(RECORD, DEVICES, Held((holder(8, A, user=user),)))
    return {**HERE, "gpu_reservation_info": plain(found, [Proof("stranger", A.id, "p", True, False, verdict)], {}, True)}


GOOD, BAD, OPEN, SILENT = seen("alice"), seen("bob"), seen("alice", "trespass"), dict(HERE)
ENDINGS: dict[str, tuple[dict[str, t.Any], dict[str, t.Any], tuple[str, ...], int]] = {
    "all is well": ({"a": GOOD}, PROVED, DETAILED, 0),
    "a trespass is told": ({"a": GOOD, "b": BAD}, PROVED, (), 0),
    "a trespass is told by the exit code": ({"a": GOOD, "b": BAD}, TELL, DETAILED, 2),
    "what is not proved fails": ({"a": OPEN}, PROVED, (), 2),
    "one did not answer, by the exit code": ({"a": GOOD, "b": SILENT}, TELL, DETAILED, 1),
}


@pytest.mark.parametrize(("hosts", "task", "options", "code"), ENDINGS.values(), ids=ENDINGS)
def test_end(tmp_path: Path, hosts: dict[str, t.Any], task: dict[str, t.Any], options: tuple[str, ...], code: int) -> None:
    done = end_of_playbook(tmp_path, hosts, [task], *options)
    assert (done.returncode, "held by" in done.stdout) == (code, True), done.stdout + done.stderr
