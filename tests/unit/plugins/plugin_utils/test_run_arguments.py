# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Arguments of a container by what a look says of the node."""

from __future__ import annotations

import dataclasses as dc
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.argument_rules import Rules
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.arguments import Workload
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape
from ansible_collections.instinct.fleet.plugins.plugin_utils import run_arguments
from ansible_collections.instinct.fleet.tests.unit.support.layouts import gpu, node

KFD = shape.DeviceNode("/dev/kfd", "kfd", "root", "render", 993, "0660")
ONE = shape.DeviceNode("/dev/dri/renderD128", "render", "root", "render", 993, "0660")
LOOK = shape.Look(gpus=node(gpu(0, "DPX", count=2)), devices=shape.Devices((KFD, ONE), {"render": 993}), host=shape.Host())
WORKLOAD = Workload("a" * 64, devices=("0000:05:00.0-0",))


def given(look: shape.Look, **changes: object) -> list[str]:
    return [one.value for one in run_arguments.chosen(dc.replace(WORKLOAD, **changes), look)]  # type: ignore[arg-type]


def test_partitions_have_names_of_their_own() -> None:
    assert given(LOOK) == ["amd.com/gpu=0000:05:00.0-0", "993"]
    assert given(LOOK, environment={"PATH": "/bin"})[-1] == "PATH=/bin"


def test_ports_that_could_not_be_read_are_no_absence() -> None:
    unread = dc.replace(LOOK, host=shape.Host(unknown={"rdma": "denied"}))
    for look, words in ((LOOK, "has no RDMA device"), (unread, "are not known")):
        with pytest.raises(FleetError, match=words):
            given(look, rdma=True)


def test_a_knob_is_judged_by_the_gpus_and_not_by_the_rocm_of_the_node() -> None:
    rocm = shape.Rocm((shape.RocmPrefix("/opt/rocm-5.7.0", "5.7.0"),), "/opt/rocm-5.7.0")
    assert given(dc.replace(LOOK, rocm=rocm), environment={"HIP_FORCE_DEV_KERNARG": "1"})
    with pytest.raises(FleetError, match="environment of the container: HSA_QUEUE_PRIORITY does nothing"):
        given(LOOK, environment={"HSA_QUEUE_PRIORITY": "1"})


def test_a_directory_that_is_none_is_named(tmp_path: Path) -> None:
    assert isinstance(run_arguments.rules(), Rules)
    with pytest.raises(FleetError, match=r"catalogue_dirs: .* is not a directory"):
        run_arguments.rules((str(tmp_path / "gone"),))
