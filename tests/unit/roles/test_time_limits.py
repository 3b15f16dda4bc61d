# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A command that hangs ends: what modules run has limits of its own."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.tests.unit.support.project import data, files

FILES = [path for path in files("roles/*/tasks/**/*.yml", "roles/*/handlers/*.yml", "playbooks/**/*.yml")
         if "/dnf/" not in path and "/zypper/" not in path]  # test_actions has those


def commands(tasks: t.Any) -> t.Iterator[dict[str, t.Any]]:
    """Tasks that run a command, those in plays and blocks too."""
    for task in tasks if isinstance(tasks, list) else []:
        for part in ("tasks", "pre_tasks", "post_tasks", "block", "rescue", "always"):
            yield from commands(task.get(part))
        if task.keys() & {"ansible.builtin.command", "ansible.builtin.shell"}:
            yield task


@pytest.mark.parametrize("path", FILES)
def test_each_command_has_a_time_limit(path: str) -> None:
    assert [task["name"] for task in commands(data(path)) if "timeout" not in task] == []


def test_there_are_commands() -> None:
    assert len([task for path in FILES for task in commands(data(path))]) >= 3


def test_a_package_that_is_installed_again_keeps_what_a_person_set() -> None:
    (again,) = commands(data("roles/gpu_driver/tasks/apt/transaction.yml"))
    argv = again["ansible.builtin.command"]["argv"]
    assert "Dpkg::Options::=--force-confdef" in argv and "Dpkg::Options::=--force-confold" in argv
