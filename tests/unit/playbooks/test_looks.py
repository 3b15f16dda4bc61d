# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The looks before a roll-out, from real runs: a node that does not answer is told as such, and no node leaves the play."""

from __future__ import annotations

import re
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout import note, shape
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.shape import Note
from ansible_collections.instinct.fleet.tests.unit.plugins.run_playbook import (
    HERE,
    NOWHERE,
    end_of_playbook,
)
from ansible_collections.instinct.fleet.tests.unit.support.project import ROOT, data

TELL = {"ansible.builtin.debug": {"msg": "SEEN {{ fleet_upgrade_seen.unreachable | default(false) }} {{ fleet_upgrade_seen.msg }}"}}


@pytest.mark.parametrize("story", ["upgrade", "rollback"])
def test_a_node_that_does_not_answer_is_told_as_such(tmp_path: Path, story: str) -> None:
    look = {"ansible.builtin.include_tasks": {"file": str(ROOT / f"playbooks/tasks/{story}_look.yml"), "apply": {"ignore_unreachable": True}}}
    host = {**NOWHERE, "ansible_ssh_timeout": 1, "gpu_release_name": "rocm-7.2.3"}
    done = end_of_playbook(tmp_path, {"a": host}, [look, TELL])
    assert re.search(r"SEEN True (Task failed: )?Failed to connect to the host via ssh", done.stdout), done.stdout


# A node, what fleet_upgrade_retry is, whether the note is unfinished -> whether the scheduler is asked of it at its release
ASKED: dict[str, tuple[t.Any, bool, bool]] = {
    "unnamed": (False, False, False), "other": ("another", False, False), "unfinished": (False, True, True), "listed": (["n9", "listed"], False, True),
    "with_commas": ("n9,with_commas", False, True), "others": (["n9"], False, False), "every": (True, False, False),
}


def test_the_scheduler_is_asked_of_a_node_that_is_done_if_somebody_names_it(tmp_path: Path) -> None:
    whole = t.cast("list[dict[str, t.Any]]", data("playbooks/tasks/upgrade_look.yml"))[0]
    when = next(task["when"] for task in whole["block"] if task["name"] == "Was it left out of work?")
    plan = {"plans": {}, "todo": False, "report": {"reboot_required": False}}
    notes = {unfinished: note.text(Note("t", "r", "", "apply", shape.FAILED if unfinished else shape.DONE)) for unfinished in (True, False)}
    hosts = {name: {**HERE, **whole["vars"], "gpu_release_plan": plan, "fleet_upgrade_retry": retry,
                    "gpu_release_look": {"look": {"files": {"files": [{"path": note.PATH, "text": notes[unfinished]}]}}}}
             for name, (retry, unfinished, _asked) in ASKED.items()}
    done = end_of_playbook(tmp_path, hosts, [{"ansible.builtin.debug": {"msg": "ASKED OF {{ inventory_hostname }}"}, "when": when}])
    assert done.returncode == 0 and set(re.findall(r"ASKED OF (\w+)", done.stdout)) == {name for name, case in ASKED.items() if case[2]}, done.stdout
