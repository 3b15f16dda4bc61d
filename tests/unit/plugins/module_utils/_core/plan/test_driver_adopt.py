# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A driver of unknown origin is refused, or taken over where the site says so."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.driver import DriverPolicy, plan_driver
from ansible_collections.instinct.fleet.tests.unit.support.releases import release
from ansible_collections.instinct.fleet.tests.unit.support.world import (
    KERNEL,
    bare_node,
    carry_out,
    dkms_built,
    package,
)

ADOPT = DriverPolicy(reload_allowed=True, adopt=True)
WANTED = release("rocm-7.0.2")
WANTED_VERSION = "6.14.14-2226257.22.04"
HINT = "remove it with the tool that installed it, or set gpu_driver_adopt to true, then run again"
COPIED = f"/lib/modules/{KERNEL}/updates/amdgpu.ko"


def registered(version: str) -> lk.Look:
    """A version in DKMS without a package, as a runfile leaves it."""
    node = bare_node()
    module = lk.DkmsModule("amdgpu", version, KERNEL, "x86_64", "installed")
    return dc.replace(node, dkms=lk.Dkms(True, (module,)),
                      driver=dc.replace(node.driver, on_disk=(dkms_built(KERNEL, version),)))


def packaged(name: str, version: str, node: lk.Look | None = None) -> lk.Look:
    """A package more."""
    node = node or bare_node()
    return dc.replace(node, packages=dc.replace(node.packages, installed=(*node.packages.installed, package(name, version))))


RUNFILE = registered("6.8.5-1")
BY_HAND = dc.replace(
    bare_node(), driver=lk.Driver(loaded=False, on_disk=(lk.OnDisk(KERNEL, COPIED, "other", "1", "S"),)))
CUSTOM = packaged("amdgpu-dkms", "5.18.13.50401-custom1", registered("5.18.13-custom1"))
ROCK = packaged("rock-dkms", "1:5.9.0", registered("5.9.0-1"))

# id, node, sentence, actions between trial and build, what is taken over
CASES = [
    ("in DKMS without a package", RUNFILE,
     "driver amdgpu: DKMS holds amdgpu 6.8.5-1 but no amdgpu-dkms package is installed; " + HINT,
     ["adopt", "install"], {"versions": ["6.8.5-1"], "modules": []}),
    ("copied by hand", BY_HAND, f"driver amdgpu: {COPIED} is neither a DKMS build nor the kernel's own module; {HINT}",
     ["adopt", "install"], {"versions": [], "modules": [COPIED]}),
    ("a package that AMD did not make", CUSTOM,
     "driver amdgpu: version 5.18.13.50401-custom1 of amdgpu-dkms is not one of AMD's; " + HINT,
     ["adopt", "install"], {"versions": ["5.18.13-custom1"], "modules": []}),
    ("an older package of another name", ROCK, "driver amdgpu: the package rock-dkms brings another one; " + HINT,
     ["evict", "adopt", "install"], {"versions": ["5.9.0-1"], "modules": []}),
    ("the wanted version, in DKMS without a package", registered(WANTED_VERSION),
     f"driver amdgpu: DKMS holds amdgpu {WANTED_VERSION} but no amdgpu-dkms package is installed; {HINT}",
     ["install"], None),
]


@pytest.mark.parametrize(("node", "sentence"), [c[1:3] for c in CASES], ids=[c[0] for c in CASES])
def test_a_driver_of_unknown_origin_is_refused(node, sentence):
    with pytest.raises(FleetError) as refusal:
        plan_driver(node, WANTED, DriverPolicy())
    assert str(refusal.value) == sentence


@pytest.mark.parametrize(("node", "between", "data"), [(c[1], *c[3:]) for c in CASES], ids=[c[0] for c in CASES])
def test_or_taken_over_once_the_wanted_one_was_built_on_trial(node, between, data):
    plan = plan_driver(node, WANTED, ADOPT)
    found = [s.action for s in plan.steps]
    start = found.index(between[0])
    assert found.index("trial") < start
    assert found[start:start + len(between)] == between
    assert [dict(s.data) for s in plan.of("adopt")] == ([data] if data else [])
    after = carry_out(node, plan)
    again = plan_driver(after, WANTED, DriverPolicy(reload_allowed=True))
    assert (again.steps, again.problems) == ((), ())
    assert [m.version for m in after.dkms.modules] == [WANTED_VERSION]


def test_the_plan_says_in_words_what_is_taken_over():
    (step,) = plan_driver(RUNFILE, WANTED, ADOPT).of("adopt")
    assert step.words == "take over the driver of another hand: remove amdgpu 6.8.5-1 from DKMS"
    (step,) = plan_driver(BY_HAND, WANTED, ADOPT).of("adopt")
    assert step.words == f"take over the driver of another hand: move {COPIED} to /var/lib/instinct/adopted"
    assert plan_driver(CUSTOM, WANTED, ADOPT).notes == (
        "amdgpu 5.18.13-custom1 was in DKMS without a package; its source, if it is in /usr/src, stays there",
        "version 5.18.13.50401-custom1 of amdgpu-dkms is not one of AMD's and is replaced")


def test_the_kernels_own_driver_takes_over_too():
    wanted = release("rocm-7.0.2", source="in_tree")
    plan = plan_driver(RUNFILE, wanted, ADOPT)
    assert plan.of("adopt")[0].data["versions"] == ["6.8.5-1"]
    assert plan.of("forget") == ()
    assert plan_driver(carry_out(RUNFILE, plan), wanted, DriverPolicy()).steps == ()


def test_on_a_node_without_anything_foreign_nothing_is_adopted():
    assert plan_driver(bare_node(), WANTED, ADOPT) == plan_driver(
        bare_node(), WANTED, DriverPolicy(reload_allowed=True))
