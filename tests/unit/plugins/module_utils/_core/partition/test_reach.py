# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether one GPU can become what is wanted of it, and every sentence that says why not."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.gpus import OFF_THE_BUS, Gpus
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.circumstances import NotReadyError
from ansible_collections.instinct.fleet.tests.unit.support.partitions import (
    BDFS,
    asked,
    gpu,
    node,
    plan,
    refusal,
    virtual,
)

A = BDFS[0]
GUIDE = "ROCm/amdgpu-docs:docs/gpu-partitioning"
MASKS = ("give programs a part of the compute units with HSA_CU_MASK, or ROC_GLOBAL_CU_MASK for HIP and OpenCL alone, "
         "or leave this GPU out (source: https://rocm.docs.amd.com/en/docs-10.2.0/reference/gpu-specs.html)")
ASLEEP = {f"{A}.compute_partition": "the GPU is suspended, reading this would wake it"}


def lone(**other: t.Any) -> Gpus:
    """A node with one GPU."""
    return Gpus((gpu(**other),))


# Not as they are now, but perhaps later: the driver is to come, or hands are needed.
@pytest.mark.parametrize(("gpus", "sentence"), [
    (Gpus((gpu(),), {f"{A}.pcie.width": OFF_THE_BUS}),
     f"gpu {A}: no answer on the bus; reboot the node; if it stays so, look at the hardware"),
    (lone(driver=None), f"gpu {A}: not bound to amdgpu (driver none); load amdgpu, or leave this GPU out"),
    (lone(driver="vfio-pci"), f"gpu {A}: not bound to amdgpu (driver vfio-pci); load amdgpu, or leave this GPU out"),
    (lone(driver=None, product=None), f"gpu {A}: not bound to amdgpu (driver none); load amdgpu, or leave this GPU out"),
    (Gpus((gpu(compute_partition=None, memory_partition=None),), ASLEEP),
     f"gpu {A}: compute partition unknown: the GPU is suspended, reading this would wake it; mend that on the node"),
    (lone(memory_partition=None),
     f"gpu {A}: memory partition unknown: the driver does not tell it; mend that on the node"),
])
def test_a_gpu_that_is_not_ready(gpus: Gpus, sentence: str) -> None:
    with pytest.raises(NotReadyError) as caught:
        plan(gpus, "CPX/NPS4")
    assert caught.value.sentence == sentence


@pytest.mark.parametrize(("gpus", "mode", "sentence"), [
    (lone(product=None, device_id="740c"), "CPX/NPS1",
     f"gpu {A}: PCI device id 1002:740c is that of no product, or of several, and the driver gives it no name; load a driver "
     "that names it, or add the id to products.yml in a directory of gpu_release_catalogue_dirs"),
    (lone(product="MI400X", device_id="7500"), "CPX/NPS1",
     f"gpu {A}: no table says what MI400X can be; add it to a file of products in a directory of gpu_partition_catalogue_dirs"),
    (node("MI210"), "CPX/NPS1", f"all 4 GPUs: MI210 cannot be partitioned, so not be CPX/NPS1; {MASKS}"),
    (lone(product="MI250X", device_id="7408", driver=None), "DPX/NPS1",
     f"gpu {A}: MI250X cannot be partitioned, so not be DPX/NPS1; {MASKS}"),
    (virtual(), "CPX/NPS4",
     f"gpu {A}: a virtual function, here in SPX/NPS1, has the modes of its host; set them on the host, which can give "
     "a guest CPX/NPS4 with 8 of them for each GPU"),
    (virtual(), "DPX/NPS2",
     f"gpu {A}: a virtual function, here in SPX/NPS1, has the modes of its host; set them on the host"),
    (node("MI300A", compute_partition="TPX", memory_partition="NPS4"), "CPX/NPS1",
     "all 4 GPUs: in NPS4, and the memory mode of MI300A is a setting of the BIOS; set NPS1 there and reboot, or want "
     "CPX/NPS4 (source: https://rocm.docs.amd.com/en/docs-10.2.0/reference/gpu-specs.html)"),
    (lone(product="MI350P", device_id="75a8", mode="SPX/NPS1", memory_partition="NPS2", available_memory=()), "DPX/NPS1",
     f"gpu {A}: in NPS2, and the memory mode of MI350P cannot be changed; want DPX/NPS2 "
     "(source: https://rocm.docs.amd.com/en/docs-10.0.0/about/release-notes.html)"),
])
def test_what_a_gpu_cannot_be(gpus: Gpus, mode: str, sentence: str) -> None:
    assert refusal(gpus, mode) == sentence


def test_what_no_gpu_of_the_product_can_be_is_refused_before_the_driver_is_there() -> None:
    bare = node(driver=None, compute_partition=None, memory_partition=None, available_compute=(), available_memory=())
    with pytest.raises(FleetError) as caught:
        plan(bare, "TPX/NPS1", ())
    assert not isinstance(caught.value, NotReadyError)
    assert caught.value.what == "MI300X cannot be TPX/NPS1"
    # A node may offer what no table lists: where the site would take that, the node must be asked first.
    assert refusal(bare, "TPX/NPS1", ("allowed",)) == (
        "all 8 GPUs: not bound to amdgpu (driver none); load amdgpu, or leave this GPU out")


def test_a_virtual_function_has_the_modes_of_its_host_whatever_the_table_says() -> None:
    assert "has the modes of its host; set them on the host" in refusal(virtual(), "TPX/NPS1", ())


@pytest.mark.parametrize(("gpus", "mode"), [(virtual("CPX/NPS4"), "CPX/NPS4"), (node("MI250X"), "SPX/NPS1")])
def test_what_is_so_is_never_refused(gpus: Gpus, mode: str) -> None:
    assert plan(gpus, mode, ()).changes == ()


def test_a_refusal_names_all_gpus_that_it_is_for() -> None:
    gpus = Gpus((gpu(0), gpu(1, driver="vfio-pci"), gpu(2, driver=None), gpu(3, driver="vfio-pci")))
    assert refusal(gpus, asked(gpus, "CPX/NPS1")) == (
        f"gpus {BDFS[1]}, {BDFS[3]}: not bound to amdgpu (driver vfio-pci); load amdgpu, or leave this GPU out")
