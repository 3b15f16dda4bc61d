# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which settings a host gets, by what a look says of it; what does nothing there is refused."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
import yaml

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape
from ansible_collections.instinct.fleet.plugins.plugin_utils import tuning_data

MI210, MI300X, MI300A = "740f", "74a1", "74a0"
WHY = {"why": "because", "sources": ["a page"], "confidence": "documented"}


def look(*devices: str, cpu: str | None = "AuthenticAMD", **sections: t.Any) -> shape.Look:
    gpus = tuple(shape.Gpu(number, f"0000:0{number}:00.0", device) for number, device in enumerate(devices))
    return shape.Look(**{"gpus": shape.Gpus(gpus), "host": shape.Host(cpu_vendor=cpu),
                         "kernel": shape.Kernel(cmdline="amdgpu.nonsense=1"), **sections})


def chosen(seen: shape.Look, **args: t.Any) -> tuple[list[str], dict[str, str], tuple[str, ...]]:
    options: dict[str, t.Any] = {"profile": "", "also": [], "skip": [], "values": {}, "catalogue_dirs": [], **args}
    choice, notes = tuning_data.chosen(options, seen)
    return [setting.id for setting in choice.settings], choice.left, notes


@pytest.fixture
def site(tmp_path: Path) -> t.Callable[..., str]:
    """Write a file of a site with one setting; its directory."""
    def write(kind: str, name: str, value: str) -> str:
        record = {"id": "mine", "kind": kind, "name": name, "value": value, **WHY}
        data = {"version": "v1", "kind": "tuning_settings", "settings": [record]}
        (tmp_path / "mine.yml").write_text(yaml.safe_dump(data))
        tuning_data.catalogue.cache_clear()
        return str(tmp_path)
    return write


@pytest.mark.parametrize(("device", "has", "lacks"), [
    (MI210, {"iommu-pt", "copies-by-kernels"}, {"pci-realloc-off", "compaction", "arguments-on-the-gpu"}),
    (MI300X, {"iommu-pt", "pci-realloc-off", "arguments-on-the-gpu"}, {"copies-by-kernels", "compaction"}),
    (MI300A, {"compaction", "transparent-hugepages"}, {"iommu-pt", "copies-by-kernels"}),
])
def test_serving_depends_on_the_product(device: str, has: set[str], lacks: set[str]) -> None:
    idents, left, _notes = chosen(look(device), profile="inference")
    assert has <= set(idents) and lacks <= set(left)
    assert "acs-off" in idents and "intel-iommu-on" in left


def test_pass_through_keeps_the_driver_off_and_access_control_on() -> None:
    assert chosen(look(MI300X, cpu="GenuineIntel"), profile="pass_through")[0] == [
        "intel-iommu-on", "blacklist-amdgpu", "acs-on", "kernel-stays"]


def test_a_value_may_be_a_number_of_the_inventory() -> None:
    assert chosen(look(MI210), also=["huge-pages"], values={"huge-pages": 1024})[0] == ["huge-pages"]


@pytest.mark.parametrize(("seen", "sentence"), [
    (look("ffff"), "setting iommu-pt: depends on the GPUs of the node, which are not known: GPU 0000:00:00.0 has the PCI device id ffff, "),
    (look(gpus=shape.Gpus(unknown={"gpus": "the bus cannot be read"})), "setting iommu-pt: depends on the GPUs of the node, which are not "
     "known: the bus cannot be read; "),
    (look(gpus=None), "setting iommu-pt: depends on the GPUs of the node, which are not known: no look at them was taken; "),
    (look(MI210, cpu=None), "setting intel-iommu-on: depends on the CPUs of the node, which are not known; "),
    (look(MI210, host=None), "setting intel-iommu-on: depends on the CPUs of the node, which are not known; "),
])
def test_what_is_not_known_is_no_ground_to_choose(seen: shape.Look, sentence: str) -> None:
    with pytest.raises(FleetError) as refusal:
        chosen(seen, profile="training")
    assert refusal.value.sentence.startswith(sentence)


@pytest.mark.parametrize(("kind", "name", "value", "sentence"), [
    ("environment", "HSA_QUEUE_PRIORITY", "high", "host_tuning: HSA_QUEUE_PRIORITY does nothing: no part of ROCm or of the driver reads it "
     "(set in mine); remove it; what does it: "),
    ("environment", "HSA_ENABLE_SDMA", "maybe", "host_tuning: HSA_ENABLE_SDMA='maybe' is not of the form that it is read in: 0 or 1"),
    ("kernel_argument", "amdgpu.xgmi", "1", "host_tuning: amdgpu.xgmi does nothing: "),
    ("kernel_argument", "amdgpu.no_such_thing", "1", "host_tuning: amdgpu has no parameter amdgpu.no_such_thing"),
    ("kernel_argument", "iommu", "sometimes", "host_tuning: iommu='sometimes' is not of the form"),
])
def test_what_does_nothing_is_refused(site: t.Callable[..., str], kind: str, name: str, value: str, sentence: str) -> None:
    with pytest.raises(FleetError) as refusal:
        chosen(look(MI210), also=["mine"], catalogue_dirs=[site(kind, name, value)])
    assert refusal.value.sentence.startswith(sentence)


def test_what_changes_nothing_is_said(site: t.Callable[..., str]) -> None:
    directory = site("kernel_argument", "amd_iommu", "on")
    assert chosen(look(MI210, kernel=None), also=["mine"], catalogue_dirs=[directory]) == (
        ["mine"], {}, ("amd_iommu=on changes nothing (set in mine)",))


def test_a_file_that_is_not_right_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.yml").write_text("version: v1\nkind: other\n")
    with pytest.raises(FleetError, match=r"x\.yml: kind: is 'other'"):
        tuning_data.catalogue((str(tmp_path),))
    with pytest.raises(FleetError, match="host_tuning_catalogue_dirs: /nowhere is not a directory"):
        tuning_data.catalogue(("/nowhere",))
