# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What dkms brings along on a RHEL 9 node, and what keeps it from bringing another kernel."""

from __future__ import annotations

import dataclasses as dc

from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.driver import plan_driver
from ansible_collections.instinct.fleet.tests.unit.support.rpm_world import (
    EL,
    EL_NEWER,
    RELOAD,
    carry_out,
    release,
    settled,
)
from ansible_collections.instinct.fleet.tests.unit.support.world import actions, reboot


def test_no_kernel_comes_that_nobody_wants() -> None:
    node = settled("dnf")
    assert node.kernel and node.packages
    assert [k.release for k in node.kernel.installed] == [EL]
    assert {p.version for p in node.packages.installed if p.name.startswith("kernel")} == {EL.removesuffix(".x86_64")}


def test_locked_kernels_are_lifted_before_dkms_brings_parts_of_the_wanted_one() -> None:
    node = settled("dnf")
    assert node.packages
    left = tuple(p for p in node.packages.installed if p.name != "dkms")
    node = dc.replace(node, packages=dc.replace(node.packages, installed=left))
    plan = plan_driver(node, release("dnf", "rocm-7.0.2", EL_NEWER), RELOAD)
    assert actions(plan)[:5] == ["refresh", "unhold", "tools", "build", "hold"]
    after = carry_out(node, plan)
    assert plan_driver(reboot(after), release("dnf", "rocm-7.0.2", EL_NEWER), RELOAD).steps == ()
