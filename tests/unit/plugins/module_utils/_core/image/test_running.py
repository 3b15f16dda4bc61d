# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A container that runs, against what it needs of its node."""

from __future__ import annotations

import dataclasses as dc
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.image.running import Device, Needs, Running, judge
from ansible_collections.instinct.fleet.tests.unit.support.containers import GPUS, NIC, checks, host

D128, D129 = "/dev/dri/renderD128", "/dev/dri/renderD129"
UVERBS, MANAGER = "/dev/infiniband/uverbs0", "/dev/infiniband/rdma_cm"
OF_GROUP = Device(0, 109, 0o660)
ALL = {"/dev/kfd": OF_GROUP, D128: OF_GROUP, D129: OF_GROUP, UVERBS: Device(0, 0, 0o666), MANAGER: Device(0, 0, 0o666)}
RIGHT = Running(ALL, 1000, (1000, 109), False, False, {"NCCL_DEBUG": "INFO"}, -1, 16 << 30)
ROCR = "ROCR_VISIBLE_DEVICES"
WANTED = Needs(environment={"NCCL_DEBUG": "INFO"})
ONE = dc.replace(WANTED, gpus=("0000:05:00.0",))


def without(*paths: str) -> dict[str, Device]:
    return {path: device for path, device in ALL.items() if path not in paths}


def test_the_right_container_passes() -> None:
    found = judge(RIGHT, host(), WANTED, checks())
    assert (found.findings, found.unknown, found.verdict) == ((), {}, "pass")


@pytest.mark.parametrize(("changes", "needs", "ident", "summary"), [
    ({"devices": without("/dev/kfd")}, WANTED, "container-kfd", "it lacks /dev/kfd"),
    ({"devices": without(D129)}, WANTED, "container-gpus", f"it lacks {D129} of GPU 0000:26:00.0"),
    ({}, ONE, "container-gpus-foreign", f"it also has {D129}"),
    ({"devices": without(UVERBS)}, WANTED, "container-rdma", f"it lacks {UVERBS}"),
    ({"devices": without(UVERBS, MANAGER)}, WANTED, "container-rdma", f"it lacks {UVERBS}, {MANAGER}"),
    ({"devices": {**ALL, D129: dc.replace(OF_GROUP, name=D128 + "x")}}, WANTED, "container-gpus",
     f"it lacks {D129} (which is there as {D128}x) of GPU 0000:26:00.0"),
    ({"devices": {**ALL, "/dev/kfd": dc.replace(OF_GROUP, name="/dev/gpu")}}, WANTED, "container-kfd",
     "it lacks /dev/kfd (which is there as /dev/gpu)"),
    ({"devices": {**ALL, UVERBS: Device(0, 0, 0o666, "/dev/uverbs0")}}, WANTED, "container-rdma",
     f"it lacks {UVERBS} (which is there as /dev/uverbs0)"),
    ({"devices": without(D129)}, dc.replace(WANTED, gpus=("05:00.0", "0000:99:00.0")), "container-gpus", "the node has no GPU 0000:99:00.0"),
    ({"environment": {"NCCL_DEBUG": "INFO", ROCR: "1"}}, WANTED, "container-visible", f"{ROCR}=1 in its environment leaves 1 of 2 GPUs visible"),
    ({"environment": {"NCCL_DEBUG": "INFO", "HIP_VISIBLE_DEVICES": "4,5"}}, WANTED, "container-visible",
     "HIP_VISIBLE_DEVICES=4,5 in its environment leaves 0 of 2 GPUs visible"),
    ({"devices": {**ALL, MANAGER: Device(0, 0, 0o600)}}, WANTED, "container-access",
     f"its program may not open {MANAGER} (group 0, mode 0600)"),
    ({"groups": (1000,)}, WANTED, "container-access",
     f"its program may not open /dev/kfd (group 109, mode 0660), {D128} (group 109, mode 0660), {D129} (group 109, mode 0660)"),
    ({"environment": {"NCCL_DEBUG": "WARN"}}, WANTED, "container-environment", "its environment lacks NCCL_DEBUG=INFO (it is 'WARN')"),
    ({"environment": {}}, WANTED, "container-environment", "its environment lacks NCCL_DEBUG=INFO"),
    ({"memlock_bytes": 8 << 20}, WANTED, "container-memlock", "it may lock 8388608 bytes of memory alone"),
    ({"shm_bytes": 64 << 20}, WANTED, "container-shm", "its /dev/shm has 67108864 bytes, and 2 GPUs need 1073741824"),
])
def test_what_is_wrong_is_found(changes: dict[str, t.Any], needs: Needs, ident: str, summary: str) -> None:
    found = judge(dc.replace(RIGHT, **changes), host(), needs, checks())
    assert [(one.id, one.summary) for one in found.findings] == [(ident, summary)]


