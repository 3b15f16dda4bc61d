# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Partitions as a part of the one plan: only where asked for, behind a driver that comes, kept by the record."""

from __future__ import annotations

import dataclasses as dc
import json
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan import drift
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.managed import RELEASE_RECORD
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.plan import Step
from ansible_collections.instinct.fleet.plugins.plugin_utils import drifting, partitioning, planning, role_specs
from ansible_collections.instinct.fleet.tests.unit.support import partitions
from ansible_collections.instinct.fleet.tests.unit.support.world import bare_node, carry_out

OWN_KEY = {"radeon": {"fingerprint": "AB" * 20}}
CPX = {"gpu_partition_profile": "cpx-nps4"}
KEEP = "keep partitions over reboots: cpx-nps4"


def values(**given: t.Any) -> dict[str, dict[str, t.Any]]:
    given = {"gpu_release_name": "rocm-7.2.3", "gpu_release_keys": OWN_KEY} | given
    return {role: role_specs.validated(role, given) for role in planning.ROLES}


def plan(node: lk.Look, roles: t.Sequence[str] = planning.ROLES, **given: t.Any) -> planning.NodePlan:
    return planning.plan_node(node, values(**given), roles)


def settled(mode: str = "SPX/NPS1", **given: t.Any) -> lk.Look:
    """A node at its release, whose driver runs and whose library answers; it recorded what was given."""
    node = bare_node()
    for role, part in plan(node, **given).plans.items():
        node = carry_out(node, part) if role != planning.PARTITION else node
    seen = partitions.node("MI300X", mode)
    gpus = tuple(dc.replace(gpu, device_id="74a1", driver="amdgpu") for gpu in seen.gpus)
    smi = lk.Smi("amdsmi", library_version="26.0.2", binding_version="26.0.2")
    return dc.replace(node, gpus=dc.replace(seen, gpus=gpus), smi=smi)


def words(made: planning.NodePlan) -> list[str]:
    return [step.words for step in made.plans[planning.PARTITION].steps]


def test_where_nothing_is_asked_there_is_no_part_and_no_word_of_it() -> None:
    made = plan(settled())
    assert planning.PARTITION not in made.plans and made.partitions == ""
    assert planning.PARTITION not in planning.kept(values())
    assert made.report(None, check=True)["verdict"] == "as wanted"


def test_a_driver_that_comes_is_waited_for() -> None:
    made = plan(bare_node(), **CPX)
    assert list(made.plans) == list(planning.ROLES)
    (step,) = made.plans[planning.PARTITION].steps
    assert step.words.startswith("partition the GPUs: cpx-nps4, once load amdgpu")
    assert made.plans[planning.PARTITION].problems == ()
    assert plan(bare_node(), ["gpu_partition"], **CPX).plans[planning.PARTITION].problems != ()


def test_a_node_is_partitioned_and_that_is_kept() -> None:
    made = plan(settled(), **CPX)
    assert words(made) == ["set memory partition NPS4 on 8 GPUs (was NPS1)", "reload amdgpu", KEEP]
    told = made.report(None, check=True)
    assert (told["wanted"], told["found"]) == ("rocm-7.2.3, cpx-nps4", "amdgpu 6.16.13, ROCm 7.2.3, SPX/NPS1")
    assert told["verdict"] == "would change"


def test_a_node_that_is_as_recorded_has_nothing_to_do() -> None:
    node = settled("CPX/NPS4", **CPX)
    made = plan(node, **CPX)
    assert [part.steps for part in made.plans.values()] == [()] * 6
    assert made.report(None, check=False)["verdict"] == "as wanted"
    assert words(plan(node, **CPX, gpu_partition_cdi="none")) == [KEEP]
    assert words(plan(node, **CPX, gpu_partition_stop_units=["x.service"])) == []


def test_what_only_the_record_lacks_is_no_work_that_is_left() -> None:
    before = plan(settled(), **CPX)
    after = plan(settled("CPX/NPS4"), **CPX)
    assert words(after) == [KEEP]
    assert after.report(before.report(None, check=False), check=False)["verdict"] == "as wanted"


