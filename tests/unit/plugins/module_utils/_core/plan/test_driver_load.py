# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nothing, load, reload or reboot."""

from __future__ import annotations

import dataclasses as dc
import json

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.gpus import OFF_THE_BUS
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.driver import DriverPolicy, plan_driver
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.driver_load import (
    loading_problems,
    plan_loading,
    vanished,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.driver_seen import Seen
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.managed import RELEASE_RECORD
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.record import plan_record
from ansible_collections.instinct.fleet.tests.unit.support.releases import release
from ansible_collections.instinct.fleet.tests.unit.support.world import KERNEL, bare_node, carry_out

SEEN = Seen.of(bare_node(), release("rocm-7.0.2"))
RIGHT = dc.replace(SEEN, loaded_right=True)
UNTOLD = dc.replace(SEEN, loaded_right=None)
LOADED = dc.replace(bare_node(), driver=lk.Driver(loaded=True, loaded_is_on_disk=False, version="6.12.12"))
UNKNOWN = dc.replace(bare_node(), driver=lk.Driver(loaded=True, loaded_is_on_disk=None))
UNTOLD_USE = dc.replace(LOADED, processes=lk.Processes(unknown={"processes": "no list"}))
HELD = dc.replace(LOADED, processes=lk.Processes((lk.Process(7),)))


@pytest.mark.parametrize(
    ("node", "seen", "changed", "allowed", "states", "reboot"),
    [
        pytest.param(LOADED, RIGHT, False, False, [], "", id="right and unchanged"),
        pytest.param(bare_node(), SEEN, False, False, ["loaded"], "", id="not loaded"),
        pytest.param(bare_node(gpus=0), SEEN, True, False, [], "", id="not loaded, no GPU"),
        pytest.param(LOADED, RIGHT, True, True, ["reloaded"], "", id="the module on disk changes"),
        pytest.param(LOADED, SEEN, False, True, ["reloaded"], "", id="another module is loaded"),
        pytest.param(LOADED, SEEN, False, False, [], "gpu_driver_reload_allowed is false", id="no reload allowed"),
        pytest.param(HELD, SEEN, False, True, [], "1 processes hold GPUs (pids 7)", id="in use"),
        pytest.param(
            UNTOLD_USE, SEEN, False, True, [], "whether processes hold GPUs is unknown: no list", id="use unknown"
        ),
        pytest.param(UNKNOWN, UNTOLD, False, True, [], "", id="unknown and unchanged"),
        pytest.param(UNKNOWN, UNTOLD, True, True, ["reloaded"], "", id="unknown and changed"),
        pytest.param(
            LOADED,
            dc.replace(SEEN, running=False),
            True,
            True,
            [],
            f"kernel {KERNEL} must boot",
            id="another kernel runs",
        ),
    ],
)
def test_how_the_driver_gets_into_the_kernel(node, seen, changed, allowed, states, reboot):
    loading = plan_loading(node, seen, changed, allowed)
    assert [s.data["state"] for s in loading.steps] == states
    assert reboot in loading.reboot and bool(reboot) == bool(loading.reboot)


def test_a_load_knows_which_module_and_how_many_gpus_it_expects():
    (step,) = plan_loading(bare_node(gpus=4), SEEN, False, False).steps
    assert step.data == {"kind": "dkms", "gpus": 4, "state": "loaded"}


def test_what_no_load_mends_is_a_problem():
    assert loading_problems(bare_node(), SEEN) == ()
    assert loading_problems(bare_node(gpus=1), RIGHT) == (
        "1 of 1 GPUs are not bound to amdgpu (0000:05:00.0); read the kernel log for their probe",
    )
    bound = dc.replace(
        bare_node(gpus=2),
        gpus=lk.Gpus(
            tuple(dc.replace(g, driver="amdgpu") for g in bare_node(gpus=2).gpus.gpus),
            unknown={"0000:05:00.0.pcie.width": "too slow", "0000:06:00.0.pcie.width": OFF_THE_BUS},
        ),
    )
    assert loading_problems(bound, RIGHT) == (
        "1 of 2 GPUs do not answer on the bus (0000:06:00.0); a reload does not bring them back",
    )
    assert loading_problems(UNKNOWN, UNTOLD) == (
        "whether the loaded amdgpu is the installed one is unknown: no srcversion to compare",
    )


@pytest.mark.parametrize(("before", "there", "said"), [
    (8, 8, None), (8, 9, None), (8, 5, "3 of the 8 GPUs"), (8, 0, "8 of the 8 GPUs"), (0, 0, None),
])
def test_gpus_that_vanished_are_a_problem(before, there, said):
    node = carry_out(bare_node(gpus=before), plan_record(bare_node(gpus=before), release("rocm-7.0.2")))
    sentence = f"{said} that were recorded are not on the PCI bus; look at the hardware, or take the key gpus out of "
    assert vanished(dc.replace(node, gpus=bare_node(gpus=there).gpus)) == (
        (f"{sentence}{RELEASE_RECORD} if they were taken out",) if said else ())


@pytest.mark.parametrize("text", [None, "{", json.dumps({
    "version": "v2", "release": "r", "kernel": None, "driver": {"source": "in_tree", "release": None, "packages": {}},
    "rocm": "7.0.2", "held": [], "variables": {}})], ids=["no record", "damaged", "without a number"])
def test_where_no_number_was_recorded_no_gpu_is_missed(text):
    file = lk.ManagedFile(RELEASE_RECORD, None if text is None else "digest", text=text)
    node = dc.replace(bare_node(gpus=0), files=lk.Files((file,)))
    assert vanished(node) == ()


def test_a_settled_node_that_lost_gpus_is_not_as_wanted():
    wanted, policy = release("rocm-7.0.2"), DriverPolicy()
    node = bare_node()
    for plan in (plan_driver(node, wanted, policy), plan_record(node, wanted)):
        node = carry_out(node, plan)
    assert plan_driver(node, wanted, policy).problems == ()
    node = dc.replace(node, gpus=lk.Gpus(node.gpus.gpus[:5]))
    assert [p[:15] for p in plan_driver(node, wanted, policy).problems] == ["3 of the 8 GPUs"]
