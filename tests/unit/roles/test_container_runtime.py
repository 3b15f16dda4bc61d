# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""container_runtime: devices come first, options reach their modules, and nothing is written twice."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.modules import container_runtime
from ansible_collections.instinct.fleet.plugins.plugin_utils.partition_cascade import CDI
from ansible_collections.instinct.fleet.tests.unit.support.project import data

Task = dict[str, t.Any]


def tasks(name: str) -> list[Task]:
    return t.cast("list[Task]", data(f"roles/container_runtime/tasks/{name}.yml"))


def of(name: str, module: str) -> Task:
    (found,) = [task for task in tasks(name) if module in task]
    return found


def test_devices_are_named_before_engines_are_told() -> None:
    assert [task["ansible.builtin.include_tasks"] for task in tasks("main")] == ["devices.yml", "engines.yml"]


def test_every_option_of_the_module_is_given() -> None:
    assert set(of("engines", "instinct.fleet.container_runtime")["instinct.fleet.container_runtime"]) == set(container_runtime.SPEC)


@pytest.mark.parametrize("name", ["devices", "verify"])
def test_the_specification_is_that_of_partitions_without_what_boots(name: str) -> None:
    given = of(name, "instinct.fleet.gpu_partition_files")["instinct.fleet.gpu_partition_files"]
    assert (given["boot"], given["cdi"]) == (False, "{{ container_runtime_cdi }}")


def test_verify_changes_nothing() -> None:
    files, engines = (of("verify", f"instinct.fleet.{name}") for name in ("gpu_partition_files", "container_runtime"))
    assert files["check_mode"] is True and engines["instinct.fleet.container_runtime"]["state"] == "verified"


def test_what_was_written_is_what_goes() -> None:
    files = of("remove", "instinct.fleet.node_files")
    assert [one["path"] for one in files["instinct.fleet.node_files"]["files"]] == [CDI]
    (written,) = [task for task in tasks("main") if "devices.yml" in task.values()]
    assert files["when"] == written["when"] == "container_runtime_cdi != 'none'"  # a file that is somebody else's stays


def test_an_engine_that_does_not_start_gets_back_what_was_before() -> None:
    (included,) = [task for task in tasks("engines") if "restart.yml" in task.values()]
    assert included["when"] == ["container_runtime_restart | bool", "__container_runtime_engines.restart | length > 0"]
    (both,) = tasks("restart")
    (restart,), (back, allowed, again, said) = both["block"], both["rescue"]
    assert back["instinct.fleet.container_runtime"]["state"] == "absent" and "ansible.builtin.fail" in said and "reset-failed" in str(allowed)
    assert {**restart, "name": ""} == {**again, "name": ""}
