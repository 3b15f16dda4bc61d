# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""gpu_partition: files follow a change that was proved, the boot unit stands before what needs it, options reach their module."""

from __future__ import annotations

import configparser
import typing as t

import jinja2
import pytest

from ansible_collections.instinct.fleet.plugins.action import gpu_partition_files
from ansible_collections.instinct.fleet.plugins.modules import gpu_partition
from ansible_collections.instinct.fleet.tests.unit.support.project import ROOT, data

ROLE = ROOT / "roles/gpu_partition"
Task = dict[str, t.Any]


def tasks(name: str) -> list[Task]:
    return t.cast("list[Task]", data(f"roles/gpu_partition/tasks/{name}.yml"))


def unit(**variables: t.Any) -> configparser.RawConfigParser:
    """The unit as systemd reads it."""
    given = {"gpu_partition_before": [], "gpu_partition_boot_wait": 300, "__gpu_partition_order": [],
             "__gpu_partition_boot_limit": 1500, "ansible_managed": "managed", **variables}
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined)
    environment.filters["comment"] = lambda text: f"# {text}"
    text = environment.from_string((ROLE / "templates/instinct-partition.service.j2").read_text(encoding="utf-8"))
    found = configparser.RawConfigParser(strict=True, delimiters="=")
    found.optionxform = str  # type: ignore[assignment,method-assign]
    found.read_string(text.render(given))
    return found


def test_the_unit_stands_before_what_needs_it_and_is_required_by_schedulers_alone() -> None:
    found = unit(gpu_partition_before=["slurmd.service"], __gpu_partition_order=["slurmd.service", "docker.service"])
    assert found["Unit"]["Before"] == "slurmd.service docker.service"
    assert (found["Install"]["RequiredBy"], found["Install"]["WantedBy"]) == ("slurmd.service", "multi-user.target")
    assert found["Service"]["ExecStart"] == f"{gpu_partition_files.PROGRAM} apply --wait 300"


def test_the_unit_stays_runs_once_and_ends() -> None:
    found = unit()
    assert (found["Service"]["Type"], found["Service"]["RemainAfterExit"], found["Service"]["TimeoutStartSec"]) == (
        "oneshot", "yes", "1500")
    assert found["Unit"]["RefuseManualStop"] == "yes"
    said = {key for section in found.sections() for key in found[section]}
    assert not said & {"Restart", "FailureAction", "StartLimitAction", "SuccessExitStatus", "DeviceAllow", "DevicePolicy",
                       "ProtectKernelModules", "ProtectKernelTunables"}


def test_what_may_be_stopped_for_a_change_starts_after_the_unit() -> None:
    order = data("roles/gpu_partition/vars/main.yml")["__gpu_partition_order"]  # type: ignore[index]
    assert all(f"gpu_partition_{name}" in order for name in ("before", "clients", "stop_units"))


def test_files_are_written_after_the_change_as_one_set() -> None:
    included = [task["ansible.builtin.include_tasks"] for task in tasks("main") if "ansible.builtin.include_tasks" in task]
    assert included == ["apply.yml", "settle.yml", "remove.yml"]
    names = ["apply", "settle", "bind", "toolkit", "refresh", "boot", "cascade", "main"]
    writing = [task for name in names for task in tasks(name) if "instinct.fleet.gpu_partition_files" in task]
    assert len(writing) == 1


@pytest.mark.parametrize("name", ["apply", "assert"])
def test_every_option_of_the_module_is_given(name: str) -> None:
    (task,) = tasks(name)
    theirs = {"name", "actor", "profile_data", "capability_data"}  # of an export, of people, of the action plugin
    assert set(task["instinct.fleet.gpu_partition"]) == set(gpu_partition.SPEC) - theirs


def test_every_option_of_the_files_is_given() -> None:
    assert set(tasks("settle")[0]["instinct.fleet.gpu_partition_files"]) == set(gpu_partition_files.SPEC) - {"state"}


def test_the_toolkit_is_judged_by_what_it_says() -> None:
    first, write, last = tasks("toolkit")
    assert (first["failed_when"], first["check_mode"]) == (False, False)
    assert "'CDI spec is valid' not in" in write["when"] and "'CDI spec is valid' not in" in last["failed_when"]


def test_links_to_the_unit_go_before_it_does() -> None:
    unbind, remove, _forget = tasks("remove")
    assert unbind["ansible.builtin.command"]["argv"] == ["systemctl", "disable", "instinct-partition.service"]
    assert remove["instinct.fleet.gpu_partition_files"]["state"] == "absent"
