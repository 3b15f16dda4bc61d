# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""rdma_stack on a fabricated Debian node whose modprobe and ibv_devinfo do what they are told."""

from __future__ import annotations

import dataclasses as dc
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._act import files, rdma, rdma_seen
from ansible_collections.instinct.fleet.plugins.module_utils._act.process import Done
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.plan import ENVIRON, MODULES, NAMES
from ansible_collections.instinct.fleet.plugins.module_utils._node import verbs
from ansible_collections.instinct.fleet.plugins.module_utils._node.apart import UnreadableError
from ansible_collections.instinct.fleet.plugins.module_utils._node.command import Ran
from ansible_collections.instinct.fleet.plugins.modules import rdma_stack
from ansible_collections.instinct.fleet.plugins.plugin_utils import rdma_data
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree
from ansible_collections.instinct.fleet.tests.unit.plugins.owners import Owners
from ansible_collections.instinct.fleet.tests.unit.plugins.run_module import run_module
from ansible_collections.instinct.fleet.tests.unit.support.rdma import PINNED

Result = dict[str, t.Any]
GIVEN = {"catalogue": list(rdma_data.documents())}
BDF = "0000:c1:00.0"
ABI = "Warning: Driver ionic does not support the kernel ABI of 4 (supports 1 to 1) for device /sys/class/infiniband/ionic_0\n"
ASKS = "env IBV_SHOW_WARNINGS=1 ibv_devinfo"
GID = "0000:0000:0000:0000:0000:ffff:c000:0201"


