# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node without a scheduler is out of work when it says so itself, and not when it does not answer."""

from __future__ import annotations

from pathlib import Path

from ansible_collections.instinct.fleet.tests.unit.plugins.run_playbook import NOWHERE, end_of_playbook
from ansible_collections.instinct.fleet.tests.unit.support.project import ROOT

DRAIN = {"ansible.builtin.include_tasks": {
    "file": str(ROOT / "roles/node_maintenance/tasks/none/drain.yml"), "apply": {"ignore_unreachable": True}}}
GIVEN = {"node_maintenance_wait": False, "node_maintenance_drain_timeout": 0, "node_maintenance_stop_units": [],
         "node_maintenance_standing": {"standing": "open"}}  # as the pre-flight left it


def test_a_node_that_does_not_answer_is_not_out_of_work(tmp_path: Path) -> None:
    said = "{{ node_maintenance_standing.standing | default('unknown') }}"
    tell = {"ansible.builtin.debug": {"msg": f"IT IS {said}"}}
    done = end_of_playbook(tmp_path, {"gone": {**NOWHERE, **GIVEN}}, [DRAIN, tell])
    assert done.returncode == 0 and "IT IS unknown" in done.stdout, done.stdout
