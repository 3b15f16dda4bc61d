# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From what is seen and wanted to the ordered changes."""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.gpus import Gpus
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.capabilities import Capabilities
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.shape import (
    COMPUTE,
    MEMORY,
    STANDINGS,
    Change,
    GpuWanted,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.transition import transition
from ansible_collections.instinct.fleet.tests.unit.support.partition_data import own
from ansible_collections.instinct.fleet.tests.unit.support.partitions import (
    BDFS,
    DRIVERS,
    OFFERS,
    TODAY,
    asked,
    carry_out,
    gpu,
    node,
    plan,
    refusal,
    steps,
    virtual,
)

# From the row to the column: memory, reload, compute.
STEPS = {
    "MI300X": """
              SPX/NPS1  DPX/NPS1  QPX/NPS1  CPX/NPS1  DPX/NPS2  QPX/NPS4  CPX/NPS4
    SPX/NPS1  -         C         C         C         MR        MRC       MR
    DPX/NPS1  C         -         C         C         MR        MRC       MR
    QPX/NPS1  C         C         -         C         MR        MRC       MR
    CPX/NPS1  C         C         C         -         MR        MRC       MR
    DPX/NPS2  MR        MRC       MRC       MRC       -         MRC       MR
    QPX/NPS4  MR        MRC       MRC       MRC       MR        -         C
    CPX/NPS4  MR        MRC       MRC       MRC       MR        C         -
    """,
    "MI355X": """
              SPX/NPS1  CPX/NPS1  DPX/NPS2  QPX/NPS2  CPX/NPS2
    SPX/NPS1  -         C         MR        MRC       MRC
    CPX/NPS1  C         -         MR        MRC       MRC
    DPX/NPS2  MR        MRC       -         C         C
    QPX/NPS2  MR        MRC       C         -         C
    CPX/NPS2  MR        MRC       C         C         -
    """,
    "MI300A": """
              SPX/NPS1  TPX/NPS1  CPX/NPS1
    SPX/NPS1  -         C         C
    TPX/NPS1  C         -         C
    CPX/NPS1  C         C         -
    """,
}


def ways(product: str) -> list[tuple[str, str, str]]:
    """(from, to, steps) of a table."""
    head, *rows = STEPS[product].strip().splitlines()
    return [(row.split()[0], to, cell.strip("-")) for row in rows for to, cell in zip(head.split(), row.split()[1:])]


@pytest.mark.parametrize(("library", "reload"), [("26.2.0", "R"), ("27.1.0", "R"), ("25.5.1", ""), ("24.6.2", "")])
@pytest.mark.parametrize("product", STEPS)
def test_steps_from_every_mode_to_every_other(product: str, library: str, reload: str) -> None:
    table = ways(product)
    found = [(one, to, steps(plan(node(product, one), to, library_version=library))) for one, to, _cell in table]
    assert found == [(one, to, cell.replace("R", reload)) for one, to, cell in table]


def test_changes_say_what_they_are_for() -> None:
    made = plan(node(mode="CPX/NPS4"), "DPX/NPS1")
    assert made.changes == (
        Change("memory", BDFS, "NPS1", "NPS4", "set memory partition NPS1 on 8 GPUs (was NPS4)"),
        Change("reload", BDFS, "", "", "reload amdgpu"),
        Change("compute", BDFS, "DPX", "SPX", "set compute partition DPX on 8 GPUs (was SPX)"),
    )
    assert (made.touched, made.reload, made.reboot) == (BDFS, "memory partition NPS1 comes with a load of amdgpu", "")
    assert [one.text for one in made.wanted] == ["DPX/NPS1"] * 8


def test_compute_modes_that_differ_are_changed_apart_and_the_hive_is_touched() -> None:
    gpus = node(mode="SPX/NPS1")
    some = dc.replace(gpus, gpus=(*gpus.gpus[:7], gpu(7, mode="QPX/NPS1")))
    made = plan(some, (*asked(some, "CPX/NPS1", 6, 7), *asked(some, "DPX/NPS1", 1)))
    assert [(change.words, change.gpus) for change in made.changes] == [
        ("set compute partition DPX on 1 GPU (was SPX)", BDFS[1:2]),
        ("set compute partition CPX on 2 GPUs", BDFS[6:]),
    ]
    assert (made.touched, made.reload) == (BDFS, "")


def test_a_library_that_reloads_by_itself_is_said_to() -> None:
    assert plan(node(), "CPX/NPS4", library_version="25.5.1").reload == (
        "memory partition NPS4 comes with a load of amdgpu, which version 25.5.1 of amdsmi does by itself")


@pytest.mark.parametrize("library", ["25.5.1", "26.2.0"])
def test_what_may_not_be_reloaded_waits_for_the_boot(library: str) -> None:
    made = plan(node(), "QPX/NPS4", library_version=library, reload_allowed=False)
    assert (made.changes, made.touched, made.reload) == ((), (), "")
    assert made.reboot == ("memory partition NPS4 comes with a load of amdgpu, and gpu_partition_reload_allowed is false; "
                           "instinct-partition.service sets it at boot")
    assert steps(plan(node(), "QPX/NPS1", library_version=library, reload_allowed=False)) == "C"


# Nothing stands in the way of a node that is as wanted: it is not asked for a library, a driver or room.
@pytest.mark.parametrize("circumstances", [
    {}, {"library_version": None}, {"driver_version": "6.3.6"}, {"kernel": "5.15.0", "displays": 9}, {"reload_allowed": False}])
def test_nothing_is_done_where_all_is_as_wanted(circumstances: dict[str, t.Any]) -> None:
    made = plan(node(mode="CPX/NPS4"), "CPX/NPS4", **circumstances)
    assert (made.changes, made.touched, made.reload, made.reboot) == ((), (), "", "")


def test_gpus_that_nobody_chose_are_set_back_after_a_reload_that_changes_them() -> None:
    gpus = Gpus((*(gpu(i, mode="DPX/NPS1", xgmi_hive_id="00aa") for i in range(4)),
                 *(gpu(i, mode="CPX/NPS2", xgmi_hive_id="00bb") for i in range(4, 7)),
                 gpu(7, mode="SPX/NPS1", xgmi_hive_id="00cc")))
    made = plan(gpus, asked(gpus, "DPX/NPS1", 4, 5, 6))
    assert [change.words for change in made.changes] == [
        "set memory partition NPS1 on 3 GPUs (was NPS2)", "reload amdgpu", "set compute partition DPX on 7 GPUs (was SPX)"]
    assert made.notes[-1] == (f"gpus {', '.join(BDFS[:4])}: not chosen, and set back to DPX after the reload, which changes it")
    assert [one.bdf for one in made.wanted] == list(BDFS[4:7])
    assert made.touched == BDFS


def test_an_unknown_automatic_mode_is_set_whatever_it_is() -> None:
    products = {**own().products, "MI300X": dc.replace(own().products["MI300X"], automatic={})}
    known = Capabilities(products, own().reloading, own().minors)
    made = transition(node(), asked(node(), "CPX/NPS4"), known, TODAY)
    assert [change.words for change in made.changes][2:] == ["set compute partition CPX on 8 GPUs"]


def test_gpus_that_cannot_be_partitioned_are_not_among_what_is_wanted() -> None:
    gpus = Gpus((gpu(0), gpu(1, "MI210")))
    made = plan(gpus, (*asked(gpus, "CPX/NPS4", 0), *asked(gpus, "SPX/NPS1", 1)))
    assert [one.bdf for one in made.wanted] == [BDFS[0]]
    assert f"gpu {BDFS[1]}: MI210 cannot be partitioned and is SPX/NPS1 as it is" in made.notes
    assert steps(made) == "MR"
    assert made.touched == BDFS[:2]


@pytest.mark.parametrize(("circumstances", "sentence"), [
    ({"library_version": None, "library_error": "there is no libamd_smi.so"},
     "amdsmi: did not answer, and modes are set through it: there is no libamd_smi.so; mend that on the node"),
    ({"library_version": None},
     "amdsmi: did not answer, and modes are set through it: its version is not known; mend that on the node"),
])
def test_without_the_library_nothing_is_set(circumstances: dict[str, t.Any], sentence: str) -> None:
    assert refusal(node(), "CPX/NPS1", **circumstances) == sentence


def test_what_no_table_says_of_a_library_is_refused() -> None:
    known = Capabilities(own().products, (), own().minors)
    with pytest.raises(FleetError) as caught:
        transition(node(), asked(node(), "CPX/NPS4"), known, TODAY)
    assert caught.value.sentence == (
        "amdsmi: no table says whether version 26.2.0 reloads the driver by itself; "
        "add it to a file of drivers in a directory of gpu_partition_catalogue_dirs")


def test_a_gpu_that_went_meanwhile_is_refused() -> None:
    assert refusal(node(), (GpuWanted("0000:ff:00.0", "CPX", "NPS1"),)) == (
        "gpu 0000:ff:00.0: is not on the node; look at the node again")


PRODUCTS = st.sampled_from(sorted(set(OFFERS) - {"MI300A"}))


@st.composite
def journeys(draw: st.DrawFn) -> tuple[Gpus, tuple[GpuWanted, ...], str]:
    """A node in some mode of its own for each GPU, what is wanted of it, and a library.

    Of a hive that needs another memory mode all GPUs are chosen, of any other some or none.
    """
    product = draw(PRODUCTS)
    offers = OFFERS[product]
    hives = draw(st.sampled_from((("00aa",) * 4, ("00aa", "00aa", "00bb", "00bb"))))
    now = {hive: draw(st.sampled_from(sorted(offers))) for hive in sorted(set(hives))}
    then = draw(st.sampled_from(sorted(offers)))
    gpus = Gpus(tuple(gpu(i, product, f"{draw(st.sampled_from(offers[now[hive]]))}/{now[hive]}", xgmi_hive_id=hive)
                      for i, hive in enumerate(hives)))
    chosen = [i for i, hive in enumerate(hives) if now[hive] != then or draw(st.booleans())]
    wanted = tuple(GpuWanted(BDFS[i], draw(st.sampled_from(offers[then])), then) for i in chosen)
    return gpus, wanted, draw(st.sampled_from(("25.5.1", "26.2.0")))


@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(journeys())
def test_changes_end_in_what_is_wanted_and_leave_the_rest(journey: tuple[Gpus, tuple[GpuWanted, ...], str]) -> None:
    gpus, wanted, library = journey
    made = plan(gpus, wanted, library_version=library)
    after = {one.bdf: one for one in carry_out(gpus, made, by_library=library < "26").gpus}
    target = {one.bdf: one for one in wanted}
    for one in gpus.gpus:
        aim = target.get(one.bdf, GpuWanted(one.bdf, one.compute_partition or "", one.memory_partition or ""))
        assert (after[one.bdf].compute_partition, after[one.bdf].memory_partition) == (aim.compute, aim.memory)
    touched = {bdf for change in made.changes for bdf in change.gpus}
    assert touched <= set(made.touched)
    assert plan(Gpus(tuple(after.values())), wanted, library_version=library).changes == ()


NODES = st.one_of(
    st.sampled_from(sorted(OFFERS)).flatmap(lambda name: st.sampled_from(
        [node(name, f"{compute}/{memory}") for memory, modes in OFFERS[name].items() for compute in modes])),
    st.sampled_from((node("MI210"), virtual(), node(driver=None), node(compute_partition=None), node(product=None), node(
        available_memory=(), available_compute=()), Gpus((gpu(0, xgmi_hive_id=None), gpu(1, "MI210"), gpu(2, driver="vfio-pci"))))))
WISHES = st.lists(st.tuples(st.sampled_from(COMPUTE), st.sampled_from(MEMORY)), min_size=1, max_size=8)


@settings(max_examples=400, deadline=None, derandomize=True, database=None)
@given(NODES, WISHES, st.sets(st.sampled_from(STANDINGS)), st.sampled_from(sorted(DRIVERS)))
def test_any_wish_comes_true_or_is_refused_in_one_sentence(
        gpus: Gpus, wishes: list[tuple[str, str]], accept: set[str], driver: str) -> None:
    wanted = tuple(GpuWanted(one.bdf, *wish) for one, wish in zip(gpus.gpus, wishes))
    said = refusal(gpus, wanted, accept, driver_version=DRIVERS[driver])
    if said:
        assert re.fullmatch(r"(?:gpus? 0000:|all \d GPUs: |node: )[^\n]+", said)
        return
    made = plan(gpus, wanted, accept, driver_version=DRIVERS[driver])
    after = {one.bdf: f"{one.compute_partition}/{one.memory_partition}" for one in carry_out(gpus, made).gpus}
    assert {one.bdf: after[one.bdf] for one in made.wanted} == {one.bdf: one.text for one in made.wanted}
