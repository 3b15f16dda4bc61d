# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The example inventory is one that works: its layers end where they should, and each node can be planned with it."""

from __future__ import annotations

import dataclasses as dc
import json
import os
import re
import subprocess
import sys
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation import fleet, wish
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.demand import Demand
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.shape import Device
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout import reading
from ansible_collections.instinct.fleet.plugins.plugin_utils import planning, role_specs
from ansible_collections.instinct.fleet.tests.unit.support.project import ROOT, files
from ansible_collections.instinct.fleet.tests.unit.support.world import bare_node

EXAMPLE = ROOT / "inventories" / "example"
DEVICES = {"mi300x": "74a1", "mi355x": "75a3"}
BESIDES = ("gpu_reservation", "gpu_qos", "host_tuning", "rocm_image", "rdma_stack")  # planned by playbooks of their own
Hosts = dict[str, dict[str, t.Any]]


@pytest.fixture(name="listed", scope="module")
def _listed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, t.Any]:
    """What ansible-inventory makes of it, with its own configuration."""
    home = str(tmp_path_factory.mktemp("home"))
    done = subprocess.run(
        [sys.executable, "-m", "ansible.cli.inventory", "--list"], cwd=EXAMPLE, check=True, capture_output=True, text=True,
        env={**os.environ, "ANSIBLE_HOME": home, "ANSIBLE_CONFIG": str(EXAMPLE / "ansible.cfg")})
    assert done.stderr == ""
    return t.cast("dict[str, t.Any]", json.loads(done.stdout))


@pytest.fixture(name="hosts")
def _hosts(listed: dict[str, t.Any]) -> Hosts:
    return t.cast("Hosts", listed["_meta"]["hostvars"])


def node(listed: dict[str, t.Any], host: str, kernel: str) -> lk.Look:
    """A bare Ubuntu node with the GPUs of its product."""
    device = next(d for product, d in DEVICES.items() if host in listed[product]["hosts"])
    look = bare_node(kernel, "24.04", "noble", device_id=device)
    return dc.replace(look, os=dc.replace(look.os, id="ubuntu", point_version="24.04.4"))


def values(variables: dict[str, t.Any]) -> dict[str, dict[str, t.Any]]:
    for role in planning.ROLES:
        role_specs.refuse_misspelt(role, variables)
    return {role: role_specs.validated(role, variables) for role in planning.ROLES}


def test_every_node_has_a_product(listed: dict[str, t.Any], hosts: Hosts) -> None:
    assert sorted(hosts) == sorted(host for product in DEVICES for host in listed[product]["hosts"])


def test_the_layers_end_where_they_should(hosts: Hosts) -> None:
    assert {host: v["gpu_release_name"] for host, v in hosts.items()} == {
        "gpu-a01": "rocm-7.2.4", "gpu-a02": "rocm-7.2.3", "gpu-a03": "rocm-7.2.3", "gpu-b01": "rocm-7.2.3", "gpu-b02": "rocm-7.2.3"}
    assert {host for host, v in hosts.items() if v["gpu_driver_reboot_allowed"]} == {"gpu-a01"}
    assert {host for host, v in hosts.items() if "rccl" in v["rocm_userspace_components"]} == {"gpu-a01", "gpu-a02", "gpu-a03"}
    assert hosts["gpu-a01"]["gpu_release_kernel"] != hosts["gpu-a02"]["gpu_release_kernel"]
    # To accept more than AMD's documents say is a decision with a reason. Here is none.
    assert [host for host, v in hosts.items() if v.get("gpu_release_accept")] == []
    assert "mirror-b" in hosts["gpu-b01"]["gpu_release_mirrors"]["https://repo.radeon.com"]


def test_every_variable_is_one_that_a_role_a_playbook_or_ansible_knows(hosts: Hosts) -> None:
    known = {option for role in (*planning.ROLES, *BESIDES) for option in role_specs.options(role)}
    playbooks = "".join((ROOT / path).read_text(encoding="utf-8") for path in files("playbooks/**/*.yml"))
    known |= set(re.findall(r"\bfleet_upgrade_\w+(?= \| default\()", playbooks))
    given = {name for variables in hosts.values() for name in variables if not name.startswith("ansible_")}
    assert given - known == {variables["fleet_upgrade_domain"] for variables in hosts.values()}


def test_the_roll_out_goes_by_rows_and_begins_with_the_canary(listed: dict[str, t.Any], hosts: Hosts) -> None:
    (upgrade,) = {json.dumps({name: value for name, value in one.items() if name.startswith(reading.PREFIX)}) for one in hosts.values()}
    wishes = {name.removeprefix(reading.PREFIX): value for name, value in json.loads(upgrade).items()}
    policy = reading.policy(wishes, 40)
    assert (policy.max_unavailable, policy.failures, policy.per_domain, len(policy.windows)) == (8, 1, 2, 2)
    assert reading.canaries(wishes["canary"], sorted(hosts), {name: group.get("hosts", []) for name, group in listed.items()}) == ("gpu-a01",)
    assert {host: one[wishes["domain"]] for host, one in hosts.items()} == {host: host[4] for host in hosts}


def test_dies_of_the_serving_node_are_given_to_tenants(hosts: Hosts) -> None:
    said = hosts["gpu-a03"]
    dies = [Device(f"0000:{gpu:02x}:00.0-{die}", f"0000:{gpu:02x}:00.0", die, 8, render_node=f"/dev/dri/renderD{128 + 8 * gpu + die}")
            for gpu in range(8) for die in range(8)]
    wishes = tuple(wish.wish(one, "gpu_reservation_list") for one in said["gpu_reservation_list"])
    tenants = wish.tenants(said["gpu_reservation_tenants"], "gpu_reservation_tenants")
    (planned,) = fleet.plan([Demand("gpu-a03", tuple(dies), tenants, wishes)])
    assert planned.refusal == ""
    assert planned.record is not None
    assert {grant.wish.name: len(grant.devices) for grant in planned.record.grants} == {"serving": 32, "night": 16}
    assert (len(planned.record.spares), len(planned.record.pool)) == (8, 8)


@pytest.mark.parametrize("host", ["gpu-a01", "gpu-a02", "gpu-b01"])
def test_every_kind_of_node_can_be_planned(listed: dict[str, t.Any], hosts: Hosts, host: str) -> None:
    given = hosts[host] | {"gpu_firmware_policy": "report"}  # a bare node tells no firmware
    plan = planning.plan_node(node(listed, host, "6.8.0-60-generic"), values(given), planning.ROLES)
    assert plan.wanted.name == hosts[host]["gpu_release_name"]
    assert plan.wanted.kernel.wanted == hosts[host]["gpu_release_kernel"]
    assert plan.plans["gpu_driver"].of("install")
    assert plan.plans["rocm_userspace"].of("install")
    assert all(r.uri.startswith("https://mirror") for r in plan.wanted.repositories)


def test_files_are_named_after_what_they_steer_and_say_why() -> None:
    layers = files("inventories/example/*_vars/*/*.yml")
    assert len(layers) >= 10
    assert [p for p in layers if not Path(ROOT / p).read_text(encoding="utf-8").startswith("---\n# ")] == []
