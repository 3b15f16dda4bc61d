# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Control groups, as systemd, engines, kubelet and Slurm make them, and as a user can make them up."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.cgroup import Place, place

ID = "0123456789abcdef" * 4
POD = "12345678-90ab-cdef-1234-567890abcdef"
DASHED = POD.replace("-", "_")
BURST = f"/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod{DASHED}.slice"
SLICES = ("kubepods.slice", "kubepods-burstable.slice", f"kubepods-burstable-pod{DASHED}.slice")

CASES = {
    "a service": ("0::/system.slice/vllm.service", Place(("system.slice", "vllm.service"))),
    "a slice in a slice": ("0::/tenant.slice/tenant-a.slice/run-u7.service", Place(("tenant.slice", "tenant-a.slice", "run-u7.service"))),
    "what a service makes is its own": ("0::/system.slice/x.service/tenant-a.slice/y.service", Place(("system.slice", "x.service"))),
    "a login": ("0::/user.slice/user-1000.slice/session-3.scope", Place(("user.slice", "user-1000.slice", "session-3.scope"), 1000)),
    "a unit of a user's own manager": (
        "0::/user.slice/user-1000.slice/user@1000.service/app.slice/vllm.service",
        Place(("user.slice", "user-1000.slice", "user@1000.service"), 1000)),
    "a container that a user makes up": (
        f"0::/user.slice/user-1000.slice/user@1000.service/libpod-{ID}.scope",
        Place(("user.slice", "user-1000.slice", "user@1000.service"), 1000)),
    "podman": (f"0::/machine.slice/libpod-{ID}.scope", Place(("machine.slice", f"libpod-{ID}.scope"), None, "podman", ID)),
    "docker with systemd": (f"0::/system.slice/docker-{ID}.scope", Place(("system.slice", f"docker-{ID}.scope"), None, "docker", ID)),
    "docker with cgroupfs": (f"0::/docker/{ID}", Place((), None, "docker", ID)),
    "a container within a container": (f"0::/docker/{ID}/libpod-{'f' * 64}.scope", Place((), None, "docker", ID)),
    "a pod": (f"0::{BURST}/cri-containerd-{ID}.scope", Place((*SLICES, f"cri-containerd-{ID}.scope"), None, "containerd", ID, POD)),
    "a pod of cri-o": (f"0::{BURST}/crio-{ID}.scope", Place((*SLICES, f"crio-{ID}.scope"), None, "cri-o", ID, POD)),
    "a pod with cgroupfs": (f"0::/kubepods/besteffort/pod{POD}/{ID}", Place((), None, None, ID, POD)),
    "a job": ("0::/system.slice/slurmstepd.scope/job_12/step_0/user/task_0", Place(("system.slice", "slurmstepd.scope"), slurm_job="12")),
    "a job of several slurmds": ("0::/system.slice/n1_slurmstepd.scope/job_12/step_0", Place(("system.slice", "n1_slurmstepd.scope"), slurm_job="12")),
    "a job with cgroup v1": ("9:devices:/slurm/uid_1000/job_12/step_0\n1:name=systemd:/system.slice/slurmd.service",
                             Place(("system.slice", "slurmd.service"), slurm_job="12")),
    "a job that a service makes up": ("0::/system.slice/x.service/slurm/job_12", Place(("system.slice", "x.service"))),
    "a pod that a service makes up": (
        f"0::/system.slice/train.service/kubepods/pod{POD}/{ID}", Place(("system.slice", "train.service"), boxed=True)),
    "a container that a service makes up": (
        f"0::/tenant.slice/tenant-a.slice/x.service/docker-{ID}.scope", Place(("tenant.slice", "tenant-a.slice", "x.service"), boxed=True)),
    "a pod that a container makes up": (f"0::/docker/{ID}/kubepods/pod{POD}/{'f' * 64}", Place((), None, "docker", ID)),
    "a pod that a container's scope makes up": (
        f"0::/machine.slice/libpod-{ID}.scope/kubepods/pod{POD}/{'f' * 64}", Place(("machine.slice", f"libpod-{ID}.scope"), None, "podman", ID)),
    "quadlet, which splits its service": (
        f"0::/system.slice/vllm.service/libpod-payload-{ID}", Place(("system.slice", "vllm.service"), boxed=True)),
    "containerd and kubelet that disagree on the driver": (
        f"0::/system.slice/containerd.service/kubepods-burstable-pod{DASHED}.slice:cri-containerd:{ID}",
        Place(("system.slice", "containerd.service"), boxed=True)),
    "podman with cgroupfs": (f"0::/libpod_parent/libpod-{ID}", Place((), None, "podman", ID)),
    "podman's own container below its scope": (
        f"0::/machine.slice/libpod-{ID}.scope/container", Place(("machine.slice", f"libpod-{ID}.scope"), None, "podman", ID)),
    "a slice and nothing in it": ("0::/system.slice", Place(("system.slice",))),
    "nowhere": ("0::/", Place()),
    "nothing": ("", Place()),
}


@pytest.mark.parametrize(("text", "found"), CASES.values(), ids=CASES)
def test_place(text: str, found: Place) -> None:
    assert place(text) == found


def test_a_machine_that_is_a_container_itself() -> None:
    own = f"0::/machine.slice/libpod-{ID}.scope/container/init.scope\n"
    assert place(f"0::/machine.slice/libpod-{ID}.scope/container/system.slice/a.service\n", own) == Place(("system.slice", "a.service"))