def test_held_gpus_wait_and_the_rest_of_the_node_goes_on() -> None:
    node = dc.replace(settled(), processes=lk.Processes((lk.Process(4711, "python3"),)))
    made = plan(node, **CPX)
    assert words(made) == [] and "pid 4711 (python3)" in made.plans[planning.PARTITION].problems[0]
    assert made.report(None, check=False)["verdict"].startswith("problem: waits: ")
    assert plan(node).report(None, check=False)["verdict"] == "as wanted"


def test_a_reload_that_is_not_allowed_needs_a_reboot_that_no_role_makes() -> None:
    made = plan(settled(), **CPX, gpu_partition_reload_allowed=False, gpu_driver_reboot_allowed=True)
    assert made.reboot != "" and made.plans["node_maintenance"].empty


@pytest.mark.parametrize(("given", "says"), [
    ({"gpu_partition_profile": "cpx-nps5"}, r"^gpu_partition_profile: there is no profile 'cpx-nps5'; did you mean "),
    ({"gpu_partition_profile": "tpx-nps1"}, r"^profile tpx-nps1: is for MI300A, and "),
    ({**CPX, "gpu_partition_reservations": [{"tenant": "a", "count": 9, "of": "gpu"}]}, r"9 GPUs"),
    ({**CPX, "gpu_partition_gpus": [{"gpus": "all", "compute": "SPX", "memory": "NPS1"}]},
     r"^gpu_partition_profile: is set, and so is gpu_partition_gpus; set one of them$"),
    ({"gpu_partition_gpus": [{"gpus": [9], "compute": "CPX", "memory": "NPS1"}]}, r"gpu_partition_gpus"),
])
def test_what_cannot_be_is_refused(given: dict[str, t.Any], says: str) -> None:
    with pytest.raises(FleetError, match=says):
        plan(settled(), **given)


def test_rules_in_place_of_a_profile() -> None:
    rules = [{"gpus": [0], "compute": "CPX", "memory": "NPS1"}]
    made = plan(settled(), gpu_partition_gpus=rules)
    assert words(made)[0] == "set compute partition CPX on 1 GPU (was SPX)"
    assert made.partitions == "CPX/NPS1"


def test_modes_in_few_words() -> None:
    gpus = partitions.node("MI300X").gpus
    mixed = lk.Gpus((*gpus[:6], *(dc.replace(gpu, compute_partition="CPX") for gpu in gpus[6:])))
    assert partitioning.found(mixed) == "2 x CPX/NPS1, 6 x SPX/NPS1"
    assert partitioning.found(lk.Gpus(())) == ""
    assert partitioning.found(lk.Gpus((dc.replace(gpus[0], compute_partition=None),))) == "?/NPS1"


def drifted(node: lk.Look, **given: t.Any) -> list[str]:
    return drifting.plan_recorded(node, values(**given), planning.ROLES)[1]["differences"]


def test_modes_that_differ_from_the_record_are_drift() -> None:
    assert drifted(settled("CPX/NPS4", **CPX), **CPX) == []
    assert drifted(settled("SPX/NPS4", **CPX)) == ["the compute mode of 8 GPUs is SPX, not CPX"]
    assert drifted(settled("SPX/NPS1", **CPX)) == ["the memory mode of 8 GPUs is NPS1, not NPS4"]


def test_what_the_inventory_wants_since_is_no_drift() -> None:
    node = settled()
    assert json.loads(next(f.text for f in node.files.files if f.path == RELEASE_RECORD))["variables"].keys() == {
        *planning.ROLES} - {planning.PARTITION}
    assert drifted(node, **CPX) == []


def test_steps_without_a_mode_are_on_the_way() -> None:
    steps = (Step("apply", "partition the GPUs, once load amdgpu"), Step("apply", "x", after="", data={"change": "reload", "gpus": ["a"]}),
             Step("apply", "y", after="CPX", data={"change": "compute", "gpus": ["a", "b"]}))
    assert drift.differences([partitioning.Plan("gpu_partition", steps)]) == ("the compute mode of a, b is not the same for all, not CPX",)
