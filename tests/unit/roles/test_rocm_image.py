# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What goes from the builder to nodes is the image of the build, by its id, and archives of any size are carried."""

from __future__ import annotations

import typing as t

import pytest
import yaml

from ansible_collections.instinct.fleet.tests.unit.support.project import ROOT

TASKS = ROOT / "roles/rocm_image/tasks"
STORE = "instinct.fleet.rocm_image_store"


def tasks(name: str) -> list[dict[str, t.Any]]:
    return yaml.safe_load((TASKS / f"{name}.yml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("state", ["exported", "pushed"])
def test_the_image_of_the_build_is_named_by_its_id(state: str) -> None:
    (asked,) = [task[STORE] for task in tasks("export") if task.get(STORE, {}).get("state") == state]
    assert asked["id"] == "{{ __rocm_image_built.id }}"


def test_an_archive_is_not_taken_into_memory() -> None:
    """The action plugin fetch asks slurp wherever become is on, which plays of this collection have."""
    found = [task for path in sorted(TASKS.glob("*.yml")) for task in tasks(path.stem) if "ansible.builtin.fetch" in task or "ansible.builtin.slurp" in task]
    assert [task.get("become") for task in found] == [False]


@pytest.mark.parametrize(("name", "module"), [("fetch", "ansible.builtin.fetch"), ("carry", "ansible.builtin.copy")])
def test_the_note_goes_with_the_archive(name: str, module: str) -> None:
    (task,) = [task for task in tasks(name) if module in task]
    assert task["loop"] == ["", ".json"] and task[module]["src"].endswith("{{ __rocm_image_part }}")
