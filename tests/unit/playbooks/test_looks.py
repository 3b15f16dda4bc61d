# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The looks before a roll-out, from real runs: a node that does not answer is told as such, and no node leaves the play."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.tests.unit.plugins.run_playbook import NOWHERE, end_of_playbook
from ansible_collections.instinct.fleet.tests.unit.support.project import ROOT

TELL = {"ansible.builtin.debug": {"msg": "SEEN {{ fleet_upgrade_seen.unreachable | default(false) }} {{ fleet_upgrade_seen.msg }}"}}


@pytest.mark.parametrize("story", ["upgrade", "rollback"])
def test_a_node_that_does_not_answer_is_told_as_such(tmp_path: Path, story: str) -> None:
    look = {"ansible.builtin.include_tasks": {"file": str(ROOT / f"playbooks/tasks/{story}_look.yml"), "apply": {"ignore_unreachable": True}}}
    host = {**NOWHERE, "ansible_ssh_timeout": 1, "gpu_release_name": "rocm-7.2.3"}
    done = end_of_playbook(tmp_path, {"a": host}, [look, TELL])
    assert re.search(r"SEEN True (Task failed: )?Failed to connect to the host via ssh", done.stdout), done.stdout
