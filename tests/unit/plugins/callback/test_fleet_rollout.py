# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What people see of a roll-out while it goes on, from real runs."""

from __future__ import annotations

import re
import typing as t
from pathlib import Path

from ansible_collections.instinct.fleet.tests.unit.plugins.run_playbook import HERE, run_playbook

PLAN = {"todo": True, "actions": ["install"], "report": {}, "plans": {"x": {"reboot": "", "problems": []}},
        "release": {"name": "r", "kernel": {"wanted": ""}, "rocm": {"version": "1"}, "driver": {"source": "x", "packages": {}}}}
SEEN = {"plan": PLAN, "note": "", "standing": {"standing": "open"}, "checks": [], "seconds": 60}
HOST = {**HERE, "fleet_upgrade_seen": SEEN}


def story(log: Path) -> list[dict[str, t.Any]]:
    """Both nodes begin; one works, the other waits for it."""
    turn = "instinct.fleet.fleet_upgrade_turn"
    given = {"log": str(log)}
    return [
        {"name": "Plan", "instinct.fleet.fleet_upgrade_plan": {**given, "show": True}, "run_once": True},
        {"name": "Wait for a place", turn: given, "when": "inventory_hostname == 'a'"},
        {"name": "Begin the step", turn: {**given, "event": "step", "word": "apply"}, "when": "inventory_hostname == 'a'"},
        {"name": "Work", "ansible.builtin.command": {"argv": ["sleep", "1.8"]}, "changed_when": False},
        {"name": "End", turn: {**given, "event": "end", "word": "{{ word | default('done') }}"}, "when": "inventory_hostname == 'a'"},
        {"name": "Wait for a place", turn: given, "when": "inventory_hostname == 'b'"},
    ]


def test_the_line_stands_over_the_nodes_with_their_steps(tmp_path: Path) -> None:
    raw = run_playbook(tmp_path, {"a": HOST, "b": HOST}, story(tmp_path / "log"), terminal=True, TERM="xterm")
    assert re.search(r"canary: 1 under way, 1 left +\d s\r\na  apply: Work +1 s\r\nb  Work +1 s\r\n", raw)


def test_each_end_is_told_and_a_node_that_waits_is_not(tmp_path: Path) -> None:
    tasks = story(tmp_path / "log")
    said = run_playbook(tmp_path, {"a": HOST, "b": HOST}, tasks, INSTINCT_FLEET_STILL_AFTER="1")
    assert re.search(r"^a  done after [2-9] s; rolling: 1 done, 1 left$", said, re.MULTILINE)
    tasks[4] = {**tasks[4], "vars": {"word": "rolled back"}}
    said = run_playbook(tmp_path, {"a": HOST, "b": HOST}, tasks, INSTINCT_FLEET_STILL_AFTER="1")
    assert re.search(r"^a  rolled back after [2-9] s; stopped: 1 failed, 1 left$", said, re.MULTILINE)
    assert "still in  Work" in said and "Wait for a place" not in said
