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
from ansible_collections.instinct.fleet.tests.unit.support.releases import FINGERPRINT, release, side_by_side, userspace
from ansible_collections.instinct.fleet.tests.unit.support.world import bare_node, carry_out, package

POLICY = RocmPolicy(render_gid=1200)


def actions(plan) -> list[str]:
    return [s.action for s in plan.steps]


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


def then(node: lk.Look, *names: str, policy: RocmPolicy = POLICY) -> tuple[lk.Look, list[str]]:
    """The node after the plan for a release and those beside it, and what the plan did; a second plan is empty."""
    wanted = side_by_side(*names)
    plan = plan_rocm(node, wanted, policy)
    after = carry_out(node, plan)
    again = plan_rocm(after, wanted, policy)
    assert ([s.words for s in again.steps], again.problems) == ([], ())
    assert after.rocm.active == wanted.rocm.prefix
    assert {p.path for p in after.rocm.prefixes} >= {r.prefix for r in (wanted.rocm, *wanted.beside)}
    return after, actions(plan)


LEGACY, OLDER, THEROCK, NEWEST = "rocm-7.2.3", "rocm-7.0.2", "rocm-7.14.0", "rocm-10.0.0"


@pytest.mark.parametrize(
    "path",
    [
        pytest.param([(LEGACY,), (THEROCK,), (LEGACY,)], id="to the other stream and back"),
        pytest.param([(THEROCK,), (NEWEST,), (THEROCK,)], id="within the new stream and back"),
        pytest.param([(LEGACY,), (LEGACY, OLDER), (OLDER, LEGACY), (OLDER,)], id="legacy side by side, then the other one"),
        pytest.param([(LEGACY,), (THEROCK, LEGACY), (LEGACY, THEROCK), (LEGACY,)], id="both streams, each of them active"),
        pytest.param([(LEGACY,), (LEGACY, THEROCK), (THEROCK,)], id="the old one first, with the new beside it"),
        pytest.param([(THEROCK,), (NEWEST, THEROCK), (THEROCK, NEWEST), (LEGACY, OLDER)], id="new ones, then only old ones"),
        pytest.param([(LEGACY, OLDER, THEROCK, NEWEST), (NEWEST,), (OLDER, LEGACY)], id="all of them"),
    ],
)
def test_every_move_takes_one_run(path):
    node = bare_node()
    for names in path:
        node, _done = then(node, *names)
        assert {p.path for p in node.rocm.prefixes} == {r.prefix for r in map(userspace, names)}


def test_the_way_to_the_new_stream():
    node, _done = then(bare_node(), LEGACY)
    plan = plan_rocm(node, side_by_side(THEROCK), POLICY)
    assert actions(plan) == [
        "key", "file", "file", "remove", "clear", "refresh", "install", "activate", "ldconfig"]
    words = [s.words for s in plan.steps if s.action in ("remove", "clear", "install", "activate")]
    assert words == [
        "remove amd-smi-lib 7.2.3.70203-56~22.04, rocm-core 7.2.3.70203-56~22.04, rocminfo 7.2.3.70203-56~22.04",
        "take the link /opt/rocm away, since /opt/rocm/core-7.14 lies below it",
        "install amdrocm-amdsmi7.14 7.14.0-*, amdrocm-base7.14 7.14.0-*",
        "let /opt/rocm lead to /opt/rocm/core-7.14 (led to /opt/rocm-7.2.3)",
    ]
    sources, pins = (s.after for s in plan.of("file"))
    assert "URIs: https://repo.amd.com/rocm/packages-multi-arch/debian12\nSuites: stable\n" in sources
    assert "Package: amdrocm*7.14-*\nPin: version 7.14.0-*\nPin-Priority: 1001\n" in pins
    assert "repo.radeon.com" not in sources + pins


def test_side_by_side_packages_have_numbers_and_those_without_go():
    node, _done = then(bare_node(), LEGACY)
    plan = plan_rocm(node, side_by_side(LEGACY, OLDER), POLICY)
    assert plan.of("remove")[0].data == {"packages": ["amd-smi-lib", "rocm-core", "rocminfo"]}
    assert plan.of("install")[0].data["packages"] == [
        "amd-smi-lib7.0.2=*.70002-*", "amd-smi-lib7.2.3=*.70203-*", "rocm-core7.0.2=*.70002-*",
        "rocm-core7.2.3=*.70203-*", "rocminfo7.0.2=*.70002-*", "rocminfo7.2.3=*.70203-*"]
    assert plan.of("clear") == ()
    assert plan.of("file")[0].after.count("URIs: https://repo.radeon.com/rocm/apt/") == 2


def test_both_streams_beside_each_other_need_no_numbers_in_legacy_names():
    plan = plan_rocm(bare_node(), side_by_side(LEGACY, THEROCK), POLICY)
    assert plan.of("install")[0].data["names"] == [
        "amd-smi-lib", "amdrocm-amdsmi7.14", "amdrocm-base7.14", "rocm-core", "rocminfo"]
    assert [s.data["fingerprint"] for s in plan.of("key")] == [FINGERPRINT, "AB" * 20]


def test_others_stay_where_the_site_says_so_and_are_noted():
    node, _done = then(bare_node(), LEGACY)
    keep = RocmPolicy(render_gid=1200, remove_others=False)
    node, done = then(node, THEROCK, policy=keep)
    assert "remove" not in done and "clear" in done
    assert [p.path for p in node.rocm.prefixes] == ["/opt/rocm-7.2.3", "/opt/rocm/core-7.14"]
    plan = plan_rocm(node, side_by_side(THEROCK), keep)
    assert plan.notes == ("ROCm 7.2.3 (legacy) stays, which the release does not name",)
    # What lies where one that is asked for lies goes all the same.
    only = plan_rocm(then(bare_node(), LEGACY)[0], side_by_side(LEGACY, OLDER), keep)
    assert len(only.of("remove")[0].data["packages"]) == 3


def test_rocm_that_another_hand_holds_is_not_removed():
    node, _done = then(bare_node(), LEGACY)
    with pytest.raises(FleetError) as raised:
        plan_rocm(with_packages(node, holds=("rocminfo",)), side_by_side(THEROCK), POLICY)
    assert raised.value.sentence == (
        "rocminfo: is on hold by another hand, and release rocm-7.14.0 wants no such ROCm; "
        "lift the hold if it is no longer meant: apt-mark unhold rocminfo")


def test_an_installation_in_the_folder_itself_is_refused():
    own = lk.RocmPrefix("/opt/rocm", "6.0.2", {"bin": "/opt/rocm/bin", "lib": "/opt/rocm/lib"})
    rocm = lk.Rocm((own,), "/opt/rocm", "folder", content=(".info", "bin", "lib"))
    with pytest.raises(FleetError) as raised:
        plan_rocm(dc.replace(bare_node(), rocm=rocm), side_by_side(THEROCK), POLICY)
    assert raised.value.sentence == (
        "/opt/rocm: holds bin, lib of an installation of its own, where links of the active ROCm must be; "
        "move it away, to /opt/rocm-<version>")


def test_something_else_in_the_folder_keeps_it_a_folder():
    node, _done = then(bare_node(), THEROCK)
    node = dc.replace(node, rocm=dc.replace(node.rocm, content=("extras-7",)))
    node, _done = then(node, LEGACY)
    assert (node.rocm.place, node.rocm.parts["lib"]) == ("folder", "/opt/rocm-7.2.3/lib")
    assert "llvm" not in node.rocm.parts
