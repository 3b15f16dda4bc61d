# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a node is now, as a profile."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.gpus import Gpus
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.export import export
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.profile import Profile
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.select import wanted
from ansible_collections.instinct.fleet.tests.unit.support.partition_data import own
from ansible_collections.instinct.fleet.tests.unit.support.partitions import BDFS, gpu, node, plan, virtual

MIXED = Gpus((gpu(0, mode="CPX/NPS1"), gpu(1), gpu(2, mode="CPX/NPS1"), gpu(3, "MI210")))


def test_gpus_that_are_alike() -> None:
    assert export(node(mode="CPX/NPS4"), "as-is", own()) == {
        "version": "v1", "kind": "partition_profile", "name": "as-is", "description": "As seen on a node with 8 GPUs",
        "products": ["MI300X"], "count": 8, "gpus": [{"gpus": "all", "compute": "CPX", "memory": "NPS4"}]}


def test_gpus_that_differ() -> None:
    made = export(MIXED, "as-is", own())
    assert made["products"] == ["MI210", "MI300X"]
    assert made["gpus"] == [{"gpus": [BDFS[0], BDFS[2]], "compute": "CPX", "memory": "NPS1"},
                            {"gpus": [BDFS[1], BDFS[3]], "compute": "SPX", "memory": "NPS1"}]


@pytest.mark.parametrize("gpus", [MIXED, node(mode="QPX/NPS4"), node("MI210"), node("MI300A", "TPX/NPS1"), virtual()])
def test_a_node_is_as_its_own_profile_says(gpus: Gpus) -> None:
    profile = Profile.from_document(export(gpus, "as-is", own()), "as-is.yml")
    made = plan(gpus, wanted(profile, gpus), ())
    assert (made.changes, made.reboot) == ((), "")


@pytest.mark.parametrize(("gpus", "name", "sentence"), [
    (node(), "As is", "name: 'As is' is no name for a profile; write it as cpx-nps4"),
    (Gpus(), "as-is", "node: no GPU is seen: there is none on the PCI bus; mend that on the node"),
    (Gpus(unknown={"gpus": "no permission"}), "as-is", "node: no GPU is seen: no permission; mend that on the node"),
    (Gpus((gpu(driver=None),)), "as-is",
     f"gpu {BDFS[0]}: not bound to amdgpu (driver none); load amdgpu, or leave this GPU out"),
    (Gpus((gpu(memory_partition=None),)), "as-is",
     f"gpu {BDFS[0]}: memory partition unknown: the driver does not tell it; mend that on the node"),
])
def test_what_cannot_be_exported(gpus: Gpus, name: str, sentence: str) -> None:
    with pytest.raises(FleetError) as caught:
        export(gpus, name, own())
    assert caught.value.sentence == sentence
