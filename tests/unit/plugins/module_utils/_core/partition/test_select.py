# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From a profile to what each GPU of a node should be."""

from __future__ import annotations

import dataclasses as dc
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.gpus import Gpus
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.circumstances import NotReadyError
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.profile import Profile
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.select import wanted
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.shape import GpuWanted
from ansible_collections.instinct.fleet.tests.unit.support.partitions import BDFS, HIVE, gpu, node

NODE = Gpus(tuple(gpu(i, uuid=f"AA00-{i}") for i in range(4)))
NAMED = Profile("p", "", (), None, (), "profile p")


def inline(*rules: tuple[t.Any, str]) -> Profile:
    """Rules as (gpus, CPX/NPS4)."""
    return Profile.inline([{"gpus": gpus, "compute": mode.split("/")[0], "memory": mode.split("/")[1]} for gpus, mode in rules])


def test_all() -> None:
    assert wanted(inline(("all", "CPX/NPS4")), NODE) == tuple(GpuWanted(bdf, "CPX", "NPS4") for bdf in BDFS[:4])


def test_gpus_are_named_in_three_ways_and_told_in_pci_order() -> None:
    rules = inline((["aa00-3", 1], "CPX/NPS1"), (["0000:05:00.0"], "SPX/NPS1"))
    assert wanted(rules, NODE) == (
        GpuWanted(BDFS[0], "SPX", "NPS1"), GpuWanted(BDFS[1], "CPX", "NPS1"), GpuWanted(BDFS[3], "CPX", "NPS1"))


def test_a_node_that_is_mixed_already_may_stay_so() -> None:
    there = Gpus((gpu(0), gpu(1, mode="CPX/NPS4", xgmi_hive_id="00bb")))
    assert wanted(inline(([0], "SPX/NPS1"), ([1], "QPX/NPS4")), there) == (
        GpuWanted(BDFS[0], "SPX", "NPS1"), GpuWanted(BDFS[1], "QPX", "NPS4"))


def test_an_address_in_capitals_is_that_address() -> None:
    assert [one.bdf for one in wanted(inline((["0000:A6:00.0"], "CPX/NPS1")), node())] == ["0000:a6:00.0"]


@pytest.mark.parametrize(("profile", "gpus", "sentence"), [
    (dc.replace(NAMED, count=8, rules=inline(("all", "CPX/NPS4")).rules), NODE,
     "profile p: is for 8 GPUs, and the node has 4; choose a profile for that many"),
    (inline(("all", "CPX/NPS4")), Gpus(),
     "gpu_partition_gpus: the node has no GPU; take it out of the hosts that are partitioned"),
    (inline(("all", "CPX/NPS4")), Gpus(unknown={"gpus": "no permission"}),
     "gpu_partition_gpus: which GPUs the node has is unknown: no permission; mend that on the node"),
    (inline(([4], "CPX/NPS4")), NODE, "gpu_partition_gpus[0].gpus: the node has no GPU 4: they are 0 to 3; correct the index"),
    (inline((["0000:a6:00.0"], "CPX/NPS4")), NODE,
     f"gpu_partition_gpus[0].gpus: the node has no GPU 0000:a6:00.0: there are {', '.join(BDFS[:4])}; name one of these, or "
     "its index or UUID"),
    (inline((["-1"], "CPX/NPS4")), NODE,
     f"gpu_partition_gpus[0].gpus: the node has no GPU -1: there are {', '.join(BDFS[:4])}; name one of these, or its index "
     "or UUID"),
    (inline(("all", "CPX/NPS4"), ([2], "SPX/NPS1")), NODE,
     f"gpu_partition_gpus[1]: gpu {BDFS[2]} is also in gpu_partition_gpus[0]; leave it in one"),
    (inline(([0, "0000:05:00.0"], "CPX/NPS4")), NODE,
     f"gpu_partition_gpus[0]: gpu {BDFS[0]} is also in gpu_partition_gpus[0]; leave it in one"),
    (inline(([0, 1], "SPX/NPS1"), ([2], "CPX/NPS4")), NODE,
     f"gpu_partition_gpus: wants NPS1 for gpu {BDFS[0]} and NPS4 for gpu {BDFS[2]} in hive {HIVE}, which has one memory mode "
     "for all of its GPUs; choose one memory mode for the node"),
    (inline(([0], "SPX/NPS1"), ([1], "CPX/NPS4")), Gpus((gpu(0, xgmi_hive_id=None), gpu(1, xgmi_hive_id="00bb"))),
     f"gpu_partition_gpus: wants NPS1 for gpu {BDFS[0]} and NPS4 for gpu {BDFS[1]} in one node, which AMD says not to do; "
     "choose one memory mode for the node"),
    (dc.replace(NAMED, products=("MI355X", "MI350X"), rules=inline(("all", "CPX/NPS2")).rules), Gpus((gpu(0), gpu(1))),
     f"profile p: is for MI355X, MI350X, and gpus {BDFS[0]}, {BDFS[1]} are MI300X; choose a profile for MI300X, or none: "
     "docs/partitions.md says what it can be"),
    (dc.replace(NAMED, products=("MI300X",), rules=inline(("all", "CPX/NPS1")).rules), Gpus((gpu(0), gpu(1, "MI210"))),
     f"profile p: is for MI300X, and gpu {BDFS[1]} is MI210; choose a profile for MI210, or none: docs/partitions.md says "
     "what it can be"),
])
def test_what_does_not_fit_the_node(profile: Profile, gpus: Gpus, sentence: str) -> None:
    with pytest.raises(FleetError) as caught:
        wanted(profile, gpus)
    assert caught.value.sentence == sentence


def test_a_product_that_is_not_known_yet() -> None:
    profile = dc.replace(NAMED, products=("MI250X",), rules=inline(("all", "SPX/NPS1")).rules)
    with pytest.raises(NotReadyError) as caught:
        wanted(profile, Gpus((gpu(0, product=None, driver=None),)))
    assert caught.value.sentence == (
        f"profile p: is for MI250X, and which product gpu {BDFS[0]} is cannot be told; load the driver, which names it")


def test_a_rule_for_others_does_not_ask_what_gpus_are_that_it_leaves_out() -> None:
    profile = dc.replace(NAMED, products=("MI300X",), rules=inline(([0], "CPX/NPS1")).rules)
    assert [one.bdf for one in wanted(profile, Gpus((gpu(0), gpu(1, "MI210"))))] == [BDFS[0]]
