# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What follows from devices: which files, who else may write them, what is told, and what is not known before a change."""

from __future__ import annotations

import dataclasses as dc
import json
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.shape import LogicalDevice
from ansible_collections.instinct.fleet.plugins.plugin_utils import partition_cascade

Result = dict[str, t.Any]
CDI, GRES, NODE = "/etc/cdi/amd.json", "/etc/slurm/gres.conf", "/etc/slurm/nodes.d/a.conf"
DEVICE = LogicalDevice(gpu="0000:05:00.0", gpu_index=0, partition=0, index=0, compute="CPX", memory="NPS4", product="MI300X",
                       numa_node=0, render_node="/dev/dri/renderD128", seen=True)
OTHER = dc.replace(DEVICE, partition=1, index=1, render_node="/dev/dri/renderD129")


def cascade(*devices: LogicalDevice, **options: t.Any) -> partition_cascade.Cascade:
    """What follows from these, by default for Slurm and containers."""
    given = {name: spec["default"] for name, spec in partition_cascade.SPEC.items()}
    return partition_cascade.of({**given, "devices": [dc.asdict(device) for device in devices], "cdi": "own", "gres": GRES,
                                 "slurm_node": NODE, "slurm_name": "a", **options})


def contents(found: partition_cascade.Cascade) -> dict[str, str]:
    return {file["path"]: file["content"] for file in found.files}


def test_without_devices_nothing_follows() -> None:
    found = cascade()
    assert (found.files, found.told({"files": []})) == (
        (), {"written": [], "restart": [], "toolkit": False, "notes": [], "slurm": {}, "kubernetes": {}})


def test_files_and_what_is_told() -> None:
    found = cascade(DEVICE, OTHER, slurm_parameters={"CPUs": 192}, slurm_cores={"0": "0-95"})
    line = "Name=gpu Type=mi300x_cpx File=/dev/dri/renderD[128-129] Cores=0-95 Flags=amd_gpu_env"
    node = "NodeName=a CPUs=192 Gres=gpu:mi300x_cpx:2"
    texts = contents(found)
    assert list(texts) == [CDI, GRES, NODE]
    assert [device["name"] for device in json.loads(texts[CDI])["devices"]] == [
        "0", "1", "0000:05:00.0-0", "0000:05:00.0-1", "0000:05:00.0", "all"]
    assert texts[GRES].splitlines()[1:] == ["AutoDetect=off", line]
    assert texts[NODE].splitlines()[1:] == [node]
    assert all(text.startswith("# Written by ") for path, text in texts.items() if path != CDI)
    assert found.values["slurm"] == {"gres": ["AutoDetect=off", line], "definition": "gpu:mi300x_cpx:2", "node": node}
    assert found.values["kubernetes"]["resources"] == {"amd.com/gpu": 2}


@pytest.mark.parametrize(("options", "paths", "others", "toolkit"), [
    ({}, [CDI, GRES, NODE], {}, False),
    ({"cdi": "none", "gres": "", "slurm_node": ""}, [], {}, False),
    ({"cdi": "toolkit", "slurm_node": ""}, [GRES], {}, True),
    ({"cdi": "auto", "gres": "", "slurm_node": ""}, [CDI], {CDI: "/usr/bin/amd-ctk"}, False),
])
def test_who_writes_what(options: Result, paths: list[str], others: dict[str, str], toolkit: bool) -> None:
    found = cascade(DEVICE, **options)
    assert (list(contents(found)), found.others, found.told({})["toolkit"]) == (paths, others, toolkit)


@pytest.mark.parametrize(("path", "restart"), [(CDI, []), (GRES, ["slurmd.service"]), (NODE, ["slurmd.service"])])
def test_slurm_is_started_anew_for_its_own_files(path: str, restart: list[str]) -> None:
    said = {"files": [{"path": path, "changed": True}, {"path": "/x", "changed": False}], "left": []}
    told = cascade(DEVICE).told(said)
    assert (told["written"], told["restart"], "left" in said) == ([path], restart, False)


def test_what_the_node_leaves_to_the_toolkit_is_told() -> None:
    assert cascade(DEVICE, cdi="auto").told({"left": [CDI]})["toolkit"] is True


def test_numbers_that_only_the_change_brings_are_no_error_before_it() -> None:
    found = cascade(DEVICE, dc.replace(OTHER, seen=False, render_node=None))
    assert (found.files, found.values["slurm"]) == ((), {})
    assert found.notes == ("what is written of the devices is not known before the change: gpu 0000:05:00.0 partition 1: "
                           "its render node is not known",)


@pytest.mark.parametrize(("devices", "options", "sentence"), [
    ((DEVICE, dc.replace(OTHER, render_node=None)), {}, "gpu 0000:05:00.0 partition 1: its render node is not known; "),
    ((DEVICE,), {"slurm_name": ""}, "slurm_node: has no name of the node; set gpu_partition_slurm_name"),
    ((DEVICE,), {"slurm_cores": {"near": "0-3"}}, "gpu_partition_slurm_cores: has a key 'near', which is no number of a NUMA node; "),
    ((DEVICE,), {"slurm_parameters": {"Gres": "gpu:9"}}, "parameter Gres of Slurm node a: "),
])
def test_what_is_wrong_is_one_sentence(devices: tuple[LogicalDevice, ...], options: Result, sentence: str) -> None:
    with pytest.raises(FleetError) as raised:
        cascade(*devices, **options)
    assert raised.value.sentence.startswith(sentence)
