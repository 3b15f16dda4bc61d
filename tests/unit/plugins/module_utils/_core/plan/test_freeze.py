# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a node runs, exactly, or why it cannot be said."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.whole import whole
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan import freeze
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.plan import Plan, Step
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.catalogue import Catalogue
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.kernel_release import (
    KernelRelease,
    KernelSeries,
)
from ansible_collections.instinct.fleet.tests.unit.support.catalogue import own
from ansible_collections.instinct.fleet.tests.unit.support.world import (
    KERNEL,
    bare_node,
    dkms_built,
    gpu,
    in_tree,
    package,
)

DRIVER = ("amdgpu-dkms", "1:6.16.13.30300300-2327507.22.04")
FIRMWARE = ("amdgpu-dkms-firmware", "30.30.3.0.30300300-2327507.22.04")
ROCM = (("rocm-core", "7.2.3.70203-56~22.04"), ("rocminfo", "1.0.0.70203-56~22.04"))
SAID = {"bdf": "0000:05:00.0", "blocks": {}, "source": "amdsmi"}


def node(*packages: tuple[str, str], **change: object) -> lk.Look:
    """A node that runs the driver 30.30.3 and ROCm 7.2.3, with sections replaced."""
    dkms = dkms_built(KERNEL, "6.16.13-2327507.22.04")
    sections = {
        "packages": lk.Packages("apt", tuple(package(*p) for p in packages or (DRIVER, FIRMWARE, *ROCM))),
        "driver": lk.Driver(True, "live", "6.16.13", dkms.srcversion, (dkms,), True),
        "dkms": lk.Dkms(True, (lk.DkmsModule("amdgpu", "6.16.13-2327507.22.04", KERNEL, "x86_64", "installed"),)),
        "rocm": lk.Rocm((lk.RocmPrefix("/opt/rocm-7.2.3", "7.2.3"),), "/opt/rocm-7.2.3"),
    }
    return dc.replace(bare_node(gpus=1), **{**sections, **change})


def frozen(look: lk.Look, catalogue: Catalogue | None = None, name: str = "a") -> freeze.Frozen:
    return freeze.freeze(catalogue or own(), whole(look), name)


def test_what_a_node_runs() -> None:
    assert frozen(node()) == freeze.Frozen(
        "a", "legacy", "7.2.3", "30.30.3", "6.16.13", "2327507",
        (("amdgpu-dkms", "deb", "1:6.16.13.30300300-2327507{dist}"), ("amdgpu-dkms-firmware", "deb", "30.30.3.0.30300300-2327507{dist}")),
        "debian", "12", KERNEL, "6.1.0-56", ("MI300X",), ())


FIRMWARES = [
    ({"bundle": "01.26.00.02", "vbios_part": "113-M3000100-102"}, ("pldm", "01.26.00.02")),
    ({"vbios_part": "113-M3000100-102"}, ("vbios", "M3000100-102")),
    ({}, None),
]


@pytest.mark.parametrize(("read", "row"), FIRMWARES)
def test_firmware_that_was_seen_is_kept(read: dict[str, str], row: tuple[str, str] | None) -> None:
    look = node(firmware=lk.Firmware((lk.GpuFirmware(**SAID, **read),)))
    assert frozen(look).firmware == ((("MI300X", *row),) if row else ())


def test_firmware_of_a_gpu_that_may_be_one_or_the_other_is_nobodys() -> None:
    look = node(gpus=lk.Gpus((gpu(0, "740c"),)), firmware=lk.Firmware((lk.GpuFirmware(**SAID, bundle="01.26.00.02"),)))
    assert (frozen(look).gpus, frozen(look).firmware) == (("MI250", "MI250X"), ())


OTHER_KERNEL = dkms_built("6.1.0-57-amd64", "6.16.13-2327507.22.04")
REFUSALS = {
    "an operating system without packages": (
        node(os=lk.Os(id="azurelinux", version_id="3.0", root=True)), "packages of Azure Linux 3.0 are not managed"),
    "an operating system that nobody knows": (node(os=lk.Os(id="plan9", version_id="4", root=True)), "packages of plan9 4"),
    "no driver package": (node(*ROCM, dkms=lk.Dkms(False)), "amdgpu-dkms is not installed"),
    "not built for the running kernel": (
        node(driver=lk.Driver(True, "live", on_disk=(OTHER_KERNEL,), loaded_is_on_disk=True)), "not built for the running kernel"),
    "the kernel's own module": (
        node(driver=lk.Driver(True, "live", on_disk=(in_tree(KERNEL),), loaded_is_on_disk=True)), "not built for the running kernel"),
    "no driver loaded": (node(driver=dc.replace(node().driver, loaded=False)), "the driver that is loaded is not known to be"),
    "another driver loaded": (
        node(driver=dc.replace(node().driver, loaded_is_on_disk=False)), "the driver that is loaded is not known to be"),
    "who knows what is loaded": (
        node(driver=dc.replace(node().driver, loaded_is_on_disk=None)), "the driver that is loaded is not known to be"),
    "no ROCm": (node(DRIVER, rocm=lk.Rocm()), "has packages of no ROCm, and a release names one; install ROCm"),
    "two ROCms": (
        node(DRIVER, *ROCM, ("rocm-core6.4.2", "6.4.2.60402-56~22.04")),
        "has packages of ROCm 6.4.2 (legacy) and ROCm 7.2.3 (legacy), and a release names one; remove the others"),
    "ROCm that is not active": (
        node(rocm=lk.Rocm((lk.RocmPrefix("/opt/rocm-7.2.3", "7.2.3"),), None)), "/opt/rocm leads to nothing"),
    "another ROCm is active": (
        node(rocm=lk.Rocm((lk.RocmPrefix("/opt/x", "6.0.0"),), "/opt/x")), "/opt/rocm leads to /opt/x, not to ROCm 7.2.3"),
    "ROCm without a version": (node(rocm=lk.Rocm((lk.RocmPrefix("/opt/x", None),), "/opt/x")), "/opt/rocm leads to /opt/x"),
    "no GPU": (node(gpus=lk.Gpus()), "has no GPU"),
    "a GPU that the catalogue does not know": (node(gpus=lk.Gpus((gpu(0, "1586"),))), "1586"),
}


