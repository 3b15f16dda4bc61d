# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""rdma_stack: it looks and refuses before it changes, its options reach the module, and holds survive a failure."""

from __future__ import annotations

import subprocess
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.stack import MANAGERS
from ansible_collections.instinct.fleet.plugins.modules import rdma_stack
from ansible_collections.instinct.fleet.tests.unit.plugins.run_playbook import HERE, end_of_playbook
from ansible_collections.instinct.fleet.tests.unit.support.project import ROOT, data

Task = dict[str, t.Any]
MODULE, HOLD = "instinct.fleet.rdma_stack", "instinct.fleet.package_hold"
TASKS = ROOT / "roles/rdma_stack/tasks"


def tasks(name: str) -> list[Task]:
    return t.cast("list[Task]", data(f"roles/rdma_stack/tasks/{name}.yml"))


def given(name: str) -> Task:
    """What the module is given."""
    (found,) = [task[MODULE] for task in tasks(name) if MODULE in task]
    return t.cast("Task", found)


def test_it_looks_and_refuses_then_installs_then_proves() -> None:
    assert [task["ansible.builtin.include_tasks"] for task in tasks("main")] == ["assess.yml", "packages.yml", "apply.yml"]
    look, refuse = tasks("assess")
    assert (look["ansible.builtin.include_tasks"], refuse["ansible.builtin.assert"]["that"]) == (
        "verify.yml", "rdma_stack_result.refusal | length == 0")


@pytest.mark.parametrize(("name", "state"), [("verify", "verified"), ("apply", "present")])
def test_every_option_of_the_module_is_given(name: str, state: str) -> None:
    found = given(name)
    assert (found.pop("state"), set(found)) == (state, set(rdma_stack.SPEC) - {"state", "catalogue"})
    assert found == {option: f"{{{{ rdma_stack_{option} }}}}" for option in found}


def test_a_removal_gives_files_and_holds_back() -> None:
    assert given("remove")["state"] == "absent" and [task[HOLD]["state"] for task in tasks("remove") if HOLD in task] == ["unheld"]


def test_every_package_manager_has_its_file() -> None:
    assert all((TASKS / f"{manager}.yml").is_file() for manager in MANAGERS)


def test_holds_are_restored_where_an_installation_fails() -> None:
    change, hold = tasks("packages")
    assert [task[HOLD]["state"] for task in change["block"] if HOLD in task] == ["unheld"]
    (again,) = change["always"]
    assert again[HOLD] == {**hold[HOLD], "missing": "skip"}  # what did not come has no hold to restore


MIXED = """---
version: v1
kind: rdma_stacks
stacks: []
mixtures:
  - id: of-a-test
    one: {paths: [/etc/passwd]}
    other: {paths: [/etc/group]}
    why: They are on every node.
    remedy: take one of them away
    sources: [a test]
    confidence: derived
"""


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> subprocess.CompletedProcess[str]:
    """The role in check mode, once, on hosts that ask for different things."""
    home: Path = tmp_path_factory.mktemp("rdma")
    (home / "site").mkdir()
    (home / "site/mixed.yml").write_text(MIXED)
    hosts: dict[str, Task] = {
        "nothing": {}, "unpinned": {"rdma_stack_versions": {"rdma-core": "50.0-1"}}, "loose": {"rdma_stack_versions": {"rdma-core": "latest"}},
        "mixed": {"rdma_stack_catalogue_dirs": [str(home / "site")]}, "stranger": {"rdma_stack_stack": "inbux"},
        "wrong": {"rdma_stack_names": "mac"}, "away": {"rdma_stack_catalogue_dirs": [str(home / "gone")]}}
    role: Task = {"ansible.builtin.include_role": {"name": "instinct.fleet.rdma_stack"}}
    tell: Task = {"ansible.builtin.debug": {"msg": "IT IS {{ inventory_hostname }} {{ rdma_stack_result.refusal }}."}}
    return end_of_playbook(home, {name: {**HERE, **options} for name, options in hosts.items()}, [role, tell], "--check")


def test_a_node_that_asks_for_nothing_is_left_as_it_is(ran: subprocess.CompletedProcess[str]) -> None:
    assert "IT IS nothing ." in ran.stdout and "0 would change" in ran.stdout, ran.stdout + ran.stderr


@pytest.mark.parametrize("sentence", [
    "rdma_stack_versions: has no version of perftest, of which the stack inbox has perftest; add perftest: <version>",
    "rdma_stack_versions.rdma-core: 'latest' is no version; name the one that the node should have",
    "RDMA stack: /etc/passwd beside /etc/group: They are on every node; take one of them away",
    "rdma_stack_stack: the catalogue of RDMA has no 'inbux'; did you mean inbox?",
    "value of rdma_stack_names must be one of: , pci, kernel, guid, got: mac",
    "gone is not a directory",
])
def test_what_cannot_be_is_refused_before_the_first_change(ran: subprocess.CompletedProcess[str], sentence: str) -> None:
    assert ran.returncode == 2 and sentence in " ".join(ran.stdout.split()), ran.stdout + ran.stderr
