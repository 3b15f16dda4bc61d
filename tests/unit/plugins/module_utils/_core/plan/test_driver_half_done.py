# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What DKMS, dpkg and other hands left half done, as the plan of the driver sees it."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.driver import DriverPolicy, plan_driver
from ansible_collections.instinct.fleet.tests.unit.support.releases import release
from ansible_collections.instinct.fleet.tests.unit.support.world import (
    KERNEL,
    actions,
    bare_node,
    carry_out,
    package,
)

RELOAD = DriverPolicy(reload_allowed=True)


def settled(name: str = "rocm-7.0.2", node: lk.Look | None = None) -> lk.Look:
    """A node that was brought to a release."""
    node = node or bare_node()
    return carry_out(node, plan_driver(node, release(name), RELOAD))


LOADED = settled()


@pytest.mark.parametrize(
    "flag",
    ["installed differs from built", "built modules missing"],
)
def test_dkms_that_says_installed_with_a_warning_is_not_built(flag):
    modules = tuple(dc.replace(m, flags=(flag,)) for m in LOADED.dkms.modules)
    plan = plan_driver(dc.replace(LOADED, dkms=lk.Dkms(True, modules)), release("rocm-7.0.2"), RELOAD)
    assert actions(plan) == ["trial", "build", "initramfs", "load"]
    assert plan.of("build")[0].data["force"] is True


def test_an_original_module_that_exists_is_no_fault():
    modules = tuple(dc.replace(m, flags=("original module kept",)) for m in LOADED.dkms.modules)
    assert plan_driver(dc.replace(LOADED, dkms=lk.Dkms(True, modules)), release("rocm-7.0.2"), RELOAD).empty


def test_another_dkms_version_is_forgotten_but_not_the_one_that_its_package_takes_away():
    extra = lk.DkmsModule("amdgpu", "6.12.12-2187269.22.04", KERNEL, "x86_64", "built")
    node = dc.replace(LOADED, dkms=lk.Dkms(True, (*LOADED.dkms.modules, extra)))
    plan = plan_driver(node, release("rocm-7.2.3"), RELOAD)
    assert [s.data["version"] for s in plan.of("forget")] == ["6.12.12-2187269.22.04"]


def test_a_half_configured_driver_package_is_installed_again():
    packages = tuple(
        dc.replace(p, state="half-configured") if p.name == "amdgpu-dkms" else p for p in LOADED.packages.installed
    )
    node = dc.replace(LOADED, packages=dc.replace(LOADED.packages, installed=packages))
    (step,) = plan_driver(node, release("rocm-7.0.2"), RELOAD).of("install")
    assert step.data["names"] == ["amdgpu-dkms"]


def holding(node: lk.Look, *names: str) -> lk.Look:
    return dc.replace(node, packages=dc.replace(node.packages, holds=names))


def test_holds_of_another_hand_come_back_where_the_site_wants_none_of_ours():
    node = holding(LOADED, "amdgpu-dkms", "vim")
    plan = plan_driver(node, release("rocm-7.2.3"), DriverPolicy(hold=False))
    assert [s.data["packages"] for s in plan.steps if s.action in ("unhold", "hold")] == [["amdgpu-dkms"]] * 2


def test_dkms_that_is_held_away_is_refused():
    with pytest.raises(FleetError, match="dkms: is on hold by another hand"):
        plan_driver(holding(bare_node(), "dkms"), release("rocm-7.0.2"), DriverPolicy())


KERNEL_HALF_DONE = dc.replace(
    LOADED,
    packages=dc.replace(
        LOADED.packages, broken=(package("linux-image-6.12.117+deb12-amd64", "6.12.117-1", "half-configured"),)
    ),
)


def test_a_kernel_that_dpkg_did_not_finish_is_a_problem_on_a_node_that_is_as_wanted():
    plan = plan_driver(KERNEL_HALF_DONE, release("rocm-7.0.2"), RELOAD)
    assert plan.empty
    assert plan.problems == (
        "dpkg has not finished linux-image-6.12.117+deb12-amd64 (half-configured); the driver of this release may not "
        "build for that kernel: remove it, or run dpkg --configure -a",
    )


def test_a_move_finishes_what_dpkg_left_half_done_before_it_refreshes_the_lists():
    plan = plan_driver(KERNEL_HALF_DONE, release("rocm-7.2.3"), RELOAD)
    assert actions(plan)[:5] == ["trial", "file", "file", "repair", "refresh"]
    assert plan.problems == ()


def test_the_trial_takes_what_will_be_written_for_written():
    plan = plan_driver(settled(), release("rocm-7.2.3"), RELOAD)
    (trial,) = plan.of("trial")
    assert (trial.data["files"], trial.data["keys"]) == ([s.data for s in plan.of("file")], [])
    (trial,) = plan_driver(bare_node(), release("rocm-7.2.3"), RELOAD).of("trial")
    assert [key["path"] for key in trial.data["keys"]] == [s.data["path"] for s in plan_driver(
        bare_node(), release("rocm-7.2.3"), RELOAD).of("key")]


def test_tools_need_a_package_manager_that_is_whole():
    node = dc.replace(bare_node(), packages=dc.replace(bare_node().packages, interrupted=True))
    assert actions(plan_driver(node, release("rocm-7.0.2"), RELOAD))[:4] == ["repair", "refresh", "tools", "trial"]
