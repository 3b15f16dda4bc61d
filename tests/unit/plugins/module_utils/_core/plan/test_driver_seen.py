# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a look says about the driver, and the drivers that are left alone."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.driver import DriverPolicy, plan_driver
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.driver_seen import Seen
from ansible_collections.instinct.fleet.tests.unit.support.releases import release
from ansible_collections.instinct.fleet.tests.unit.support.world import KERNEL, bare_node, carry_out

RELOAD = DriverPolicy(reload_allowed=True)
WANTED = release("rocm-7.0.2")
LOADED = carry_out(bare_node(), plan_driver(bare_node(), WANTED, RELOAD))


def test_of_a_node_as_wanted_everything_is_right():
    seen = Seen.of(LOADED, WANTED)
    assert (seen.kernel, seen.source, seen.running, seen.built, seen.loaded_right) == (KERNEL, "dkms", True, True, True)
    assert seen.dkms_line == f"amdgpu/6.14.14-2226257.22.04, {KERNEL}: installed"
    assert (seen.stale, seen.trial_kernels) == ((), (KERNEL,))


def test_of_a_bare_node_nothing_is_built_and_the_wanted_kernel_is_tried():
    seen = Seen.of(bare_node(), WANTED)
    assert (seen.built, seen.loaded_right, seen.dkms_line, seen.trial_kernels) == (False, False, "", (KERNEL,))


@pytest.mark.parametrize(
    ("state", "flags", "built"),
    [
        ("installed", (), True),
        ("installed", ("original module kept",), True),
        ("installed", ("installed differs from built",), False),
        ("installed", ("built modules missing",), False),
        ("built", (), False),
        ("added", (), False),
    ],
)
def test_what_dkms_must_say_of_a_module_that_is_built(state, flags, built):
    module = lk.DkmsModule("amdgpu", "6.14.14-2226257.22.04", KERNEL, "x86_64", state, flags)
    assert Seen.of(dc.replace(LOADED, dkms=lk.Dkms(True, (module,))), WANTED).built is built


IN_TREE = release("rocm-7.0.2", source="in_tree")
NO_NUMBERS = lk.Driver(loaded=True, on_disk=bare_node().driver.on_disk)


@pytest.mark.parametrize(
    ("driver", "wanted", "right"),
    [
        pytest.param(LOADED.driver, WANTED, True, id="AMD's, by srcversion"),
        pytest.param(dc.replace(LOADED.driver, loaded_is_on_disk=False), WANTED, False, id="another build of AMD's"),
        pytest.param(dc.replace(LOADED.driver, loaded_is_on_disk=None), WANTED, None, id="AMD's, not comparable"),
        pytest.param(
            dc.replace(LOADED.driver, version=None, srcversion=None, loaded_is_on_disk=None), WANTED, False,
            id="the kernel's own, loaded before AMD's was built"),
        pytest.param(
            dc.replace(LOADED.driver, version=None, srcversion=None, loaded_is_on_disk=None,
                       unknown={"version": "permission denied"}), WANTED, None, id="not told"),
        pytest.param(NO_NUMBERS, IN_TREE, True, id="the kernel's own, which has no numbers"),
        pytest.param(
            dc.replace(NO_NUMBERS, version="6.14.14", loaded_is_on_disk=False), IN_TREE, False, id="still AMD's"
        ),
        pytest.param(NO_NUMBERS, WANTED, False, id="the kernel's own instead of AMD's"),
    ],
)
def test_whether_the_loaded_module_is_the_wanted_one(driver, wanted, right):
    assert Seen.of(dc.replace(LOADED, driver=driver), wanted).loaded_right is right


def test_dkms_versions_that_their_package_takes_away_are_not_stale():
    versions = ("6.14.14-2226257.22.04", "6.12.12-2187269.22.04")
    modules = tuple(lk.DkmsModule("amdgpu", v, KERNEL, "x86_64", "installed") for v in versions)
    node = dc.replace(LOADED, dkms=lk.Dkms(True, modules))
    assert Seen.of(node, release("rocm-7.2.3")).stale == ("6.12.12-2187269.22.04",)
