# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How roles enter gpu_release: for look and plan, and before they change a node."""

from __future__ import annotations

import pytest
import yaml

from ansible_collections.instinct.fleet.tests.unit.support.project import ROOT


@pytest.mark.parametrize("role", ["gpu_firmware", "gpu_driver", "rocm_userspace"])
def test_the_repositories_are_asked_first(role: str) -> None:
    first = yaml.safe_load((ROOT / f"roles/{role}/tasks/apply.yml").read_text(encoding="utf-8"))[0]
    assert first["ansible.builtin.include_role"] == {"name": "instinct.fleet.gpu_release", "tasks_from": "available"}
    assert first["when"] == f"'available' in __{role}_steps"


@pytest.mark.parametrize("role", ["gpu_firmware", "gpu_driver", "rocm_userspace", "node_maintenance"])
def test_variables_are_refused_by_the_plan_and_not_by_ansible_before_it(role: str) -> None:
    first = yaml.safe_load((ROOT / f"roles/{role}/tasks/main.yml").read_text(encoding="utf-8"))[0]
    assert first["ansible.builtin.include_role"] == {"name": "instinct.fleet.gpu_release", "rolespec_validate": False}
