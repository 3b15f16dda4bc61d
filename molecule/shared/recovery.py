# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs that fail: what people are told, and that the next run ends right."""

from __future__ import annotations

import json
import os
import subprocess

import checks
from playbook import plans, results, run_site


def site(name: str, variables: dict) -> list[str]:
    """The command that runs site.yml on one node."""
    inventory = os.environ["MOLECULE_INVENTORY_FILE"]
    return ["ansible-playbook", "-i", inventory, "--limit", name, "-e", json.dumps(variables), "instinct.fleet.site"]


def for_people() -> dict[str, str]:
    """The environment of a run that people read."""
    return os.environ | {"ANSIBLE_STDOUT_CALLBACK": "instinct.fleet.fleet", "ANSIBLE_FORCE_COLOR": "0"}


def told(name: str, out: str) -> list[str]:
    """The sentences at the end of a run, about this node."""
    mark = f"    {name}: "
    return [line.removeprefix(mark) for line in out.splitlines() if line.startswith(mark)]


def sentence(name: str, variables: dict) -> str:
    """The one sentence about a run that fails."""
    run = subprocess.run(site(name, variables), env=for_people(), capture_output=True, text=True, check=False)
    assert run.returncode == 2, run.stdout + run.stderr
    (said,) = told(name, run.stdout)
    return said


def ends_right(host, name: str) -> None:
    """A run brings the node to its release, and another one has nothing to do."""
    run = run_site(name, {})
    assert run.returncode == 0, run.stdout + run.stderr
    assert plans(run)[-1]["report"]["verdict"] == "as wanted"
    for check in checks.ALL:
        check(host, checks.SECOND)
    again = run_site(name, {})
    assert again.returncode == 0, again.stdout + again.stderr
    assert [line["task"] for line in results(again) if line["result"].get("changed")] == []
