# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Processes on GPUs, of a fabricated KFD and /proc."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Process, Processes
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.verdict_holder import Held, Hold, Holder
from ansible_collections.instinct.fleet.plugins.module_utils._node import holders
from ansible_collections.instinct.fleet.plugins.module_utils._node.command import Ran
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree

A, B = "0000:05:00.0", "0000:26:00.0-3"
DEVICES = {"60723": A, "48483": B}
DOORS = {A: "/dev/dri/renderD128", B: "/dev/dri/renderD137"}
KFD = "/sys/class/kfd/kfd/proc"
ID = "0123456789abcdef" * 4
POD = "12345678-90ab-cdef-1234-567890abcdef"
LABEL = '--type container --format {{ index .Config.Labels "org.instinct.tenant" }}'
UID = 4200000001  # of nobody on the machine that tests


@pytest.fixture(autouse=True)
def node(tree: Tree) -> Tree:
    """A node with two users and one process of KFD."""
    tree.fill({
        "/etc/passwd": f"alice:x:{UID}:1000::/:/bin/sh\nroot:x:0:0::/:/bin/sh\n", "/proc/stat": "cpu 1\nbtime 1700000000\n",
        "/proc/1/cgroup": "0::/init.scope\n",
        f"{KFD}/7/vram_60723": "1024\n", f"{KFD}/7/vram_48483": "0\n", f"{KFD}/7/queues/0/gpuid": "60723\n", f"{KFD}/7/queues/1/gpuid": "60723\n"})
    return process(tree)


def process(tree: Tree, pid: int = 7, cgroup: str = "/system.slice/vllm.service", uid: int = UID) -> Tree:
    for number, door in enumerate(("/dev/kfd", *DOORS.values())):
        tree.write(door)
        if not (tree.root / f"proc/{pid}/task/{pid}/fd/{number}").is_symlink():
            tree.link(f"/proc/{pid}/task/{pid}/fd/{number}", door)
    return tree.fill({
        f"/proc/{pid}/comm": "python3\n", f"/proc/{pid}/status": f"State:\tS (sleeping)\nUid:\t{uid}\t0\t0\t0\n",
        f"/proc/{pid}/stat": f"{pid} (a b) S {'0 ' * 18}250 0\n", f"/proc/{pid}/cgroup": f"0::{cgroup}\n", f"/proc/{pid}/cmdline": "python3\0train.py\x1b\0"})


def read(tree: Tree, *library: Process, loaded: bool = True) -> Held:
    return holders.read(tree.machine(), loaded, DEVICES, Processes(library), DOORS)


def one(tree: Tree, *library: Process) -> Holder:
    (found,) = read(tree, *library).holders
    return found


def test_a_process_with_all_that_is_known(node: Tree) -> None:
    assert read(node) == Held((Holder(
        7, 250, "2023-11-14T22:13:22Z", UID, "alice", None, ("system.slice", "vllm.service"), command="python3", line="python3 train.py?",
        state="S", holds=(Hold(A, 1024, 2), Hold(B, 0, 0))),))


def test_of_a_driver_without_queues_they_are_unknown(node: Tree) -> None:
    node.fill({f"{KFD}/9/vram_60723": "x\n"})
    assert read(process(node, 9)).holders[1].holds == (Hold(A, None, None),)


def test_what_cannot_be_read_may_be_held(node: Tree) -> None:
    node.fill({f"{KFD}/9/queues": "no folder", f"{KFD}/8/vram_60723/x": "no file"})
    node.folder("/proc/9/cgroup")
    (_seven, eight, nine) = read(process(node, 8)).holders
    assert eight.holds == (Hold(A, None, None),)
    assert (nine.holds, nine.units, list(nine.unknown)) == ((), (), ["cgroup", "open"])


