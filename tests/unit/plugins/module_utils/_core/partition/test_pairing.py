# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How well a pair of modes is known, and the node's own lists over the table."""

from __future__ import annotations

import dataclasses as dc
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.findings import Cause, Finding
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.gpus import Gpus
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.capabilities import Period
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.circumstances import NotReadyError
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.transition import transition
from ansible_collections.instinct.fleet.tests.unit.support.partition_data import own
from ansible_collections.instinct.fleet.tests.unit.support.partitions import (
    BDFS,
    TODAY,
    asked,
    gpu,
    node,
    plan,
    refusal,
    steps,
)

LISTED = "SPX/NPS1, DPX/NPS1, DPX/NPS2, QPX/NPS1, QPX/NPS4, CPX/NPS1, CPX/NPS4"
SPECS = "(source: https://rocm.docs.amd.com/en/docs-10.2.0/reference/gpu-specs.html)"
BELIEVE = "believe the node, and compare its firmware and driver with those that the table is for"
NEW = {"available_memory": ("NPS1", "NPS4", "NPS8")}


@pytest.mark.parametrize(("gpus", "mode", "accept", "driver", "sentence"), [
    (node(), "QPX/NPS4", (), "6.12.12",
     "all 8 GPUs: QPX/NPS4 is allowed on MI300X and not documented: the kernel takes it, and the vendor does not list it as supported; "
     "add allowed to gpu_partition_accept, or choose another"),
    (node(), "CPX/NPS4", ("allowed",), "6.10.5",
     "all 8 GPUs: CPX/NPS4 is experimental with amdgpu 6.10.5, and documented from 6.12.12 on; choose a release with a newer "
     "driver, or add experimental to gpu_partition_accept "
     "(source: ROCm/amdgpu-docs:docs/gpu-partitioning/index.rst @67902e24)"),
    (node("MI300A", "SPX/NPS1"), "CPX/NPS1", (), "6.10.5",
     "all 4 GPUs: CPX/NPS1 is allowed with amdgpu 6.10.5, and documented from 6.12.12 on; choose a release with a newer driver, "
     "or add allowed to gpu_partition_accept (source: ROCm/amdgpu-docs:docs/gpu-partitioning/mi300a/overview.rst @2d8d8054)"),
    (node(), "TPX/NPS1", (), "6.12.12", f"all 8 GPUs: MI300X cannot be TPX/NPS1; choose one of {LISTED} {SPECS}"),
    (node(), "SPX/NPS4", (), "6.12.12",
     f"all 8 GPUs: SPX/NPS4 would be 4 parts of memory for 1 device; choose one of {LISTED} {SPECS}"),
    (node("MI355X", "SPX/NPS1"), "DPX/NPS2", (), "6.12.12",
     "all 8 GPUs: MI355X can be DPX/NPS2 from amdgpu 6.14.14 on, and 6.12.12 is loaded; choose a release with a newer driver "
     "(source: ROCm/amdgpu-docs:docs/gpu-partitioning/index.rst @14a89b8e)"),
    # The table lists it, and this node does not offer it.
    (node(available_memory=("NPS1", "NPS4")), "DPX/NPS2", (), "6.12.12",
     "all 8 GPUs: the table of MI300X lists DPX/NPS2, and the node does not offer NPS2: its memory modes are NPS1, NPS4; "
     + BELIEVE),
    (node(available_compute=("SPX", "CPX")), "DPX/NPS1", ("allowed",), "6.12.12",
     "all 8 GPUs: the table of MI300X lists DPX/NPS1, and the node does not offer DPX in NPS1: its compute modes are SPX, CPX; "
     + BELIEVE),
    # The node offers it, and no table lists it: allowed at best.
    (node(**NEW), "CPX/NPS8", (), "6.12.12",
     "all 8 GPUs: CPX/NPS8 is allowed on MI300X and not documented: the kernel takes it, and the vendor does not list it as supported; "
     "add allowed to gpu_partition_accept, or choose another"),
    (node(available_memory=(), available_compute=()), "CPX/NPS4", (), None,
     "all 8 GPUs: whether CPX/NPS4 goes cannot be told: the driver has no version, and the node does not say which modes "
     "it offers; load a driver of a release"),
])
def test_refusals(gpus: Gpus, mode: str, accept: tuple[str, ...], driver: str | None, sentence: str) -> None:
    assert refusal(gpus, mode, accept, driver_version=driver) == sentence


