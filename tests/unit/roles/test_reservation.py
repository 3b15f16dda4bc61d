# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""gpu_reservation: options reach their modules, and the unit runs where what it needs is there."""

from __future__ import annotations

import configparser
import typing as t

import jinja2
import pytest

from ansible_collections.instinct.fleet.plugins.action import gpu_reservation_files
from ansible_collections.instinct.fleet.plugins.modules import gpu_reservation
from ansible_collections.instinct.fleet.tests.unit.support.project import ROOT, data

ROLE = ROOT / "roles/gpu_reservation"
Task = dict[str, t.Any]


def tasks(name: str) -> list[Task]:
    return t.cast("list[Task]", data(f"roles/gpu_reservation/tasks/{name}.yml"))


def unit() -> configparser.RawConfigParser:
    """The unit as systemd reads it."""
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined)
    environment.filters["comment"] = lambda text: f"# {text}"
    text = environment.from_string((ROLE / "templates/instinct-reservation.service.j2").read_text(encoding="utf-8"))
    found = configparser.RawConfigParser(strict=True, delimiters="=")
    found.optionxform = str  # type: ignore[assignment,method-assign]
    found.read_string(text.render(ansible_managed="managed", gpu_reservation_before=["slurmd.service"], gpu_reservation_boot_wait=60))
    return found


def test_the_unit_runs_when_gpus_are_divided_and_before_schedulers() -> None:
    found = unit()
    assert "instinct-partition.service" in found["Unit"]["After"].split() and found["Unit"]["Before"] == "slurmd.service"
    assert found["Service"]["ExecStart"] == "/usr/local/bin/instinct-reservation apply --wait 60"
    # A timer starts it again, which it could not if it stayed.
    assert (found["Service"]["Type"], "RemainAfterExit" in found["Service"], found["Service"]["TimeoutStartSec"]) == ("oneshot", False, "360")


def test_the_unit_may_do_what_it_does() -> None:
    service = unit()["Service"]
    assert {"CAP_CHOWN", "CAP_FOWNER", "CAP_DAC_OVERRIDE", "CAP_SYS_ADMIN"} <= set(service["CapabilityBoundingSet"].split())
    assert not {"PrivateDevices", "DevicePolicy", "DeviceAllow", "MemoryDenyWriteExecute"} & set(service)
    assert service["ReadWritePaths"] == "/etc"


def test_devices_are_given_before_the_unit_is_there() -> None:
    assert [task["ansible.builtin.include_tasks"] for task in tasks("main")] == ["apply.yml", "keep.yml", "refresh.yml"]


@pytest.mark.parametrize(("name", "module", "spec"), [
    ("apply", "gpu_reservation", gpu_reservation.SPEC), ("keep", "gpu_reservation_files", gpu_reservation_files.SPEC)])
def test_every_option_of_a_module_is_given(name: str, module: str, spec: Task) -> None:
    assert set(tasks(name)[0][f"instinct.fleet.{module}"]) == set(spec)
