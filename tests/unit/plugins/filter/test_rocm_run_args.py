# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The filter rocm_run_args, over a look at eight MI300X."""

from __future__ import annotations

import dataclasses as dc
import json
import pathlib
import typing as t

import pytest
import yaml
from ansible.errors import AnsibleFilterError

from ansible_collections.instinct.fleet.plugins.filter import rocm_run_args as plugin
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape
from ansible_collections.instinct.fleet.tests.unit.support.layouts import node
from ansible_collections.instinct.fleet.tests.unit.support.project import ROOT

IMAGE = "registry.example.com/rocm-base@sha256:" + "0" * 64
PORT = shape.RdmaPort("mlx5_0", 1, "mlx5_core")
EXAMPLES = ROOT / "roles/container_runtime/files/examples"
NICS = {"environment": {"NCCL_IB_HCA": "=mlx5_0:1", "NCCL_IB_TC": "104"}, "checks": [{"verdict": "warn"}, {"verdict": "unknown"}]}
OLD = {"verdict": "fail", "subject": "mlx5_0", "wanted": "a provider that speaks ABI 4", "seen": "mlx5 speaks 1 to 1", "why": {"remedy": "install one"}}
SEVERAL = ["--shm-size=16g", "--security-opt=seccomp=unconfined"]


def look(**changes: t.Any) -> dict[str, t.Any]:
    """A node of eight; the third GPU is of the tenant vision."""
    owners = [shape.DeviceNode(f"/dev/dri/renderD{128 + 8 * index}", "render", "root", *(
        ("gpu-vision", 2001) if index == 2 else ("render", 993)), "0660") for index in range(8)]
    kfd = shape.DeviceNode("/dev/kfd", "kfd", "root", "render", 993, "0660")
    sections = {"gpus": node(), "devices": shape.Devices((kfd, *owners), {"render": 993, "gpu-vision": 2001}),
                "host": shape.Host(rdma=(PORT,)), **changes}
    return t.cast("dict[str, t.Any]", json.loads(json.dumps(dc.asdict(shape.Look(**sections)))))


def run(*given: t.Any, seen: t.Any = None, **options: t.Any) -> list[str]:
    return plugin.FilterModule().filters()["rocm_run_args"](seen or look(), *(given or (IMAGE,)), **options)


@pytest.mark.parametrize(("options", "expected"), [
    ({"devices": [0]}, ["--device=amd.com/gpu=0", "--group-add=993", IMAGE]),
    ({"devices": ["0000:05:00.0", "3"]}, [
        "--device=amd.com/gpu=0000:05:00.0", "--device=amd.com/gpu=3", "--group-add=993", *SEVERAL, "--env=NCCL_DEBUG=INFO", IMAGE]),
    ({"devices": [1], "cdi": False}, ["--device=/dev/kfd", "--device=/dev/dri/renderD136", "--group-add=993", IMAGE]),
    ({"devices": [1], "rootless": True}, ["--device=amd.com/gpu=1", "--group-add=keep-groups", IMAGE]),
    ({"tenant": "vision", "engine": "docker"}, [
        "--device=instinct.fleet/gpu=vision", "--group-add=993", "--group-add=2001", *SEVERAL, "--env=NCCL_DEBUG=INFO", IMAGE]),
    ({"devices": [0], "rdma": True, "environment": {"NCCL_IB_HCA": "mlx5_0", "NCCL_DEBUG": "WARN"}}, [
        "--device=amd.com/gpu=0", "--group-add=993", "--device=/dev/infiniband", "--network=host", "--ulimit=memlock=-1:-1",
        "--env=RDMAV_HUGEPAGES_SAFE=1", "--env=NCCL_IB_HCA=mlx5_0", "--env=NCCL_DEBUG=WARN", IMAGE]),
    ({"devices": [0], "rdma": True, "nics": NICS, "environment": {"NCCL_IB_TC": "96"}}, [
        "--device=amd.com/gpu=0", "--group-add=993", "--device=/dev/infiniband", "--network=host", "--ulimit=memlock=-1:-1",
        "--env=RDMAV_HUGEPAGES_SAFE=1", "--env=NCCL_IB_HCA==mlx5_0:1", "--env=NCCL_IB_TC=96", IMAGE]),
    ({"devices": [0], "engine": "quadlet", "environment": {"WORDS": 'a "b" 5%'}}, [
        f"Image={IMAGE}", "AddDevice=amd.com/gpu=0", "PodmanArgs=--group-add=993", 'Environment="WORDS=a \\"b\\" 5%%"']),
])
def test_a_workload_gets_what_it_needs_and_no_more(options: dict[str, t.Any], expected: list[str]) -> None:
    assert run(**options) == expected


def test_an_mi210_copies_by_kernels() -> None:
    seen = look()
    for gpu in seen["gpus"]["gpus"]:
        gpu |= {"device_id": "740f", "product": "MI210", "compute_partition": None, "memory_partition": None}
    assert "--env=HSA_ENABLE_SDMA=0" in run(seen=seen, devices=[0]) and "--env=HSA_ENABLE_SDMA=0" not in run(devices=[0])


