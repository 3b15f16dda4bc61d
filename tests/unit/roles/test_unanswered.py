# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A play may ignore that a node does not answer. What is built on the answer is not begun then, for it may answer again."""

from __future__ import annotations

import re
import typing as t
from pathlib import Path

from ansible_collections.instinct.fleet.tests.unit.plugins.run_playbook import NOWHERE, end_of_playbook
from ansible_collections.instinct.fleet.tests.unit.support.project import ROOT

STEPS: dict[str, t.Any] = {
    "available": {"packages": [], "removals": [], "files": [], "keys": [], "together": []},
    "trial": {"package": "p", "version": "1", "kernels": ["k"], "files": [], "keys": []},
    "evict": {"packages": ["p"]}, "adopt": {"versions": ["1"], "modules": []}, "mend": {"version": "1"},
    "install": {"packages": ["p=1"], "from": []}, "reinstall": {"packages": ["p=1"]}, "build": {"version": "1", "kernel": "k", "force": False},
}
# What is asked of the node -> file that asks, and the step.
ASKED: dict[str, tuple[str, tuple[str, ...]]] = {
    "its repositories": ("gpu_release/tasks/available.yml", ("available",)),
    "to write its record": ("gpu_release/tasks/record.yml", ()),
    "to build on trial": ("gpu_driver/tasks/trial.yml", ("trial",)),
    "to remove packages": ("gpu_driver/tasks/clear.yml", ("evict",)),
    "to take over a driver": ("gpu_driver/tasks/clear.yml", ("adopt",)),
    "to forget trees": ("gpu_driver/tasks/clear.yml", ("mend",)),
    "to build": ("gpu_driver/tasks/build.yml", ("build",)),
    **{f"to {step} by {manager}": (f"gpu_driver/tasks/{manager}/transaction.yml", (step,))
       for manager in ("apt", "dnf", "zypper") for step in ("install", "reinstall")},
    "whether what it kept is whole": ("node_maintenance/tasks/restore_packages.yml", ()),
}
GIVEN = {"ansible_ssh_timeout": 1, "gpu_driver_trial_timeout": 1, "gpu_driver_build_timeout": 1, "__node_maintenance_kept": {"id": "i", "kept": {}},
         "gpu_release_look": {"look": {"files": {"recorded_release": None}}}}


def host(path: str, steps: tuple[str, ...]) -> dict[str, t.Any]:
    manager = Path(path).parent.name
    chosen = {step: [{"data": STEPS[step]}] for step in steps}
    plan = {"lock_timeout": 1, "release": {"name": "r", "os": {"manager": manager if manager != "tasks" else "apt"}},
            "plans": {"gpu_release": {"empty": False, "steps": []}}}
    return {**NOWHERE, **GIVEN, "asks": str(ROOT / "roles" / path), "gpu_release_plan": plan, "__gpu_driver_steps": chosen,
            "__gpu_release_question": STEPS["available"]}


def test_nothing_is_begun_on_what_was_not_answered(tmp_path: Path) -> None:
    hosts = {f"n{number}": host(*asked) for number, asked in enumerate(ASKED.values())}
    ask = {"ansible.builtin.include_tasks": {"file": "{{ asks }}", "apply": {"ignore_unreachable": True}}}
    done = end_of_playbook(tmp_path, hosts, [ask, {"ansible.builtin.debug": {"msg": "GOES ON {{ inventory_hostname }}"}}], "-f", "4")
    assert re.findall(r"GOES ON (\w+)", done.stdout) == []
    assert re.findall(r"^ +(\w+): the node did not answer when it was ", done.stdout, re.MULTILINE) == sorted(hosts), done.stdout
