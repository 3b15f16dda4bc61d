# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node as images and containers meet it."""

from __future__ import annotations

import dataclasses as dc
import json
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.image import host
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.shape import VerbsDevice
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.products import Product
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.provenance import Provenance
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.versions import Pattern
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.windows import DriverWindow
from ansible_collections.instinct.fleet.tests.unit.support import containers

SAID = Provenance("documented", ("the matrix",))
MI300X = Product("MI300X", ("74a1",), ("74b5",), "gfx942", "CDNA3", "MI300", None, None, SAID)
WINDOW = DriverWindow(Pattern.parse("30.10.x"), (Pattern.parse("6.4.x"), Pattern.parse("7.0.x")), SAID)
NAMED = {"ionic": "ionic"}
PACKAGE = lk.Package("amdgpu-dkms", "1:6.14.14.30100200-2226257.24.04", "all", "installed")
GPU = lk.Gpu(0, "0000:05:00.0", "74a1", partitions=(lk.Partition(0, "/dev/dri/renderD128"),))
KFD = lk.DeviceNode("/dev/kfd", "kfd", "root", "render", 109, "0660")
LOOK = lk.Look(os=lk.Os(architecture="x86_64"), packages=lk.Packages("apt", (PACKAGE,)), gpus=lk.Gpus((GPU,)),
               devices=lk.Devices((dc.replace(KFD, path="/dev/dri/renderD128", kind="render", gid=44), KFD)))


MODULE = lk.OnDisk("6.8.0-60-generic", "/lib/modules/6.8.0-60-generic/updates/dkms/amdgpu.ko", "dkms", "6.14.14", "A1")


def of(**changes: t.Any) -> host.Host:
    return host.of(dc.replace(LOOK, **changes), (MI300X,), (WINDOW,), NAMED)


def test_a_node_is_read_out_of_a_look() -> None:
    assert of() == host.Host("x86_64", "30.10.2", ("6.4.x", "7.0.x"), "the matrix", ("gfx942",), 109,
                             {"0000:05:00.0": ("/dev/dri/renderD128",)}, NAMED)


@pytest.mark.parametrize(("changes", "name", "why"), [
    ({"packages": lk.Packages("apt", ())}, "rocm",
     "amdgpu-dkms is not installed, and for the kernel's own driver AMD names no window"),
    ({"packages": None}, "rocm", "amdgpu-dkms is not installed, and for the kernel's own driver AMD names no window"),
    ({"packages": lk.Packages("apt", (dc.replace(PACKAGE, version="1:6.8.5.60200-2009582.24.04"),))}, "rocm",
     "no compatibility window is known for amdgpu-dkms 1:6.8.5.60200-2009582.24.04"),
    ({"driver": lk.Driver(loaded=True, on_disk=(MODULE,), loaded_is_on_disk=False)}, "rocm",
     "the amdgpu that runs is another than that of amdgpu-dkms 1:6.14.14.30100200-2226257.24.04 on disk"),
    ({"gpus": None}, "gpus", "no GPU is seen"),
    ({"gpus": lk.Gpus((), {"gpus": "the bus cannot be read"})}, "gpus", "the bus cannot be read"),
    ({"gpus": lk.Gpus((dc.replace(GPU, device_id="ffff"),))}, "gfx",
     "GPU 0000:05:00.0 has the PCI device id ffff, which no product has"),
    ({"gpus": lk.Gpus((dc.replace(GPU, partitions=(*GPU.partitions, lk.Partition(1))),))}, "0000:05:00.0",
     "not all render nodes of this GPU are known"),
    ({"gpus": lk.Gpus((dc.replace(GPU, partitions=()),))}, "0000:05:00.0", "not all render nodes of this GPU are known"),
    ({"os": None}, "machine", "the node does not tell its architecture"),
    ({"os": lk.Os()}, "machine", "the node does not tell its architecture"),
    ({"devices": None}, "render_gid", "there is no /dev/kfd, whose group would tell"),
])
def test_what_a_look_does_not_tell_is_unknown(changes: dict[str, t.Any], name: str, why: str) -> None:
    assert of(**changes).unknown == {name: why}


@pytest.mark.parametrize("driver", [
    lk.Driver(loaded=True, on_disk=(MODULE,), loaded_is_on_disk=True), lk.Driver(loaded=True, on_disk=(MODULE,)),
    lk.Driver(loaded=True, loaded_is_on_disk=False), lk.Driver(loaded=False, on_disk=(MODULE,), loaded_is_on_disk=False)])
def test_a_driver_that_runs_is_the_one_that_is_installed_unless_both_are_seen(driver: lk.Driver) -> None:
    assert of(driver=driver).unknown == {}


def test_a_version_of_another_form_is_unknown() -> None:
    found = of(packages=lk.Packages("apt", (dc.replace(PACKAGE, version="of mine"),)))
    assert (found.rocm, list(found.unknown)) == ((), ["rocm"])
    assert of(os=None).machine is None


@pytest.mark.parametrize("node", [of(), of(packages=None, devices=None, os=None, gpus=None)])
def test_it_travels_as_json(node: host.Host) -> None:
    assert host.Host.given(json.loads(json.dumps(dc.asdict(node)))) == node


@pytest.mark.parametrize(("device", "verbs", "unknown"), [
    (containers.NIC, {"ionic": 4}, {}),
    (dc.replace(containers.NIC, abi=None), {}, {"verbs": "provider and ABI of ionic_0 (ionic) are not known"}),
    (dc.replace(containers.NIC, driver="efa"), {}, {"verbs": "provider and ABI of ionic_0 (efa) are not known"}),
    (dc.replace(containers.NIC, driver=None), {}, {"verbs": "provider and ABI of ionic_0 (no driver) are not known"}),
])
def test_what_images_have_to_fit_is_told(device: VerbsDevice, verbs: dict[str, int], unknown: dict[str, str]) -> None:
    assert containers.host(verbs=(device,), unknown={"rocm": "no window"}).plain == {
        "machine": "x86_64", "rocm": ["6.4.x", "7.0.x"], "gfx": ["gfx942"], "render_gid": 109, "verbs": verbs,
        "unknown": {"rocm": "no window", **unknown}}


def test_what_is_no_node_is_refused() -> None:
    raw = json.loads(json.dumps(dc.asdict(containers.host())))
    with pytest.raises(DataError):
        host.Host.given({**raw, "colour": "red"})
    with pytest.raises(DataError):
        host.Host.given({})
