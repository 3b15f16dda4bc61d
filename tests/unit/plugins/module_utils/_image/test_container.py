# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A container that runs, read through /proc of a fabricated node."""

from __future__ import annotations

import json
import os
import pathlib
import shutil

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.running import Device
from ansible_collections.instinct.fleet.plugins.module_utils._image import container
from ansible_collections.instinct.fleet.plugins.module_utils._image.tools import Tools
from ansible_collections.instinct.fleet.plugins.module_utils._node.apart import UnreadableError
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree

PID = 4711
PROC = f"/proc/{PID}"
STATUS = "Uid:\t1000\t1000\t1000\t1000\nGid:\t1000\t1000\t1000\t1000\nGroups:\t109 \nCapEff:\t0000000000000000\n"
LIMITS = "Limit                     Soft Limit           Hard Limit           Units     \n"
LIMITS += "Max locked memory         8388608              8388608              bytes     \n"


@pytest.fixture
def node(tmp_path: pathlib.Path) -> Tree:
    """A node with two GPUs and a NIC, and a container that has one GPU under the name of the other, and the NIC."""
    tree = Tree(tmp_path)
    tree.fill({f"{PROC}/status": STATUS, f"{PROC}/uid_map": "0 0 4294967295\n", f"{PROC}/limits": LIMITS,
               f"{PROC}/environ": "PATH=/bin\0NCCL_DEBUG=INFO\0", "/dev/kfd": "", "/dev/dri/renderD128": "", "/dev/dri/renderD129": "",
               "/dev/dri/card0": "", "/dev/infiniband/uverbs0": "", f"{PROC}/root/dev/null": ""})
    for folder in ("dri", "infiniband", "shm"):
        tree.folder(f"{PROC}/root/dev/{folder}")
    for name, other in (("kfd", "kfd"), ("dri/renderD128", "dri/renderD129"), ("infiniband/uverbs0", "infiniband/uverbs0")):
        os.link(tmp_path / f"dev/{other}", tmp_path / f"{PROC[1:]}/root/dev/{name}")
    (tmp_path / "dev/kfd").chmod(0o660)
    return tree


def test_what_the_node_says_of_it(node: Tree) -> None:
    found = container.running(node.machine(), PID)
    assert sorted(found.devices) == ["/dev/dri/renderD129", "/dev/infiniband/uverbs0", "/dev/kfd"]
    assert found.devices["/dev/kfd"] == Device(os.getuid(), os.getgid(), 0o660)
    assert {path: device.name for path, device in found.devices.items() if device.name} == {"/dev/dri/renderD129": "/dev/dri/renderD128"}
    assert (found.uid, found.groups, found.overrides, found.locks) == (1000, (1000, 109), False, False)
    assert (found.environment, found.memlock_bytes) == ({"PATH": "/bin", "NCCL_DEBUG": "INFO"}, 8 << 20)
    assert found.shm_bytes and found.unknown == {}


def test_a_real_device_is_known_by_its_numbers(tmp_path: pathlib.Path) -> None:
    """Of /dev/null of this machine, by another name."""
    tree = Tree(tmp_path)
    tree.folder(f"{PROC}/root/dev")
    tree.link("/dev/kfd", "/null")
    assert container._same(os.stat("/dev/null")) == (True, os.stat("/dev/null").st_rdev, 0)


def test_what_cannot_be_read_is_unknown(node: Tree) -> None:
    for name in ("status", "limits"):
        (node.root / f"{PROC[1:]}/{name}").unlink()
    os.rmdir(node.root / f"{PROC[1:]}/root/dev/shm")
    found = container.running(node.machine(), PID)
    assert (found.uid, found.groups, found.memlock_bytes, found.shm_bytes) == (None, (), None, None)
    assert found.unknown == {"groups": f"there is no {PROC}/status: the process may have ended", "shm_bytes": "/dev/shm: No such file or directory",
                             "memlock_bytes": f"there is no {PROC}/limits: the process may have ended"}


def test_what_says_nothing_is_unknown(node: Tree) -> None:
    node.fill({f"{PROC}/status": "Name:\tsh\n", f"{PROC}/limits": "Limit\n"})
    found = container.running(node.machine(), PID)
    assert found.unknown == {"groups": f"{PROC}/status does not tell who the process is",
                             "memlock_bytes": f"{PROC}/limits does not tell how much memory may be locked"}


def test_a_process_that_ends_meanwhile_lacks_nothing(node: Tree) -> None:
    """Its root leads nowhere then, and its files in /proc are gone."""
    shutil.rmtree(node.root / PROC[1:])
    found = container.running(node.machine(), PID)
    assert set(found.unknown) == {"devices", "groups", "environment", "memlock_bytes", "shm_bytes"}


def test_a_container_that_ends_meanwhile_is_refused(node: Tree) -> None:
    container.refuse_ended(node.machine(), PID, "web")
    shutil.rmtree(node.root / PROC[1:])
    with pytest.raises(FleetError, match=r"^container web: ended while it was read; start it, or check its image$"):
        container.refuse_ended(node.machine(), PID, "web")


def test_a_container_that_may_not_be_looked_into_runs(node: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root of a node that is a container itself may not look into processes of others: what that hides is unknown."""
    machine = node.machine()

    def refuse(path: str) -> bool:
        raise UnreadableError(f"{path}: Permission denied")
    monkeypatch.setattr(machine, "folder", refuse)
    container.refuse_ended(machine, PID, "web")


def test_a_device_that_has_two_names_is_known_by_its_own(node: Tree) -> None:
    os.link(node.root / "dev/kfd", node.root / f"{PROC[1:]}/root/dev/a")
    assert container.running(node.machine(), PID).devices["/dev/kfd"].name == ""


def test_root_that_may_lock_memory(node: Tree) -> None:
    node.fill({f"{PROC}/status": STATUS.replace("CapEff:\t0000000000000000", "CapEff:\t000001ffffffffff")})
    found = container.running(node.machine(), PID)
    assert (found.overrides, found.locks) == (True, True)


@pytest.mark.parametrize("engine", ["podman", "docker"])
def test_the_first_process_is_asked_of_the_engine(monkeypatch: pytest.MonkeyPatch, engine: str) -> None:
    asked = []
    states = [{"State": {"Pid": PID}}, {"State": {"Pid": 0}}]
    monkeypatch.setattr(Tools, "run", lambda _self, *argv: (asked.append(argv), json.dumps([states.pop(0)]))[1])
    assert container.first_process("web", engine, Tools(5)) == PID
    assert asked == [("container web", engine, "container", "inspect", "web")]
    with pytest.raises(FleetError) as error:
        container.first_process("web", engine, Tools(5))
    assert error.value.sentence == "container web: does not run; start it, or check its image"
