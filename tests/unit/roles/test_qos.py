# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""gpu_qos: what boots follows what was proved, the unit can run again and again, options reach their module."""

from __future__ import annotations

import configparser
import typing as t

import jinja2
import pytest

from ansible_collections.instinct.fleet.plugins.action import gpu_qos_files
from ansible_collections.instinct.fleet.plugins.module_utils._qos import agent
from ansible_collections.instinct.fleet.plugins.modules import gpu_qos
from ansible_collections.instinct.fleet.tests.unit.support.project import ROOT, data

ROLE = ROOT / "roles/gpu_qos"
Task = dict[str, t.Any]


def tasks(name: str) -> list[Task]:
    return t.cast("list[Task]", data(f"roles/gpu_qos/tasks/{name}.yml"))


def test_the_unit_runs_after_partitions_and_whenever_the_timer_asks() -> None:
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined)
    environment.filters["comment"] = lambda text: f"# {text}"
    text = environment.from_string((ROLE / "templates/instinct-qos.service.j2").read_text(encoding="utf-8"))
    found = configparser.RawConfigParser(strict=True, delimiters="=")
    found.optionxform = str  # type: ignore[assignment,method-assign]
    found.read_string(text.render(gpu_qos_boot_wait=300, __gpu_qos_boot_limit=570, ansible_managed="managed"))
    assert found["Service"]["ExecStart"] == f"{gpu_qos_files.PROGRAM} apply --wait 300"
    assert "instinct-partition.service" in found["Unit"]["After"].split()
    assert (found["Service"]["Type"], found["Service"]["TimeoutStartSec"], found["Install"]["WantedBy"]) == (
        "oneshot", "570", "multi-user.target")
    assert (found["Service"]["Restart"], found["Service"]["RestartPreventExitStatus"], found["Unit"]["StartLimitIntervalSec"]) == (
        "on-failure", str(agent.NOT_SO), "0")
    said = {key for section in found.sections() for key in found[section]}
    assert not said & {"RemainAfterExit", "DeviceAllow", "DevicePolicy", "PrivateDevices", "ProtectKernelTunables"}


def test_what_boots_is_written_after_the_profile_is_proved() -> None:
    included = [task["ansible.builtin.include_tasks"] for task in tasks("main") if "ansible.builtin.include_tasks" in task]
    assert included == ["apply.yml", "keep.yml", "forget.yml"]


@pytest.mark.parametrize("name", ["apply", "assert"])
def test_every_option_of_the_module_is_given(name: str) -> None:
    (task,) = tasks(name)
    assert set(task["instinct.fleet.gpu_qos"]) == set(gpu_qos.SPEC) - {"actor", "profile_data", "product_data"}


def test_every_option_of_the_files_is_given() -> None:
    stop, write, *_bind = tasks("keep")
    assert stop["ansible.builtin.include_tasks"] == "untimed.yml"
    assert set(write["instinct.fleet.gpu_qos_files"]) == set(gpu_qos_files.SPEC) - {"state"}


def test_the_timer_goes_before_what_was_is_restored() -> None:
    first, restore = tasks("remove")
    assert first["ansible.builtin.include_tasks"] == "forget.yml"
    assert restore["instinct.fleet.gpu_qos"]["state"] == "restored"
    untimed, unbind, remove, _forget = tasks("forget")
    assert untimed["ansible.builtin.include_tasks"] == "untimed.yml"
    assert unbind["ansible.builtin.command"]["argv"] == ["systemctl", "disable", "--now", "instinct-qos.service"]
    assert remove["instinct.fleet.gpu_qos_files"]["state"] == "absent"