@pytest.mark.parametrize(("changes", "needs"), [
    ({"devices": without(D129)}, ONE),
    ({"devices": without(UVERBS, MANAGER), "memlock_bytes": 8 << 20}, dc.replace(WANTED, rdma=False)),
    ({"devices": without(D129), "shm_bytes": 64 << 20}, ONE),  # one GPU exchanges with nobody
    ({"groups": (), "overrides": True}, WANTED),
    ({"groups": (), "devices": {path: Device(1000, 0, 0o600) for path in ALL}}, WANTED),
    ({"groups": (), "devices": {path: Device(0, 0, 0o666) for path in ALL}}, WANTED),
    ({"memlock_bytes": 8 << 20, "locks": True}, WANTED),
    ({"devices": without(D129)}, dc.replace(ONE, gpus=("0000:05:00.0".upper(),))),
    ({"environment": {"NCCL_DEBUG": "INFO", ROCR: "0,1", "HIP_VISIBLE_DEVICES": "1,0"}}, WANTED),
    ({"devices": without(D129), "environment": {"NCCL_DEBUG": "INFO", ROCR: "0"}}, ONE),
])
def test_what_is_enough_is_no_finding(changes: dict[str, t.Any], needs: Needs) -> None:
    assert judge(dc.replace(RIGHT, **changes), host(), needs, checks()).findings == ()


def test_a_privileged_container_passes() -> None:
    """Root of the node with all capabilities and all devices, and limits as the engine gives them."""
    privileged = dc.replace(RIGHT, uid=0, groups=(0,), overrides=True, locks=True, memlock_bytes=8 << 20)
    assert judge(privileged, host(), WANTED, checks()).verdict == "pass"
    alone = judge(privileged, host(), ONE, checks())
    assert [one.id for one in alone.findings] == ["container-gpus-foreign"]


def test_the_owners_bits_alone_count_for_the_owner() -> None:
    found = judge(dc.replace(RIGHT, devices={**ALL, "/dev/kfd": Device(1000, 109, 0o060)}), host(), WANTED, checks())
    assert [one.summary for one in found.findings] == ["its program may not open /dev/kfd (group 109, mode 0060)"]


@pytest.mark.parametrize("unknown", [
    {"devices": "no /dev"}, {"groups": "no status"}, {"environment": "may not be read"}])
def test_what_was_not_read_is_unknown_and_not_wrong(unknown: dict[str, str]) -> None:
    blind = {"devices": {}} if "devices" in unknown else {"uid": None, "groups": ()} if "groups" in unknown else {"environment": {}}
    found = judge(dc.replace(RIGHT, **blind, unknown=unknown), host(), WANTED, checks())
    assert (found.findings, found.unknown, found.verdict) == ((), unknown, "unknown")


@pytest.mark.parametrize(("changes", "on", "needs", "unknown"), [
    ({"memlock_bytes": None}, {}, WANTED, {"memlock_bytes": "how much memory it may lock is not known"}),
    ({"memlock_bytes": None, "locks": True}, {}, WANTED, {}),
    ({"memlock_bytes": None}, {"verbs": ()}, WANTED, {}),
    ({"shm_bytes": None}, {}, WANTED, {"shm_bytes": "the size of its /dev/shm is not known"}),
    ({"devices": without(D129), "shm_bytes": None}, {}, ONE, {}),
    ({}, {"gpus": {**GPUS, "0000:46:00.0": ()}}, WANTED, {"0000:46:00.0": "no render node of this GPU is known"}),
    ({"devices": without(D129)}, {"gpus": {**GPUS, "0000:46:00.0": ()}}, ONE, {}),
    ({}, {"unknown": {"environment": "depends on GPUs"}}, WANTED, {"environment": "depends on GPUs"}),
    ({}, {"unknown": {"0000:26:00.0": "not all of them"}}, WANTED, {"0000:26:00.0": "not all of them"}),
    ({"devices": without(D129)}, {"unknown": {"0000:26:00.0": "not all of them"}}, ONE, {}),
    ({"environment": {"NCCL_DEBUG": "INFO", ROCR: ""}}, {}, WANTED, {"environment": f"{ROCR} is set and empty, which hides all GPUs or none"}),
])
def test_what_is_not_told_is_no_pass(changes: dict[str, t.Any], on: dict[str, t.Any], needs: Needs, unknown: dict[str, str]) -> None:
    found = judge(dc.replace(RIGHT, **changes), host(**on), needs, checks())
    assert (found.findings, found.unknown, found.verdict) == ((), unknown, "unknown" if unknown else "pass")


def test_a_gpu_that_is_named_on_a_node_whose_gpus_are_not_known_is_unknown() -> None:
    blind = host(gpus={}, unknown={"gpus": "no GPU is seen"})
    found = judge(dc.replace(RIGHT, devices={UVERBS: ALL[UVERBS], MANAGER: ALL[MANAGER]}), blind, ONE, checks())
    assert (found.findings, found.unknown) == ((), {"gpus": "no GPU is seen"})


def test_what_the_node_does_not_tell_is_unknown() -> None:
    blind = host(gpus={}, verbs=(), unknown={"gpus": "no GPU is seen", "verbs": "no /sys", "gfx": "of no interest"})
    found = judge(RIGHT, blind, WANTED, checks())
    assert (found.findings, found.unknown) == ((), {"gpus": "no GPU is seen", "verbs": "no /sys"})
    assert judge(RIGHT, blind, dc.replace(WANTED, rdma=False), checks()).unknown == {"gpus": "no GPU is seen"}
    assert judge(dc.replace(RIGHT, devices={}), host(gpus={}, verbs=()), WANTED, checks()).findings == ()


def test_a_node_without_nics_needs_no_devices_of_them() -> None:
    bare = dc.replace(RIGHT, devices=without(UVERBS, MANAGER), memlock_bytes=65536)
    assert judge(bare, host(verbs=()), WANTED, checks()).verdict == "pass"
    assert NIC in host().verbs and set(GPUS) == set(host().gpus)