@pytest.mark.parametrize(("changes", "options", "sentence"), [
    ({}, {}, "devices: /dev/dri/renderD144 is of tenant vision; name other devices, or set tenant to vision"),
    ({}, {"devices": ["0000:05:00.1"]}, "devices: the node has no device '0000:05:00.1'; did you mean 0000:05:00.0?"),
    ({}, {"devices": []}, "devices: names none; name devices, or all"),
    ({}, {"devices": "all"}, "devices: is 'all', not a list; write it as a list"),
    ({}, {"tenant": "visoin"}, "tenant: the node has no group gpu-visoin, so 'visoin' has no device there; choose one of vision"),
    ({}, {"tenant": "vision", "devices": [0]}, "devices: are named, and so is a tenant; name one of them"),
    ({}, {"tenant": "vision", "cdi": False}, "tenant: the devices of a tenant are given by CDI alone; leave cdi true"),
    ({}, {"engine": "lxc"}, "engine: is 'lxc'; choose one of podman, docker, quadlet"),
    ({}, {"nics": NICS}, "nics: are given, and rdma is not asked for; set rdma to true, or leave them out"),
    ({}, {"rdma": True, "nics": []}, "nics: is [], not a mapping; write it as {NAME: value}"),
    ({}, {"rdma": True, "nics": {"environment": {}}}, "nics: are not what rdma_stack returns; give the result of the role rdma_stack"),
    ({}, {"rdma": True, "nics": {**NICS, "checks": [*NICS["checks"], OLD]}},
     "nics: do not work on the node: mlx5_0 should have a provider that speaks ABI 4: mlx5 speaks 1 to 1; install one"),
    ({}, {"rdma": "yes"}, "rocm_run_args.rdma: is 'yes', not bool"),
    ({}, {"devcies": [0]}, "rocm_run_args: has no option devcies; it has cdi, devices, engine, environment, nics, rdma, rootless, tenant"),
    ({}, {"environment": []}, "environment: is [], not a mapping; write it as {NAME: value}"),
    ({}, {"devices": [0], "environment": {"A": "b\nc"}}, "environment: 'A' is no variable with a value of one line; correct it"),
    ({"host": shape.Host()}, {"devices": [0], "rdma": True}, "node: has no RDMA device; leave rdma out"),
    ({"host": None}, {"devices": [0], "rdma": True}, "node: its RDMA devices are not known; look with section host"),
    ({"devices": None}, {"devices": [0]}, "look: has no section gpus, or none of devices; look with both, and with host for RDMA"),
    ({"gpus": shape.Gpus(unknown={"gpus": "no bus"})}, {}, "node: which GPUs it has is unknown: no bus; mend that on the node"),
    ({"gpus": shape.Gpus()}, {}, "devices: the node has no device 'all'; it has none"),
])
def test_what_cannot_be_is_one_sentence(changes: dict[str, t.Any], options: dict[str, t.Any], sentence: str) -> None:
    with pytest.raises(AnsibleFilterError) as caught:
        run(seen=look(**changes), **options)
    assert str(caught.value) == sentence


def test_a_variable_that_does_nothing_is_refused() -> None:
    with pytest.raises(AnsibleFilterError, match="environment of the container: HSA_QUEUE_PRIORITY does nothing"):
        run(devices=[0], environment={"HSA_QUEUE_PRIORITY": "high"})


def test_a_site_has_arguments_of_its_own(tmp_path: pathlib.Path) -> None:
    record = {"id": "locked-memory", "kind": "limit", "value": "memlock=8388608:8388608", "when": "rdma", "why": "w",
              "sources": ["s"], "confidence": "documented"}
    (tmp_path / "ours.yml").write_text(yaml.safe_dump({"version": "v1", "kind": "run_arguments", "arguments": [record]}))
    words = run(IMAGE, [str(tmp_path)], devices=[0], rdma=True)
    assert "--ulimit=memlock=8388608:8388608" in words and "--ulimit=memlock=-1:-1" not in words


def test_the_unit_of_the_example_is_what_the_filter_says() -> None:
    text = (EXAMPLES / "serving.container").read_text(encoding="utf-8")
    lines = text.partition("[Container]\n")[2].partition("\n\n")[0].splitlines()
    assert [line for line in lines if not line.startswith("#")] == run(tenant="vision", engine="quadlet", rdma=True)


def test_the_compose_file_of_the_example_has_all_that_the_filter_says() -> None:
    service = yaml.safe_load((EXAMPLES / "compose.yml").read_text(encoding="utf-8"))["services"]["serving"]
    words = [*(f"--device={device}" for device in service["devices"]), *(f"--group-add={gid}" for gid in service["group_add"]),
             f"--network={service['network_mode']}", *(f"--ulimit={name}={value}:{value}" for name, value in service["ulimits"].items()),
             f"--shm-size={service['shm_size']}", *(f"--security-opt={one}" for one in service["security_opt"]),
             *(f"--env={name}={value}" for name, value in service["environment"].items()), service["image"]]
    assert sorted(words) == sorted(run(tenant="vision", engine="docker", rdma=True))
