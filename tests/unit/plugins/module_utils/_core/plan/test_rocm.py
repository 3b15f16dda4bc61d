# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""rocm_userspace's plan."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.rocm import RocmPolicy, plan_rocm
from ansible_collections.instinct.fleet.tests.unit.support.releases import release
from ansible_collections.instinct.fleet.tests.unit.support.world import actions, bare_node, carry_out, package

POLICY = RocmPolicy(render_gid=1200)


def settled(name: str = "rocm-7.0.2", node: lk.Look | None = None) -> lk.Look:
    node = node or bare_node()
    return carry_out(node, plan_rocm(node, release(name), POLICY))


def test_a_bare_node_gets_key_files_packages_group_and_linker_cache():
    plan = plan_rocm(bare_node(), release("rocm-7.0.2"), POLICY)
    assert actions(plan) == [
        "key",
        "file",
        "file",
        "file",
        "file",
        "refresh",
        "install",
        "activate",
        "group",
        "devices",
        "ldconfig",
    ]
    assert plan.of("install")[0].data["packages"] == [
        "amd-smi-lib=*.70002-*",
        "rocm-core=*.70002-*",
        "rocminfo=*.70002-*",
    ]
    assert (plan.of("group")[0].before, plan.of("group")[0].data) == ("render 104", {"name": "render", "gid": 1200})


def test_a_node_that_is_as_wanted_has_an_empty_plan_and_no_problem():
    plan = plan_rocm(settled(), release("rocm-7.0.2"), POLICY)
    assert (plan.steps, plan.problems) == ((), ())


@pytest.mark.parametrize("path", [("rocm-7.0.2", "rocm-7.2.3", "rocm-7.0.2")])
def test_there_and_back(path):
    node = bare_node()
    for name in path:
        node = settled(name, node)
        plan = plan_rocm(node, release(name), POLICY)
        assert (plan.steps, plan.problems) == ((), ())
        assert node.rocm.active == f"/opt/rocm-{name[5:]}"


@pytest.mark.parametrize(
    ("have", "moves"),
    [
        pytest.param(
            package("rocm-smi-lib", "7.7.0.70002-56~22.04"),
            True,
            id="a package of AMD's ROCm moves with the components",
        ),
        pytest.param(
            package("rocm-smi-lib", "5.7.0-1"), False, id="the distribution's package of that name is left alone"
        ),
        pytest.param(
            package("amdgpu-core", "1:6.14.14.30100200-2226257.22.04"), False, id="driver packages are not ROCm's"
        ),
    ],
)
def test_what_else_is_installed_moves_if_it_is_amds_rocm(have, moves):
    node = settled()
    node = dc.replace(node, packages=dc.replace(node.packages, installed=(*node.packages.installed, have)))
    (step,) = plan_rocm(node, release("rocm-7.2.3"), POLICY).of("install")
    assert (have.name in step.data["names"]) is moves


def test_a_component_that_came_from_the_distribution_is_replaced():
    node = bare_node()
    higher = package("rocminfo", "99.0-1")
    node = dc.replace(node, packages=dc.replace(node.packages, installed=(*node.packages.installed, higher)))
    (step,) = plan_rocm(node, release("rocm-7.0.2"), POLICY).of("install")
    assert "rocminfo *.70002-* (was 99.0-1)" in step.words


def owned(gid: int, group: str, kind: str = "render") -> lk.Look:
    node = settled()
    device = lk.DeviceNode("/dev/dri/renderD128", kind, "root", group, gid, "0660")
    return dc.replace(node, devices=dc.replace(node.devices, nodes=(device,)))


@pytest.mark.parametrize(
    ("node", "gids"),
    [
        pytest.param(owned(104, "104"), [104], id="a number that no group has"),
        pytest.param(owned(1200, "render"), None, id="the group's"),
        pytest.param(owned(3000, "tenant-a"), None, id="another group's, as a reservation gives it"),
        pytest.param(owned(44, "44", "card"), None, id="a card node"),
    ],
)
def test_device_nodes_of_a_number_that_no_group_has_are_given_to_the_group(node, gids):
    plan = plan_rocm(node, release("rocm-7.0.2"), POLICY)
    assert [s.data["gids"] for s in plan.of("devices")] == ([gids] if gids else [])
    assert plan_rocm(carry_out(node, plan), release("rocm-7.0.2"), POLICY).empty


def test_without_a_wish_the_group_is_left_alone():
    assert "group" not in actions(plan_rocm(bare_node(), release("rocm-7.0.2"), RocmPolicy()))