class Node:
    """A Debian node with one Pollara, whose RDMA half is not loaded yet."""

    def __init__(self, tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
        self.tree, self.told, self.code = tree, list[str](), 0
        tree.pci(BDF, "0x1002", "ionic", vendor="0x1dd8", **{"class": "0x020000"})
        tree.fill({"/sys/module/ionic/refcnt": "1\n", "/sys/module/ionic/version": "25.08.1\n", "/proc/1/limits": "Max locked memory  8388608 8388608 bytes\n",
                   "/proc/sys/kernel/osrelease": "6.1.0\n", "/sys/kernel/mm/memory_peers/amdkfd/version": "1.0\n"})
        self.packages(**PINNED)
        tree.commands[ASKS] = Ran(0, "hca_id:\tionic_0\n\tfw_ver:\t1.117.5\n\t\tport:\t1\n", "")
        tree.commands["ibv_devinfo -l"] = Ran(0, "0 HCAs found:\n\n", "")
        tree.commands["dcb pfc show dev eth0 prio-pfc"] = Ran(0, "prio-pfc 0:off 3:on\n", "")
        tree.commands["dcb -N app show dev eth0 dscp-prio"] = Ran(0, "dscp-prio 24:3\n", "")
        Owners(monkeypatch)
        monkeypatch.setattr(rdma_seen, "Machine", lambda _root, _timeout: tree.machine())
        monkeypatch.setattr(rdma, "run", self.run)
        monkeypatch.setattr(rdma, "replace_all", lambda changes: files.replace_all(
            [dc.replace(change, wanted=dc.replace(change.wanted, path=f"{tree.root}{change.wanted.path}")) for change in changes]))

    def packages(self, **versions: str) -> None:
        """Make these the installed packages, held."""
        self.tree.write("/var/lib/dpkg/status", "".join(
            f"Package: {name}\nStatus: hold ok installed\nArchitecture: amd64\nVersion: {version}\n\n" for name, version in versions.items()))

    def run(self, argv: t.Sequence[str], _timeout: float) -> Done:
        """Load a module: the second half of the driver offers a device."""
        self.told.append(" ".join(argv))
        if not self.code:
            self.tree.write(f"/sys/module/{argv[-1]}/refcnt", "0\n")
        if argv[-1] == "ib_uverbs" and not self.code:
            port = "/sys/class/infiniband/ionic_0/ports/1"
            self.tree.fill({
                "/sys/class/infiniband_verbs/uverbs0/ibdev": "ionic_0\n", "/sys/class/infiniband_verbs/uverbs0/abi_version": "4\n",
                f"{port}/link_layer": "Ethernet\n", f"{port}/state": "4: ACTIVE\n", f"{port}/gids/1": f"{GID}\n",
                f"{port}/gid_attrs/types/1": "RoCE v2\n", f"{port}/gid_attrs/ndevs/0": "eth0\n", "/sys/class/net/eth0/mtu": "9000\n"})
            self.tree.link("/sys/class/infiniband/ionic_0/device", f"/sys/bus/pci/devices/{BDF}")
        return Done(self.code, "", "modprobe: FATAL: Module not found\n" if self.code else "", 0)

    def text(self, path: str) -> str:
        """What a file holds below its head."""
        return (self.tree.root / path.lstrip("/")).read_text().partition("\n")[2]


@pytest.fixture
def node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Node:
    return Node(Tree(tmp_path), monkeypatch)


def wrong(result: Result) -> dict[str, str]:
    return {one["id"]: one["verdict"] for one in result["checks"] if one["verdict"] != "pass"}


ASKED: Result = {**GIVEN, "names": "kernel", "roce": {"mtu": 9000, "pfc": [3], "dscp": {"24": 3}}, "drivers": {"ionic": "25.08.1"},
                 "firmware": {"1dd8:1002": "1.117.5"},
                 "versions": {"rdma-core": "44.0-2", "perftest": "4.5-1"}}


def test_a_node_is_set_up_checked_left_alone_and_given_back(node: Node) -> None:
    verified = run_module(rdma_stack, {**ASKED, "state": "verified"})
    assert (verified["changed"], verified["fabric"], verified["families"]) == (False, "unbound", {BDF: "ionic"})
    assert wrong(verified) == {"rdma-module": "fail", "rdma-verbs": "fail"}
    checked = run_module(rdma_stack, ASKED, check=True)
    assert (checked["failed"], checked["changed"], node.told) == (False, True, [])
    assert not (node.tree.root / MODULES.lstrip("/")).exists()
    done = run_module(rdma_stack, ASKED)
    # Programs are told of the device that has come.
    assert (done["failed"], done["actions"]) == (False, [*checked["actions"], f"write {ENVIRON}"])
    assert done["diff"][:-1] == checked["diff"]
    assert node.told == ["modprobe -- ionic_rdma", "modprobe -- ib_uverbs"]
    assert (done["fabric"], done["as_wanted"], done["install"], done["hold"]) == ("hardware", True, [], list(PINNED))
    assert done["devices"] == [{"name": "ionic_0", "verbs": "uverbs0", "driver": "ionic", "abi": 4, "firmware": "1.117.5"}]
    assert done["drivers"] == {"ionic": "25.08.1", "ionic_rdma": "6.1.0", "ib_uverbs": "6.1.0"}
    assert {"NCCL_IB_GID_INDEX=1", "NCCL_IB_HCA==ionic_0:1", "NCCL_IB_TC=96", "IONIC_LOCKFREE=all"} <= set((node.text(ENVIRON) or "").splitlines())
    assert run_module(rdma_stack, ASKED)["changed"] is False
    back = run_module(rdma_stack, {**GIVEN, "state": "absent"})
    assert back["actions"] == [f"remove {ENVIRON}", f"remove {MODULES}", f"remove {NAMES}"]
    assert (run_module(rdma_stack, {**GIVEN, "state": "absent"})["changed"], back["hold"]) == (False, [])
    assert run_module(rdma_stack, {**ASKED, "state": "absent"})["hold"] == list(PINNED)


def test_a_module_that_is_part_of_the_kernel_is_not_loaded_again_and_again(node: Node) -> None:
    node.tree.write("/lib/modules/6.1.0/modules.builtin", "kernel/drivers/infiniband/core/ib_uverbs.ko\nkernel/drivers/ionic-rdma.ko.zst\n")
    result = run_module(rdma_stack, GIVEN, check=True)
    assert result["actions"] == [f"write {MODULES}"] and "rdma-module" not in wrong(result)
    assert result["drivers"] == {"ionic": "25.08.1", "ionic_rdma": "6.1.0", "ib_uverbs": "6.1.0"}


def test_a_module_that_is_not_there(node: Node) -> None:
    node.code = 1
    result = run_module(rdma_stack, GIVEN)
    assert (result["failed"], result["msg"]) == (True, "module ionic_rdma: does not load: modprobe: FATAL: Module not found; "
                                                       "install its driver, then run again")


def test_what_is_mixed_is_refused_and_nothing_is_written(node: Node) -> None:
    node.packages(**{**PINNED, "libibverbs1": "2410mlnx54-1"})
    result = run_module(rdma_stack, GIVEN)
    assert result["failed"] and result["msg"].startswith("RDMA stack: libibverbs1 2410mlnx54-1 beside rdma-core 44.0-2")
    assert (node.told, run_module(rdma_stack, {**GIVEN, "state": "verified"})["refusal"]) == ([], result["msg"])


def test_an_old_provider_fails_with_all_that_was_seen(node: Node) -> None:
    node.tree.commands[ASKS] = Ran(255, "", f"libibverbs: {ABI}")
    result = run_module(rdma_stack, GIVEN)
    assert result["failed"] and "a provider that speaks ABI 4: ionic speaks 1 to 1, and the driver 4" in result["msg"]
    assert wrong(result) == {"rdma-abi": "fail", "rdma-opens": "fail"}


def test_a_device_that_does_not_open_has_a_provider_all_the_same(node: Node) -> None:
    node.tree.commands[ASKS] = Ran(255, "", "Failed to open device\n")
    node.tree.commands["ibv_devinfo -l"] = Ran(0, "1 HCA found:\n\tionic_0\n\n", "")
    result = run_module(rdma_stack, GIVEN)
    assert result["failed"] and wrong(result) == {"rdma-opens": "fail"}
    node.tree.commands["ibv_devinfo -l"] = None  # it hangs
    assert wrong(run_module(rdma_stack, {**GIVEN, "state": "verified"})) == {"rdma-abi": "unknown", "rdma-opens": "fail"}


def test_a_map_that_dcb_does_not_tell_is_unknown(node: Node) -> None:
    node.tree.commands["dcb -N app show dev eth0 dscp-prio"] = Ran(1, "", "Attribute not found: Operation not supported\n")
    result = run_module(rdma_stack, ASKED)
    assert wrong(result) == {"rdma-pfc": "unknown", "rdma-dscp": "unknown"}
    assert {one["seen"] for one in result["checks"] if one["id"] == "rdma-dscp"} == {
        "eth0: dcb app show dev eth0: Attribute not found: Operation not supported"}


def test_a_nic_without_rdma_on_purpose_is_left_out(node: Node) -> None:
    result = run_module(rdma_stack, {**GIVEN, "ignored": [BDF]})
    assert (result["failed"], result["changed"], result["fabric"], result["families"], node.told) == (False, False, "none", {}, [])


def test_nics_that_cannot_be_read_are_no_absence(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    run_module(rdma_stack, ASKED)

    def denied(_machine: t.Any) -> t.Any:
        raise UnreadableError("no answer from the driver in 10 s")

    monkeypatch.setattr(verbs, "ports", denied)
    result = run_module(rdma_stack, ASKED)
    assert (result["failed"], result["msg"]) == (True, "RDMA of the node: cannot be read: no answer from the driver in 10 s; "
                                                       "mend that on the node; nothing was changed")
    assert (node.tree.root / ENVIRON.lstrip("/")).exists()
    verified = run_module(rdma_stack, {**ASKED, "state": "verified"})
    assert (verified["failed"], verified["as_wanted"], verified["fabric"]) == (False, False, "unknown")


def test_what_cannot_be_asked_is_unknown(node: Node) -> None:
    node.tree.commands[ASKS] = Ran(127, "", "env: 'ibv_devinfo': No such file or directory\n")
    node.tree.commands["dcb pfc show dev eth0 prio-pfc"] = Ran(1, "", "RTNETLINK answers: Operation not supported\n")
    result = run_module(rdma_stack, ASKED)
    assert (result["failed"], result["as_wanted"]) == (False, False)
    assert wrong(result) == dict.fromkeys(("rdma-firmware", "rdma-abi", "rdma-opens", "rdma-pfc", "rdma-dscp"), "unknown")
    assert {one["seen"] for one in result["checks"] if one["id"] == "rdma-abi"} == {"ibv_devinfo is not installed"}
