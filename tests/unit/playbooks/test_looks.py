# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The looks before a roll-out, from real runs: a node that does not answer is told as such, and no node leaves the play."""

from __future__ import annotations

import re
import typing as t
from pathlib import Path

import pytest

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


# What fleet_upgrade_retry is, whether the note is unfinished -> whether the scheduler is asked of a node at its release
ASKED: dict[str, tuple[t.Any, bool, bool]] = {
    "nobody names it": (False, False, False), "its note is unfinished": (False, True, True), "a list with it": (["n1", "n2"], False, True),
    "with commas": ("n2,n1", False, True), "others are named": (["n2"], False, False), "all that failed": (True, False, False),
}


@pytest.mark.parametrize(("retry", "unfinished", "asked"), ASKED.values(), ids=ASKED)
def test_the_scheduler_is_asked_of_a_node_that_is_done_if_somebody_names_it(tmp_path: Path, retry: t.Any, unfinished: bool, asked: bool) -> None:
    block = t.cast("list[dict[str, t.Any]]", data("playbooks/tasks/upgrade_look.yml"))[0]["block"]
    when = next(task["when"] for task in block if task["name"] == "Was it left out of work?")
    host = {**HERE, "gpu_release_plan": {"plans": {}, "todo": False, "report": {"reboot_required": False}}, "fleet_upgrade_retry": retry,
            "__fleet_upgrade_note": {"unfinished": unfinished}}
    done = end_of_playbook(tmp_path, {"n1": host}, [{"ansible.builtin.debug": {"msg": "IS ASKED"}, "when": when}])
    assert ("IS ASKED" in done.stdout, done.returncode) == (asked, 0), done.stdout
