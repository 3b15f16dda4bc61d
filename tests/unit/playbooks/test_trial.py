# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The build on trial of a canary, from a real run: whatever comes of it is kept, and no node leaves the play."""

from __future__ import annotations

import re
import typing as t
from pathlib import Path

from ansible_collections.instinct.fleet.tests.unit.plugins.run_playbook import HERE, NOWHERE, end_of_playbook
from ansible_collections.instinct.fleet.tests.unit.support.project import ROOT

TRY = {"ansible.builtin.include_tasks": {"file": str(ROOT / "playbooks/tasks/upgrade_trial.yml"), "apply": {"ignore_unreachable": True}}}
TELL = {"ansible.builtin.debug": {"msg": "CAME TO {{ inventory_hostname }} {{ fleet_upgrade_trial.verdict }}: {{ fleet_upgrade_trial.words }}"}}
BUILD = {"trial": [{"data": {"package": "p", "version": "1", "kernels": ["k"], "files": [], "keys": []}}]}
CAME_TO = {
    "nothing": (HERE, {}, "ok: no driver is to be built"),
    "early": (HERE, {**BUILD, "tools": []}, "unknown: the driver is built on trial only once dkms is installed there"),
    "refused": (HERE, BUILD, "refused: package: 'p' is not a package name"),
    "silent": (NOWHERE, BUILD, "unknown: the node did not answer when the driver was to be built on trial"),
}


def host(where: dict[str, t.Any], steps: dict[str, t.Any]) -> dict[str, t.Any]:
    return {**where, "ansible_ssh_timeout": 1, "fleet_upgrade_seen": {"plan": {"plans": {"gpu_driver": {"by_action": steps}}}}}


def test_whatever_comes_of_a_trial_is_kept(tmp_path: Path) -> None:
    done = end_of_playbook(tmp_path, {name: host(where, steps) for name, (where, steps, _said) in CAME_TO.items()}, [TRY, TELL])
    said = dict(re.findall(r"CAME TO (\w+) (.*)", done.stdout))
    assert {name: words for name, words in said.items() if not words.startswith(CAME_TO[name][2])} == {}
    assert {*said} == {*CAME_TO}, done.stdout
