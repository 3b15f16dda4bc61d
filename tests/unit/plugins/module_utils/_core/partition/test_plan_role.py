# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan of gpu_partition, as site.yml makes it beside those of the other roles."""

from __future__ import annotations

import dataclasses as dc
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError, FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.whole import WholeLook, whole
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.plan_role import (
    PartitionPolicy,
    plan_partition,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.profile import Profile
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.plan import Plan, Step
from ansible_collections.instinct.fleet.tests.unit.support import world
from ansible_collections.instinct.fleet.tests.unit.support.partition_data import own
from ansible_collections.instinct.fleet.tests.unit.support.partitions import BDFS, gpu, node

VALUES: dict[str, t.Any] = {"gpu_partition_accept": ["documented"], "gpu_partition_stop_units": [],
                            "gpu_partition_reload_allowed": True, "gpu_partition_reservations": []}
EXPORTER = lk.Process(911, "gpuagent", unit="amd-metrics-exporter.service", gpus=BDFS)


def profile(mode: str) -> Profile:
    """All GPUs in one mode."""
    compute, memory = mode.split("/")
    return Profile.inline([{"gpus": "all", "compute": compute, "memory": memory}])


def look(gpus: lk.Gpus | None = None, **sections: t.Any) -> WholeLook:
    """A node with eight MI300X and all that it takes to partition them."""
    return whole(dc.replace(world.bare_node(), **{
        "gpus": gpus or node(), "driver": lk.Driver(loaded=True, version="6.16.13"),
        "smi": lk.Smi("amdsmi", library_version="26.2.0"), "devices": lk.Devices(displays=0), **sections}))


def plan(mode: str, seen: WholeLook | None = None, **values: t.Any) -> Plan:
    """The plan for a mode of all GPUs."""
    policy = PartitionPolicy.from_values({**VALUES, **{f"gpu_partition_{name}": value for name, value in values.items()}})
    return plan_partition(seen or look(), profile(mode), own(), policy)


def test_without_a_profile_there_is_nothing_to_do() -> None:
    assert plan_partition(look(), None, own(), PartitionPolicy.from_values(VALUES)) == Plan(
        "gpu_partition", notes=("no partition profile is wanted",))


def test_steps_are_the_changes() -> None:
    made = plan("QPX/NPS4", accept=["allowed"])
    modes = dict.fromkeys(BDFS, "QPX/NPS4")
    assert made.steps == (
        Step("apply", "set memory partition NPS4 on 8 GPUs (was NPS1)", "NPS1", "NPS4",
             {"change": "memory", "mode": "NPS4", "gpus": list(BDFS), "wanted": modes}),
        Step("apply", "reload amdgpu", "", "", {"change": "reload", "mode": "", "gpus": list(BDFS), "wanted": modes}),
        Step("apply", "set compute partition QPX on 8 GPUs (was CPX)", "CPX", "QPX",
             {"change": "compute", "mode": "QPX", "gpus": list(BDFS), "wanted": modes}))
    assert (made.reload, made.reboot, made.problems) == ("memory partition NPS4 comes with a load of amdgpu", "", ())
    assert made.notes == ("all 8 GPUs: QPX/NPS4 on MI300X: in the guide of AMD SMI, not in AMD's tables of what is supported",
                          "logical devices of the node afterwards: 32")


def test_a_node_that_is_as_wanted_has_no_step() -> None:
    made = plan("CPX/NPS4", look(node(mode="CPX/NPS4"), processes=lk.Processes((EXPORTER,))))
    assert (made.empty, made.problems, made.reload, made.reboot) == (True, (), "", "")


def test_what_may_not_be_reloaded_waits_for_a_reboot() -> None:
    made = plan("CPX/NPS4", reload_allowed=False)
    assert (made.empty, made.problems) == (True, ())
    assert made.reboot.startswith("memory partition NPS4 comes with a load of amdgpu, and gpu_partition_reload_allowed is false")


@pytest.mark.parametrize(("seen", "problem"), [
    (look(processes=lk.Processes((lk.Process(4177, "python3", gpus=BDFS[:1]),))),
     f"waits: gpu {BDFS[0]}: is held by pid 4177 (python3); drain the node first"),
    (look(processes=lk.Processes(unknown={"processes": "no permission"})),
     f"waits: gpus {', '.join(BDFS)}: whether processes hold them is unknown: no permission; mend that on the node"),
    # A node whose driver comes in this very run.
    (look(node(driver=None, compute_partition=None, memory_partition=None)),
     "waits: all 8 GPUs: not bound to amdgpu (driver none); load amdgpu, or leave this GPU out"),
    (look(smi=lk.Smi("sysfs", error="there is no libamd_smi.so")),
     "waits: amdsmi: did not answer, and modes are set through it: there is no libamd_smi.so; mend that on the node"),
])
def test_what_waits_is_a_problem_and_no_refusal(seen: WholeLook, problem: str) -> None:
    made = plan("CPX/NPS4", seen)
    assert (made.steps, made.problems, made.reload) == ((), (problem,), "")


def test_units_that_are_stopped_meanwhile_are_told_and_nothing_waits_for_them() -> None:
    seen = look(processes=lk.Processes((EXPORTER,)))
    assert plan("CPX/NPS1", seen).problems != ()
    made = plan("CPX/NPS1", seen, stop_units=["amd-metrics-exporter", "slurmd.service"])
    assert [step.words for step in made.steps] == ["set compute partition CPX on 8 GPUs (was SPX)"]
    assert made.restarts == ("amd-metrics-exporter.service",)


def test_where_the_node_and_the_table_disagree_is_noted() -> None:
    seen = look(node(available_compute=("SPX", "TPX")))
    assert "the node offers TPX/NPS1, and the table of MI300X does not list it" in plan("TPX/NPS1", seen, accept=["allowed"]).notes


def test_displays_are_counted() -> None:
    seen = look(devices=lk.Devices(displays=1))
    assert seen.kernel.running == "6.1.0-56-amd64"
    assert "waits: node: the layout needs 64 DRM devices and the 1 of other display adapters" in plan("CPX/NPS4", seen).problems[0]
    untold = look(devices=lk.Devices(unknown={"displays": "no permission"}))
    assert any("display adapters take some is unknown: no permission" in note for note in plan("CPX/NPS4", untold).notes)


@pytest.mark.parametrize("values", [{}, {"reload_allowed": False}])
def test_a_reservation_that_no_longer_fits_is_refused(values: dict[str, t.Any]) -> None:
    seen = look(node(mode="CPX/NPS4"))
    with pytest.raises(FleetError, match="reservation of a: wants 9 devices, and the layout leaves 8"):
        plan("SPX/NPS1", seen, reservations=[{"tenant": "a", "count": 9}], **values)


def test_bad_input_is_refused() -> None:
    with pytest.raises(FleetError, match="MI300X cannot be TPX/NPS1"):
        plan("TPX/NPS1", look(lk.Gpus((gpu(driver=None),))))
    with pytest.raises(DataError, match=r"gpu_partition_reservations\[0\].tenant: is missing"):
        plan("SPX/NPS1", reservations=[{"count": 1}])
