# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is read on the controller for checks of images and containers."""

from __future__ import annotations

import dataclasses as dc
import typing as t
from pathlib import Path

import pytest
import yaml

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape
from ansible_collections.instinct.fleet.plugins.plugin_utils import container_check_data
from ansible_collections.instinct.fleet.tests.unit.support.containers import documents

ARGUMENT = """version: v1
kind: run_arguments
arguments:
  - {id: ours, kind: environment, name: OURS, value: "1", why: Because., sources: [us], confidence: derived}
"""
MI300X = shape.Look(
    os=shape.Os(architecture="x86_64"), gpus=shape.Gpus((
        shape.Gpu(0, "0000:05:00.0", "74a1", partitions=(shape.Partition(0, "/dev/dri/renderD128"),)),
        shape.Gpu(1, "0000:26:00.0", "74a1", partitions=(shape.Partition(0, "/dev/dri/renderD129"),)))),
    packages=shape.Packages("apt", (shape.Package("amdgpu-dkms", "1:6.14.14.30100200-2226257.24.04", "all", "installed"),)),
    host=shape.Host(rdma=(shape.RdmaPort("mlx5_0", 1),)))


def test_ours_come_first_and_a_site_after_them(tmp_path: Path) -> None:
    record = {**documents()[0]["data"]["checks"][0], "severity": "info"}
    (tmp_path / "mine.yml").write_text(yaml.safe_dump({"version": "v1", "kind": "container_checks", "checks": [record]}))
    found = container_check_data.documents((str(tmp_path),))
    assert [(one["path"], one["layer"]) for one in found] == [("checks/checks.yml", 0), (f"{tmp_path.name}/mine.yml", 1)]


def test_what_is_wrong_is_refused_on_the_controller(tmp_path: Path) -> None:
    (tmp_path / "mine.yml").write_text("version: v1\nkind: container_checks\nchecks: [{id: nothing}]\n")
    with pytest.raises(FleetError, match=r"mine.yml: checks\[0\].id: there is no check 'nothing'"):
        container_check_data.documents((str(tmp_path),))


def test_a_node_by_our_catalogue() -> None:
    found = container_check_data.host(MI300X)
    assert (found.driver, found.gfx, found.providers["ionic"]) == ("30.10.2", ("gfx942",), "ionic")
    assert "7.0.x" in found.rocm and found.window_source


def test_what_a_container_needs_in_its_environment() -> None:
    all_of_it = container_check_data.environment(MI300X, (), True)
    assert all_of_it == ({"NCCL_DEBUG": "INFO", "RDMAV_HUGEPAGES_SAFE": "1"}, "")
    assert container_check_data.environment(MI300X, ("05:00.0",), True) == ({"RDMAV_HUGEPAGES_SAFE": "1"}, "")
    assert container_check_data.environment(MI300X, (), False) == ({"NCCL_DEBUG": "INFO"}, "")
    parts = tuple(shape.Partition(number, f"/dev/dri/renderD{128 + number}") for number in range(8))
    cpx = shape.Gpus((shape.Gpu(0, "0000:05:00.0", "74a1", partitions=parts),))
    assert container_check_data.environment(dc.replace(MI300X, gpus=cpx), (), False) == ({"NCCL_DEBUG": "INFO"}, "")


NIC = "what RDMA needs depends on devices that are not known"
SDMA = "whether HSA_ENABLE_SDMA is needed depends on GPUs that are not known"
STRANGE = shape.Gpus((shape.Gpu(0, "0000:05:00.0", "740f"), shape.Gpu(1, "0000:26:00.0", "ffff")))


@pytest.mark.parametrize(("changes", "rdma", "found"), [
    ({"host": None}, True, ({"NCCL_DEBUG": "INFO"}, NIC)),
    ({"host": shape.Host(unknown={"rdma": "no /sys"})}, True, ({"NCCL_DEBUG": "INFO"}, NIC)),
    ({"host": None}, False, ({"NCCL_DEBUG": "INFO"}, "")),
    ({"gpus": None}, False, ({}, SDMA)),
    ({"gpus": STRANGE}, False, ({}, SDMA)),
    ({"gpus": STRANGE, "host": None}, True, ({}, f"{SDMA}; {NIC}")),
])
def test_what_decides_and_is_not_known_is_said(changes: dict[str, t.Any], rdma: bool, found: tuple[dict[str, str], str]) -> None:
    assert container_check_data.environment(dc.replace(MI300X, **changes), (), rdma) == found


def test_data_of_a_site_counts(tmp_path: Path) -> None:
    (tmp_path / "mine.yml").write_text(ARGUMENT)
    found, _why = container_check_data.environment(MI300X, (), False, (str(tmp_path),))
    assert found == {"NCCL_DEBUG": "INFO", "OURS": "1"}
    with pytest.raises(FleetError, match="gpu_release_catalogue_dirs: /nowhere is not a directory"):
        container_check_data.host(MI300X, ("/nowhere",))
    with pytest.raises(FleetError, match="rdma_stack_catalogue_dirs: /nowhere is not a directory"):
        container_check_data.host(MI300X, (), ("/nowhere",))
