# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a node records about itself, and reboots."""

from __future__ import annotations

import json

from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.managed import LOCAL_FACTS, RELEASE_RECORD
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.record import plan_reboot, plan_record
from ansible_collections.instinct.fleet.tests.unit.support.releases import release
from ansible_collections.instinct.fleet.tests.unit.support.world import KERNEL, bare_node, carry_out


def test_the_record_names_release_kernel_driver_and_rocm():
    steps = {
        s.data["path"]: json.loads(s.data["content"]) for s in plan_record(bare_node(), release("rocm-7.0.2")).steps
    }
    assert steps == {
        RELEASE_RECORD: {
            "version": "v1",
            "release": "rocm-7.0.2",
            "kernel": KERNEL,
            "rocm": "7.0.2",
            "driver": {
                "source": "dkms",
                "release": "30.10.2",
                "packages": {
                    "amdgpu-dkms": "1:6.14.14.30100200-2226257.22.04",
                    "amdgpu-dkms-firmware": "30.10.2.0.30100200-2226257.22.04",
                },
            },
        },
        LOCAL_FACTS: {"release": "rocm-7.0.2", "driver": "30.10.2", "rocm": "7.0.2"},
    }


def test_a_record_that_is_right_is_not_written_again():
    node = carry_out(bare_node(), plan_record(bare_node(), release("rocm-7.0.2")))
    assert plan_record(node, release("rocm-7.0.2")).empty
    assert len(plan_record(node, release("rocm-7.2.3")).steps) == 2


def test_a_reboot_is_a_step_only_when_it_is_needed_and_allowed():
    assert [s.words for s in plan_reboot("kernel 2 must boot", True).steps] == ["reboot: kernel 2 must boot"]
    assert plan_reboot("kernel 2 must boot", False).empty
    assert plan_reboot("", True).empty