def test_a_folder_that_cannot_be_read_may_hold_all(node: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    def names(_machine: t.Any, path: str) -> tuple[str, ...]:
        if path == KFD:
            return ("7",)
        raise holders.UnreadableError("it is not for us")

    monkeypatch.setattr(holders.Machine, "names", names)
    assert one(node).holds == (Hold(A), Hold(B))


def test_gone_and_kfd_still_has_it(tree: Tree) -> None:
    tree.fill({f"{KFD}/9/vram_60723": "5\n"})
    assert read(tree).holders[1] == Holder(9, holds=(Hold(A, 5, None),), unknown={"cgroup": "it is gone, and KFD still has it"})


def test_gone_meanwhile(node: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holders, "listed", lambda *_given: ("7", "12"))
    assert one(node).pid == 7


def test_no_list(tree: Tree) -> None:
    assert read(Tree(tree.root / "empty")).unknown == {"processes": f"amdgpu is loaded but there is no {KFD}"}
    assert read(Tree(tree.root / "empty"), loaded=False) == Held()


def test_a_login_and_a_user_of_a_directory(node: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    process(node, cgroup=f"/user.slice/user-{UID}.slice/session-1.scope", uid=UID + 1)
    assert (one(node).login, one(node).user) == ("alice", str(UID + 1))
    monkeypatch.setattr(holders.pwd, "getpwuid", lambda uid: {UID + 1: type("", (), {"pw_name": "eve"})}[uid])
    assert one(node).user == "eve"


@pytest.mark.parametrize(("group", "engine"), [(f"/machine.slice/libpod-{ID}.scope", "podman"), (f"/docker/{ID}", "docker")])
def test_containers_are_asked_for_their_label(node: Tree, group: str, engine: str) -> None:
    process(node, cgroup=group)
    assert one(node).unknown == {"label": f"{engine} cannot be run: No such file or directory"}
    command = f"{engine} inspect {LABEL} {ID}"
    for ran, label, unknown in ((Ran(0, "train-team\n", ""), "train-team", {}), (Ran(0, "<no value>\n", ""), "", {}),
                                (Ran(1, "", "a\nno such container\n"), None, {"label": f"{engine}: no such container"}),
                                (Ran(2, "", ""), None, {"label": f"{engine}: it ends with 2"})):
        node.commands[command] = ran
        found = one(node)
        assert (found.engine, found.container, found.label, found.unknown) == (engine, ID, label, unknown)


def test_pods_have_a_namespace(node: Tree) -> None:
    process(node, cgroup=f"/kubepods.slice/kubepods-pod{POD.replace('-', '_')}.slice/cri-containerd-{ID}.scope")
    assert (one(node).namespace, one(node).unknown) == (None, {"namespace": f"/var/log/pods has no pod {POD}"})
    node.folder(f"/var/log/pods/serving_vllm-0_{POD}")
    assert (one(node).namespace, one(node).pod, one(node).unknown) == ("serving", POD, {})


def test_other_engines_are_not_asked(node: Tree) -> None:
    assert one(process(node, cgroup=f"/system.slice/cri-containerd-{ID}.scope")).unknown == {"label": "containerd is not asked for labels"}


def test_the_account_of_a_job_is_asked_once(node: Tree) -> None:
    command = "squeue --noheader --states=all --jobs=12 --format=%a"
    node.fill({f"{KFD}/8/vram_60723": "1\n"})
    for pid in (7, 8):
        process(node, pid, "/system.slice/slurmstepd.scope/job_12/step_0/user/task_0")
    for said, account in (("train\n", "train"), ("", "")):
        node.commands[command], node.asked = Ran(0, said, ""), []
        assert [(found.slurm_job, found.slurm_account) for found in read(node).holders] == [("12", account)] * 2
        assert node.asked == [command]


def test_who_draws_is_known_by_the_library_alone(node: Tree) -> None:
    process(node, 9)
    found = read(node, Process(7, gpus=(A,)), Process(9, gpus=("0000:26:00.0",)), Process(4711, gpus=(A,))).holders
    assert [(one.pid, one.holds) for one in found] == [(7, (Hold(A, 1024, 2), Hold(B, 0, 0))), (9, (Hold(B),))]


def test_a_monitor_of_root_opens_every_gpu(node: Tree) -> None:
    assert one(process(node, 9, uid=0), Process(9, gpus=(A,))).pid == 7


def test_who_has_not_opened_the_device_is_not_its_holder(node: Tree) -> None:
    """The number of a process that ended stands for another by now: it works on GPUs itself, but not on this one."""
    node.fill({f"{KFD}/9/vram_60723": "5\n", f"{KFD}/9/queues/.keep": "", f"{KFD}/9/vram_48483": "5\n"})
    (node.root / "proc/9/task/9/fd").mkdir(parents=True)
    process(node, 9)
    assert read(node).holders[1].unknown == {}
    (node.root / "proc/9/task/9/fd/1").unlink()
    (found,) = read(node).holders[1:]
    assert found.unknown == {"open": "process 9 has not opened /dev/dri/renderD128: KFD's entry may be of another process that had this number before"}
