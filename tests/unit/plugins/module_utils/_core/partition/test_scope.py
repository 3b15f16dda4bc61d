# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a change reaches beyond the GPUs it is for."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.gpus import OFF_THE_BUS, Gpus
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.scope import driven, hives_of
from ansible_collections.instinct.fleet.tests.unit.support.partitions import (
    BDFS,
    HIVE,
    asked,
    gpu,
    node,
    refusal,
)

TWO_HIVES = Gpus(tuple(gpu(i, xgmi_hive_id="00aa" if i < 2 else "00bb") for i in range(4)))
LONERS = Gpus(tuple(gpu(i, xgmi_hive_id=None) for i in range(3)))


@pytest.mark.parametrize(("gpus", "some", "reached"), [
    (TWO_HIVES, {BDFS[0]}, BDFS[:2]), (TWO_HIVES, {BDFS[0], BDFS[3]}, BDFS[:4]), (LONERS, {BDFS[1]}, (BDFS[1],)),
    (TWO_HIVES, set(), ()),
])
def test_a_hive_is_reached_with_each_of_its_gpus(gpus: Gpus, some: set[str], reached: tuple[str, ...]) -> None:
    assert hives_of(gpus, some) == reached


def test_gpus_of_other_drivers_are_not_reloaded() -> None:
    gpus = Gpus((gpu(0), gpu(1, driver="vfio-pci"), gpu(2, driver=None)))
    assert [one.bdf for one in driven(gpus)] == [BDFS[0]]


@pytest.mark.parametrize(("gpus", "chosen", "sentence"), [
    (node(), (0, 1, 2, 3, 4, 5),
     f"gpus {BDFS[6]}, {BDFS[7]}: are not chosen, and a memory partition is for all GPUs of hive {HIVE}; "
     "choose them for NPS4 too"),
    (node(), (1, 2, 3, 4, 5, 6, 7),
     f"gpu {BDFS[0]}: is not chosen, and a memory partition is for all GPUs of hive {HIVE}; choose them for NPS4 too"),
    (TWO_HIVES, (2, 3),
     f"gpus {BDFS[0]}, {BDFS[1]}: would be in NPS1 beside NPS4 on one node, which AMD says not to do; "
     "choose NPS4 for all GPUs"),
    (LONERS, (1, 2),
     f"gpu {BDFS[0]}: would be in NPS1 beside NPS4 on one node, which AMD says not to do; choose NPS4 for all GPUs"),
    # The driver must be reloaded, which is proved by all GPUs.
    (Gpus((gpu(0), gpu(1), gpu(2, driver="vfio-pci", xgmi_hive_id=None, memory_partition=None))), (0, 1),
     f"gpu {BDFS[2]}: not bound to amdgpu (driver vfio-pci); load amdgpu, or leave this GPU out"),
    (Gpus((gpu(0), gpu(1), gpu(2, xgmi_hive_id=None, memory_partition=None)), {f"{BDFS[2]}.pcie.width": OFF_THE_BUS}), (0, 1),
     f"gpu {BDFS[2]}: no answer on the bus; reboot the node; if it stays so, look at the hardware"),
])
def test_a_memory_mode_for_a_part(gpus: Gpus, chosen: tuple[int, ...], sentence: str) -> None:
    wanted = tuple(one for one in asked(gpus, "CPX/NPS4") if one.bdf in [BDFS[i] for i in chosen])
    assert refusal(gpus, wanted) == sentence


def test_two_memory_modes_are_refused_however_they_come_to_be_wanted() -> None:
    wanted = (*asked(node(), "CPX/NPS4")[:6], *asked(node(), "SPX/NPS1")[6:])
    assert refusal(node(), wanted) == (
        f"gpus {BDFS[6]}, {BDFS[7]}: would be in NPS1 beside NPS4 on one node, which AMD says not to do; choose NPS4 for all GPUs")


def test_a_compute_mode_for_a_part_needs_no_other_gpu() -> None:
    assert refusal(node(), asked(node(), "CPX/NPS1", 3)) == ""
    others = Gpus((gpu(0), gpu(1, driver="vfio-pci")))
    assert refusal(others, asked(others, "CPX/NPS1")[:1]) == ""
