# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a container is given on a node: all that it needs, and what cannot be is refused."""

from __future__ import annotations

import dataclasses as dc
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.argument_rules import Rule, Rules
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.arguments import (
    Argument,
    Node,
    Workload,
    arguments,
)

BUILT = "localhost/rocm/base:7.0.2-0123456789ab"
NODE = Node({"0": ("/dev/dri/renderD128",), "1": ("/dev/dri/renderD136",), "all": ("/dev/dri/renderD128", "/dev/dri/renderD136")},
            {"/dev/kfd": 44, "/dev/dri/renderD128": 44, "/dev/dri/renderD136": 993}, {"render": 993, "video": 44, "gpu-vision": 7},
            ("MI210",), rdma=("mlx5_0",))
RULES = Rules((
    Rule("copies", "environment", "0", "HSA_ENABLE_SDMA", products=("MI210", "MI250")), Rule("mine", "environment", "1", "X", products=("MI300X",)),
    Rule("shm", "shared_memory", "16g", when="several"), Rule("memlock", "limit", "memlock=-1:-1", when="rdma"),
    Rule("verbs", "device", "/dev/infiniband", when="rdma")))
POOL = ("and the pool's are of render or of the group of /dev/kfd; name other devices, or give it back to the pool "
        "(udev, or the role gpu_reservation)")
COPIES = ("environment", "HSA_ENABLE_SDMA=0")


def given(node: Node = NODE, **workload: t.Any) -> list[tuple[str, str]]:
    found = arguments(Workload(**{"image": BUILT, **workload}), node, RULES)
    assert all(isinstance(one, Argument) for one in found)
    return [(one.kind, one.value) for one in found]


@pytest.mark.parametrize(("workload", "expected"), [
    ({}, [("device", "amd.com/gpu=all"), ("group", "44"), ("group", "993"), ("shared_memory", "16g"), COPIES]),
    ({"devices": ("0", "0")}, [("device", "amd.com/gpu=0"), ("group", "44"), COPIES]),
    ({"devices": ("0", "all"), "cdi": False}, [
        ("device", "/dev/kfd"), ("device", "/dev/dri/renderD128"), ("device", "/dev/dri/renderD136"), ("group", "44"),
        ("group", "993"), ("shared_memory", "16g"), COPIES]),
    ({"tenant": "vision"}, [
        ("device", "instinct.fleet/gpu=vision"), ("group", "44"), ("group", "7"), ("shared_memory", "16g"), COPIES]),
    ({"devices": ("0",), "rootless": True}, [("device", "amd.com/gpu=0"), ("group", "keep-groups"), COPIES]),
    ({"devices": ("0",), "rdma": True, "environment": {"HSA_ENABLE_SDMA": "1", "Y": "2"}}, [
        ("device", "amd.com/gpu=0"), ("group", "44"), ("device", "/dev/infiniband"), ("limit", "memlock=-1:-1"),
        ("environment", "HSA_ENABLE_SDMA=1"), ("environment", "Y=2")]),
])
def test_each_workload_gets_its_own(workload: dict[str, t.Any], expected: list[tuple[str, str]]) -> None:
    assert given(**workload) == expected


@pytest.mark.parametrize("image", [BUILT, "sha256:" + "a" * 64, "b" * 64, "r.example.com:5000/a/b@sha256:" + "c" * 64])
def test_an_image_that_stays_what_it_is_may_run(image: str) -> None:
    assert given(image=image)


@pytest.mark.parametrize("image", ["rocm/pytorch", "rocm/pytorch:latest", "rocm/pytorch:6.2", "localhost/a/b:latest", "localhost/a", "a@sha256:12",
                                   "localhost/a:1\nPodmanArgs=--privileged", "--privileged a@sha256:" + "c" * 64])
def test_an_image_that_may_be_another_one_is_refused(image: str) -> None:
    with pytest.raises(FleetError, match="may be another one tomorrow"):
        given(image=image)


def test_devices_of_roots_group_are_the_pools_where_the_door_is() -> None:
    node = dc.replace(NODE, owners=dict.fromkeys(NODE.owners, 0), groups={})
    assert ("group", "0") in given(node)


@pytest.mark.parametrize(("changes", "workload", "sentence"), [
    ({}, {"engine": "docker", "rootless": True}, "rocm_run_args: rootless Docker gives no GPUs by CDI and keeps no groups; use podman "
     "(source: ROCm/container-toolkit:docs/container-runtime/requirements.rst)"),
    ({"owners": {}}, {}, "node: has no /dev/kfd; load the driver (role gpu_driver), and look with section devices"),
    ({"owners": {"/dev/kfd": 44}}, {}, "node: the group of /dev/dri/renderD128 is not known; look with section devices, as root"),
    ({"owners": {**NODE.owners, "/dev/dri/renderD136": 7}}, {},
     "devices: /dev/dri/renderD136 is of tenant vision; name other devices, or set tenant to vision"),
    ({"owners": {**NODE.owners, "/dev/dri/renderD136": 0}}, {},
     "devices: /dev/dri/renderD136 is a spare, or is shared by tenants; name other devices, or a tenant"),
    ({"owners": {**NODE.owners, "/dev/dri/renderD136": 0}, "groups": {"root": 0, "render": 993}}, {},
     f"devices: /dev/dri/renderD136 is of group root, {POOL}"),
    ({"owners": {**NODE.owners, "/dev/dri/renderD136": 2007}}, {},
     f"devices: /dev/dri/renderD136 is of group number 2007, which has no name on the node, {POOL}"),
    ({"owners": {**NODE.owners, "/dev/dri/renderD136": 992}, "groups": {"video": 992}}, {"cdi": False},
     f"devices: /dev/dri/renderD136 is of group video, {POOL}"),
    ({"rdma": ()}, {"rdma": True}, "node: has no RDMA device; leave rdma out"),
    ({"rdma": None}, {"rdma": True}, "node: its RDMA devices are not known; look with section host"),
    ({}, {"devices": ()}, "devices: names none; name devices, or all"),
    ({}, {"devices": ("al",)}, "devices: the node has no device 'al'; did you mean all?"),
    ({"devices": {}}, {}, "devices: the node has no device 'all'; it has none"),
    ({}, {"tenant": "ops"}, "tenant: the node has no group gpu-ops, so 'ops' has no device there; choose one of vision"),
    ({"groups": {}}, {"tenant": "ops"}, "tenant: the node has no group gpu-ops, so 'ops' has no device there; reserve some (role gpu_reservation)"),
    ({}, {"tenant": "vision", "cdi": False}, "tenant: the devices of a tenant are given by CDI alone; leave cdi true"),
    ({"products": None}, {}, "argument copies: depends on the GPUs of the node, which are not known; look with section gpus, or mend that"),
    ({"products": None, "unknown": "odd"}, {}, "argument copies: depends on the GPUs of the node, which are not known: odd; "
     "look with section gpus, or mend that"),
])
def test_what_cannot_be_is_one_sentence(changes: dict[str, t.Any], workload: dict[str, t.Any], sentence: str) -> None:
    with pytest.raises(FleetError) as caught:
        given(dc.replace(NODE, **changes), **workload)
    assert caught.value.sentence == sentence
