# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Playbooks as an operator runs them on nodes of a scenario, and what its tasks returned."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

PLUGINS = Path(os.environ["MOLECULE_PROJECT_DIRECTORY"]) / "tests/tools/callback_plugins"


def run_site(host_name: str, variables: dict, *options: str) -> subprocess.CompletedProcess:
    """Run site.yml on one node, with a line of JSON for each result."""
    return run("site", host_name, variables, *options)


def run(playbook: str, limit: str, variables: dict, *options: str) -> subprocess.CompletedProcess:
    """Run a playbook of the collection, or one of this path, on some nodes, with a line of JSON for each result."""
    env = os.environ | {"ANSIBLE_STDOUT_CALLBACK": "results", "ANSIBLE_CALLBACK_PLUGINS": str(PLUGINS)}
    inventory = os.environ["MOLECULE_INVENTORY_FILE"]
    command = ["ansible-playbook", "-i", inventory, "--limit", limit, *options, "-e", json.dumps(variables)]
    command.append(playbook if "/" in playbook else f"instinct.fleet.{playbook}")
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)


def results(run: subprocess.CompletedProcess) -> list[dict]:
    """Results of all tasks on all hosts."""
    return [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]  # the report is a table


def plans(run: subprocess.CompletedProcess) -> list[dict]:
    """Every plan of the run, in order: the first is what is to be done, later ones prove it."""
    return [line["result"] for line in results(run) if "plans" in line["result"]]


def refusals(run: subprocess.CompletedProcess) -> list[str]:
    """What tasks said that failed; of a loop, its items that did."""
    failed = [line["result"] for line in results(run) if line["status"] == "failed"]
    bad = [[item for item in result.get("results", []) if item.get("failed")] or [result] for result in failed]
    return [one["msg"] for those in bad for one in those]