@pytest.mark.parametrize("periods", [
    (Period("experimental"),),
    # It was better before: no newer driver helps.
    (Period("documented"), Period("experimental", (6, 16))),
])
def test_an_experimental_pair_that_no_newer_driver_makes_better(periods: tuple[Period, ...]) -> None:
    product = own().products["MI300X"]
    pairs = tuple(dc.replace(pair, periods=periods) for pair in product.pairs)
    known = dc.replace(own(), products={"MI300X": dc.replace(product, pairs=pairs)})
    with pytest.raises(FleetError) as caught:
        transition(node(), asked(node(), "CPX/NPS4"), known, TODAY, ("allowed",))
    assert not isinstance(caught.value, NotReadyError)
    assert caught.value.sentence == (
        "all 8 GPUs: CPX/NPS4 is experimental on MI300X and not documented: the vendor calls it a preview, or it depends on the "
        "firmware; add experimental to gpu_partition_accept, or choose another")


# A newer driver, which may come in the same run, or other firmware would change it.
@pytest.mark.parametrize(("gpus", "mode", "driver"), [
    (node("MI355X", "SPX/NPS1"), "DPX/NPS2", "6.12.12"), (node(), "CPX/NPS4", "6.10.5"),
    (node(available_memory=("NPS1",)), "CPX/NPS4", "6.12.12"), (node(available_memory=()), "CPX/NPS4", None),
])
def test_what_another_driver_would_change_is_not_ready(gpus: Gpus, mode: str, driver: str | None) -> None:
    with pytest.raises(NotReadyError):
        plan(gpus, mode, (), driver_version=driver)


@pytest.mark.parametrize(("other", "mode", "offered", "does"), [
    (NEW, "CPX/NPS8", "NPS8", "MRC"),
    ({"available_compute": ("SPX", "DPX", "TPX", "QPX", "CPX")}, "TPX/NPS1", "TPX/NPS1", "C"),
])
def test_what_the_node_offers_beyond_the_table_is_allowed_and_a_finding(
        other: dict[str, t.Any], mode: str, offered: str, does: str) -> None:
    gpus = Gpus((gpu(**other),))
    made = plan(gpus, mode, ("allowed",))
    assert steps(made) == does
    assert made.findings == (Finding(
        "partition-not-in-table", "partition", "info", "configuration", BDFS[0],
        f"the node offers {offered}, and the table of MI300X does not list it",
        Cause("Firmware and driver decide which modes a GPU has; a table is of one release.", BELIEVE,
              own().products["MI300X"].sources, "derived"),
        (f"available_compute: {', '.join(gpus.gpus[0].available_compute)}",
         f"available_memory: {', '.join(gpus.gpus[0].available_memory)}")),)


def test_a_memory_mode_that_the_table_has_for_others_makes_no_pair_of_it() -> None:
    assert "MI300X cannot be CPX/NPS2" in refusal(node(), "CPX/NPS2")
    assert "would be 8 parts of memory for 4 devices" in refusal(node(**NEW), "QPX/NPS8")


@pytest.mark.parametrize(("gpus", "mode", "driver", "notes"), [
    (node(), "QPX/NPS1", "6.12.12", ["QPX/NPS1 on MI300X: in the guide of AMD SMI, not in AMD's tables of what is supported"]),
    (node("MI325X"), "QPX/NPS1", None, ["the driver has no version (the kernel's own has none): the node decides"]),
    (node("MI325X", available_memory=()), "QPX/NPS4", "6.12.12",
     ["the node does not say which modes it offers: the table decides"]),
    (node("MI325X", available_compute=()), "QPX/NPS1", "6.12.12",
     ["the node does not say which modes it offers: the table decides"]),
    (node(), "SPX/NPS1", "6.12.12", []),
    (node(mode="QPX/NPS4"), "QPX/NPS4", "6.12.12",
     ["QPX/NPS4 is allowed on MI300X: it stays, and could not be set again without acceptance"]),
    (node(mode="CPX/NPS4", memory_partition="NPS8"), "CPX/NPS8", "6.12.12",
     ["CPX/NPS8 is not in the table on MI300X: it stays, and could not be set again without acceptance"]),
])
def test_notes(gpus: Gpus, mode: str, driver: str | None, notes: list[str]) -> None:
    accept = () if gpus.gpus[0].compute_partition == mode[:3] else ("allowed",)
    assert list(plan(gpus, mode, accept, driver_version=driver).notes) == [f"all 8 GPUs: {note}" for note in notes]
