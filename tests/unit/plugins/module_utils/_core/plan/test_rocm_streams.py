# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Moves between both streams of ROCm, several beside each other, and what goes with them."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.rocm import RocmPolicy, plan_rocm
from ansible_collections.instinct.fleet.tests.unit.support.releases import FINGERPRINT, side_by_side, userspace
from ansible_collections.instinct.fleet.tests.unit.support.world import actions, bare_node, carry_out

POLICY = RocmPolicy(render_gid=1200)


def with_packages(node: lk.Look, *more: lk.Package, holds: tuple[str, ...] = ()) -> lk.Look:
    packages = dc.replace(node.packages, installed=(*node.packages.installed, *more), broken=more, holds=holds)
    return dc.replace(node, packages=packages)


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
