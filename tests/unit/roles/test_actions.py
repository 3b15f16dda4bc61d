# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each action that a plan can have is carried out by the task files of every package manager."""

from __future__ import annotations

import ast
import re

import pytest

from ansible_collections.instinct.fleet.tests.unit.support.project import ROOT, data, files, tree

CORE = "plugins/module_utils/_core/plan/"
SHARED = ("steps.py", "offers.py")
# Role -> modules of its plan
PLANS = {"gpu_driver": (*SHARED, "driver*.py", "packaging.py"), "rocm_userspace": (*SHARED, "rocm*.py")}


def planned(role: str) -> set[str]:
    """Actions of the steps that the modules of a plan make."""
    found = set()
    for path in files(*(CORE + pattern for pattern in PLANS[role])):
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Call):
                made = node.args[:1] if isinstance(node.func, ast.Name) and node.func.id == "Step" else []
                made += [keyword.value for keyword in node.keywords if keyword.arg == "action"]
                found |= {value.value for value in made if isinstance(value, ast.Constant)}
    return {str(action) for action in found}


def consumed(role: str, manager: str) -> set[str]:
    """Actions that the tasks for a manager take data of, or stand under the condition of."""
    paths = files(f"roles/{role}/tasks/*.yml", f"roles/{role}/tasks/{manager}/*.yml")
    text = "\n".join(task for path in paths for task in _doing(path))
    steps = f"__{role}_steps"
    return set(re.findall(rf"{steps}\.(\w+)", text)) | set(re.findall(rf"'(\w+)' in {steps}", text))


def _doing(path: str) -> list[str]:
    """Tasks of a file that do something themselves: to include a file is not to do what it should."""
    tasks = re.split(r"\n(?=\s*- name: )", (ROOT / path).read_text(encoding="utf-8"))
    return [task for task in tasks if "ansible.builtin.include_tasks" not in task]


@pytest.mark.parametrize("manager", ["apt", "dnf", "zypper"])
@pytest.mark.parametrize("role", sorted(PLANS))
def test_each_action_has_a_task(role: str, manager: str) -> None:
    assert {"install", "file", "refresh"} <= planned(role)
    assert planned(role) - consumed(role, manager) == set()


@pytest.mark.parametrize("path", files("roles/*/tasks/dnf/*.yml", "roles/*/tasks/zypper/*.yml"))
def test_each_command_of_rpm_systems_has_a_time_limit(path: str) -> None:
    tasks = data(path)
    assert isinstance(tasks, list)
    assert [task["name"] for task in tasks if "ansible.builtin.command" in task and "timeout" not in task] == []