@pytest.mark.parametrize(("look", "says"), REFUSALS.values(), ids=REFUSALS)
def test_what_cannot_be_named_exactly_is_refused(look: lk.Look, says: str) -> None:
    with pytest.raises(FleetError) as refusal:
        frozen(look)
    assert says in refusal.value.sentence


def test_a_package_that_does_not_tell_its_release_is_found_by_its_build() -> None:
    short = node(("amdgpu-dkms", "1:6.16.13-2327507.22.04"), *ROCM)
    assert frozen(short).driver == "30.30.3"
    with pytest.raises(FleetError, match="does not tell its driver release, and the catalogue has none of build 2327507"):
        frozen(short, dc.replace(own(), releases={}))
    releases = own().releases
    other = dc.replace(releases["rocm-7.2.4"].driver, build="2327507")
    two = {**releases, "x": dc.replace(releases["rocm-7.2.4"], driver=other)}
    with pytest.raises(FleetError, match="the catalogue has several of build 2327507"):
        frozen(short, dc.replace(own(), releases=two))


KERNELS = [
    ("6.1.0-56-amd64", "6.1.0-56"), ("6.12.48+deb13-amd64", "6.12.48"), ("6.8.0-44-generic", "6.8.0-44"),
    ("5.14.0-570.12.1.el9_6.x86_64", "5.14.0-570.12.1"), ("6.4.0-150700.51-default", "6.4.0-150700.51"),
]


@pytest.mark.parametrize(("kernel", "series"), KERNELS)
def test_a_kernel_as_a_series_of_its_own(kernel: str, series: str) -> None:
    assert freeze._series(kernel) == series
    assert KernelSeries.parse(series).covers(KernelRelease.parse(kernel))


DISAGREE = [
    ({"rocm": "6.4.2"}, "a and b: differ in their ROCm: 7.2.3 (legacy) and 6.4.2 (legacy); export them"),
    ({"build": "1"}, "a and b: differ in their driver: 30.30.3 build 2327507 and 30.30.3 build 1"),
    ({"packages": (("amdgpu-dkms", "deb", "1:6.16.13.30300300-2327507.24.04"),)},
     "a and b: differ in amdgpu-dkms: 1:6.16.13.30300300-2327507{dist} and 1:6.16.13.30300300-2327507.24.04"),
]


@pytest.mark.parametrize(("change", "says"), DISAGREE)
def test_nodes_that_do_not_agree_are_refused_by_name(change: dict[str, object], says: str) -> None:
    one = frozen(node())
    with pytest.raises(FleetError) as refusal:
        freeze.refuse_disagreement([one, dc.replace(one, node="b", **change)])
    assert refusal.value.sentence.startswith(says)


def test_firmware_that_differs_is_no_disagreement_and_all_of_it_will_do() -> None:
    one = dc.replace(frozen(node()), firmware=(("MI300X", "pldm", "01.26.00.02"),))
    two = dc.replace(one, node="b", firmware=(("MI300X", "pldm", "01.25.17.07"),))
    freeze.refuse_disagreement([one, two])
    rows = freeze.document("x", "t", [one, two], "s")["release"]["firmware"]
    assert [(row["gpu"], row["kind"], [v["value"] for v in row["versions"]]) for row in rows] == [
        ("MI300X", "pldm", ["01.25.17.07", "01.26.00.02"])]


@pytest.mark.parametrize(
    ("wanted", "there"),
    [(("rocm-core", "rocminfo", "amd-smi-lib"), ("rocm-core", "rocminfo")), (("rocminfo", "nothing"), ("rocminfo",))],
)
def test_components_that_are_there(wanted: tuple[str, ...], there: tuple[str, ...]) -> None:
    look = whole(node())
    assert freeze.components(own(), look, wanted, frozen(node())) == there


def test_no_component_at_all_is_refused() -> None:
    with pytest.raises(FleetError, match="has none of the components rocm-hip-runtime of ROCm"):
        freeze.components(own(), whole(node()), ("rocm-hip-runtime",), frozen(node()))


CHANGES = [
    (Plan("r", (Step("hold", "hold x"), Step("install", "install y"))), "install y"),
    (Plan("r", reboot="k must boot"), "k must boot"),
    (Plan("r", (Step("new", "do what nobody knows"),)), "do what nobody knows"),
]


@pytest.mark.parametrize(("plan", "says"), CHANGES)
def test_a_release_under_which_the_node_would_change_is_none_of_its_own(plan: Plan, says: str) -> None:
    with pytest.raises(FleetError, match=f"a: pinned to its own release it would not stay as it is: {says}"):
        freeze.refuse_change("a", [plan])


def test_pins_and_holds_are_no_change() -> None:
    assert freeze.refuse_change("a", [Plan("r", (Step("hold", "hold x"),)), Plan("s")]) == ("hold x",)
