# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Playbooks with the oldest ansible-core: refuse, foresee, do, leave alone; upgrade a node, and take it back."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import checks
import pytest
import yaml
from playbook import plans, refusals, results, run, run_site

ROOT = Path(os.environ["MOLECULE_PROJECT_DIRECTORY"])
FLOOR = ROOT / ".cache" / "venv-floor" / "bin"


@pytest.fixture(autouse=True)
def _oldest(monkeypatch):
    """Commands of Ansible are those of the oldest."""
    monkeypatch.setenv("PATH", f"{FLOOR}{os.pathsep}{os.environ['PATH']}")


def quiet(done: subprocess.CompletedProcess) -> None:
    """The run succeeded, and Ansible had nothing to warn of."""
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""


def changed(done: subprocess.CompletedProcess) -> list[str]:
    """Tasks that changed something."""
    return [line["task"] for line in results(done) if line["result"].get("changed")]


def test_it_is_the_oldest_that_the_collection_supports():
    asked = yaml.safe_load((ROOT / "meta/runtime.yml").read_text(encoding="utf-8"))["requires_ansible"]
    oldest = asked.removeprefix(">=").rpartition(".")[0]
    said = subprocess.run(["ansible-playbook", "--version"], capture_output=True, text=True, check=True).stdout
    assert said.startswith(f"ansible-playbook [core {oldest}.")


def test_a_wrong_value_is_refused_in_the_same_words(host):
    done = run_site(host.backend.get_hostname(), {"gpu_driver_source": "kernel"})
    assert refusals(done) == ["gpu_driver_source: is 'kernel'; choose one of dkms, in_tree"]


def test_it_does_what_check_mode_foresaw_and_then_nothing(host):
    name = host.backend.get_hostname()
    foreseen = run_site(name, {}, "--check", "--diff")
    quiet(foreseen)
    (plan,) = plans(foreseen)
    assert len(changed(foreseen)) == 1
    done = run_site(name, {})
    quiet(done)
    assert (plans(done)[0]["actions"], plans(done)[-1]["report"]["changed"]) == (plan["actions"], plan["actions"])
    for check in checks.ALL:
        check(host, checks.FIRST)
    for options in ((), ("--check", "--diff")):
        again = run_site(name, {}, *options)
        quiet(again)
        assert (changed(again), [p["actions"] for p in plans(again)]) == ([], [[]])


def test_people_see_its_table(host, monkeypatch):
    monkeypatch.setenv("ANSIBLE_STDOUT_CALLBACK", "instinct.fleet.fleet")
    monkeypatch.setenv("ANSIBLE_FORCE_COLOR", "0")
    name = host.backend.get_hostname()
    command = ["ansible-playbook", "-i", os.environ["MOLECULE_INVENTORY_FILE"], "--limit", name, "instinct.fleet.site"]
    said = subprocess.run(command, capture_output=True, text=True, check=True)
    assert said.stderr == ""
    (row,) = (line for line in said.stdout.splitlines() if line.startswith(name))
    assert row.split()[1:4] == ["8", "x", "MI300X"]
    assert row.rstrip().endswith("as wanted")
    assert "1 host: 0 changed, 1 unchanged, 0 failed in" in said.stdout


def test_it_is_upgraded_and_taken_back(host):
    name, log = host.backend.get_hostname(), "/var/lib/instinct/upgrade.json"
    for playbook, checked, state in (("upgrade", checks.SECOND, "done"), ("rollback", checks.FIRST, "rolled back")):
        done = run(playbook, name, {"gpu_release_name": "rocm-7.2.3"})
        quiet(done)
        assert json.loads(host.file(log).content_string)["state"] == state
        for check in (checks.driver_version, checks.rocm_version, checks.holds, checks.loaded, checks.recorded):
            check(host, checked)
