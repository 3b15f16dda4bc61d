# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Package lists that do not know a pinned version are refreshed, and those that know it are not: their servers may be away."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.stack import MANAGERS
from ansible_collections.instinct.fleet.tests.unit.support.project import data

Tasks = list[dict[str, t.Any]]
ROLE, FRESH = "roles/rdma_stack/tasks", "__rdma_stack_refresh"


def tasks(name: str) -> Tasks:
    return t.cast("Tasks", data(f"{ROLE}/{name}.yml"))


def test_what_is_not_found_is_looked_for_again_in_fresh_lists() -> None:
    install = next(task for task in tasks("install") if "block" in task)
    (first,), (again,) = install["block"], install["rescue"]
    assert first["ansible.builtin.include_tasks"] == again["ansible.builtin.include_tasks"] == "{{ rdma_stack_result.manager }}.yml"
    assert (first["vars"], again["vars"]) == ({FRESH: False}, {FRESH: True})


@pytest.mark.parametrize("manager", MANAGERS)
def test_each_manager_refreshes_its_lists_where_it_is_told_to(manager: str) -> None:
    found = tasks(manager)
    refreshing = [task for task in found if FRESH in str(task)]
    module = f"ansible.builtin.{manager}"
    if manager == "zypper":
        assert refreshing == [found[0]] and (found[0]["ansible.builtin.command"]["argv"][-1], found[0]["when"]) == ("refresh", FRESH)
    else:
        assert refreshing == found and found[0][module]["update_cache"] == f"{{{{ {FRESH} }}}}"
