# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Packages are removed by package_remove alone: everything else takes what needs them along without a word."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.tests.unit.support.project import data, files

MANAGERS = ("apt", "dnf", "package", "zypper", "yum")


def tasks_of(found: t.Any) -> t.Iterator[dict[str, t.Any]]:
    """Tasks of a list, those in blocks too."""
    for task in found or []:
        yield task
        for part in ("block", "rescue", "always"):
            yield from tasks_of(task.get(part))


def removes(task: dict[str, t.Any]) -> bool:
    """Whether a task removes packages by a package manager of its own."""
    argv = str(task.get("ansible.builtin.command", ""))
    return "'remove'" in argv or "'purge'" in argv or any(
        task.get(f"ansible.builtin.{name}", {}).get("state") == "absent" for name in MANAGERS)


@pytest.mark.parametrize("path", files("roles/*/tasks/**/*.yml"))
def test_nothing_else_removes_packages(path: str) -> None:
    assert [task["name"] for task in tasks_of(data(path)) if removes(task)] == []


def test_a_driver_that_is_not_wanted_is_removed_alone() -> None:
    (task,) = [task for task in tasks_of(data("roles/gpu_driver/tasks/leave.yml")) if "instinct.fleet.package_remove" in task]
    assert task["instinct.fleet.package_remove"]["way_out"] == "set gpu_driver_source to dkms"