def test_opt_rocm_that_leads_elsewhere_is_led_back():
    node = settled()
    links = tuple(dc.replace(a, chosen="/opt/rocm-6.2.0") for a in node.rocm.alternatives)
    node = dc.replace(node, rocm=dc.replace(node.rocm, active="/opt/rocm-6.2.0", alternatives=links))
    plan = plan_rocm(node, release("rocm-7.0.2"), POLICY)
    assert [s.words for s in plan.steps] == [
        "let /opt/rocm lead to /opt/rocm-7.0.2 (led to /opt/rocm-6.2.0)", "refresh the linker cache"]
    (step,) = plan.of("activate")
    assert (step.before, step.after) == ("/opt/rocm-6.2.0", "/opt/rocm-7.0.2")
    assert step.data == {"prefix": "/opt/rocm-7.0.2"}
    assert plan_rocm(carry_out(node, plan), release("rocm-7.0.2"), POLICY).empty


def test_a_linker_cache_that_a_killed_run_left_stale_is_made_again():
    node = settled()
    node = dc.replace(node, rocm=dc.replace(node.rocm, linker_stale=True))
    plan = plan_rocm(node, release("rocm-7.0.2"), POLICY)
    assert actions(plan) == ["ldconfig"]
    assert plan_rocm(carry_out(node, plan), release("rocm-7.0.2"), POLICY).empty


def test_a_binding_that_does_not_belong_to_its_library_is_a_problem():
    smi = lk.Smi(
        binding_version="6.3.3",
        binding_path="/usr/lib/python3/dist-packages/amdsmi",
        library_version="26.0.2",
        mismatch=True,
    )
    assert plan_rocm(dc.replace(settled(), smi=smi), release("rocm-7.0.2"), POLICY).problems == (
        (
            "amdsmi binding 6.3.3 (/usr/lib/python3/dist-packages/amdsmi) does not belong to library 26.0.2; "
            "remove the binding that did not come with ROCm"
        ),
    )


SILENT = lk.Smi(source="sysfs", error="init took longer than 10 s")
LOADED = lk.Driver(loaded=True)


@pytest.mark.parametrize(
    ("changes", "policy", "problems"),
    [
        ({"smi": SILENT, "driver": LOADED}, POLICY, ("amdsmi does not answer: init took longer than 10 s",)),
        ({"smi": SILENT}, POLICY, ()),
        ({"smi": SILENT, "driver": LOADED, "gpus": lk.Gpus()}, POLICY, ()),
        ({"smi": SILENT, "driver": LOADED}, RocmPolicy(components=("rocm-core",), render_gid=1200), ()),
        ({"smi": lk.Smi(source="amdsmi"), "driver": LOADED}, POLICY, ()),
    ],
    ids=["silent", "no driver loaded", "no GPU", "not wanted", "answers"],
)
def test_a_library_that_is_wanted_and_does_not_answer_is_a_problem(changes, policy, problems):
    assert plan_rocm(dc.replace(settled(), **changes), release("rocm-7.0.2"), policy).problems == problems


def with_packages(node: lk.Look, *more: lk.Package, holds: tuple[str, ...] = ()) -> lk.Look:
    packages = dc.replace(node.packages, installed=(*node.packages.installed, *more), broken=more, holds=holds)
    return dc.replace(node, packages=packages)


def test_a_held_package_that_must_change_is_refused_before_anything_does():
    with pytest.raises(FleetError) as raised:
        plan_rocm(with_packages(settled(), holds=("rocminfo", "vim")), release("rocm-7.2.3"), POLICY)
    assert raised.value.sentence == (
        "rocminfo: is on hold by another hand, and release rocm-7.2.3 needs another version; "
        "lift the hold if it is no longer meant: apt-mark unhold rocminfo"
    )
    assert plan_rocm(with_packages(settled(), holds=("rocminfo",)), release("rocm-7.0.2"), POLICY).empty


def test_a_half_installed_package_of_amds_rocm_is_installed_again():
    half = package("rocm-smi-lib", "7.8.0.70002-56~22.04", "half-installed")
    plan = plan_rocm(with_packages(settled(), half), release("rocm-7.0.2"), POLICY)
    assert [s.data["packages"] for s in plan.of("repair") + plan.of("install")] == [
        ["rocm-smi-lib"],
        ["rocm-smi-lib=*.70002-*"],
    ]


def test_a_gid_that_another_group_has_is_refused_in_the_plan():
    node = bare_node()
    node = dc.replace(node, devices=dc.replace(node.devices, groups={"render": 104, "slurm": 1200}))
    with pytest.raises(FleetError) as raised:
        plan_rocm(node, release("rocm-7.0.2"), POLICY)
    assert raised.value.sentence == (
        "rocm_userspace_render_gid: 1200 is the id of the group slurm on this node; choose an id that is free on all nodes"
    )
    assert plan_rocm(node, release("rocm-7.0.2"), RocmPolicy(render_gid=1201)).of("group")


def test_a_policy_is_made_from_the_variables():
    values = {"rocm_userspace_components": ["rocm"], "rocm_userspace_render_gid": 7, "rocm_userspace_remove_others": False}
    assert RocmPolicy.from_values(values) == RocmPolicy(("rocm",), 7, False)
