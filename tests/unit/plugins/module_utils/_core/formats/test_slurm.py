# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Slurm says of nodes and jobs, as 22.05 and 24.11 say it."""

from __future__ import annotations

import json
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.formats import slurm
from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.slurm import Job, Node, Restart

LINE = ("NodeName=n1 Arch=x86_64 CPUAlloc=0 NodeAddr=n1 NodeHostName=n1 Version=22.05.8 OS=Linux 6.1.0 #1 SMP State=X "
        "Boards=1 State={state} ThreadsPerCore=1 Partitions=main  CfgTRES=cpu=1 AllocTRES= ExtSensorsTemp=n/s{reason}\n")
TEXTS: dict[str, tuple[str, str, Node]] = {
    "idle": ("IDLE", "", Node("n1", ("IDLE",))),
    "drained": ("IDLE+DRAIN", " Reason=a b [root@2026-11-30T02:37:44]", Node("n1", ("IDLE", "DRAIN"), "a b")),
    "a reason without who": ("MIXED+DRAIN", " Reason=disk", Node("n1", ("MIXED", "DRAIN"), "disk")),
    "not responding": ("DOWN*", " Reason=Not responding [slurm@2026-11-30T02:37:44]", Node("n1", ("DOWN",), "Not responding")),
    "a reason that looks like a state": (
        "IDLE+DRAIN", " Reason=x State=IDLE [y] [root@2026-11-30T02:37:44]", Node("n1", ("IDLE", "DRAIN"), "x State=IDLE [y]")),
}
JSONS: dict[str, tuple[dict[str, t.Any], Node]] = {
    "24.11": ({"name": "n1", "state": ["IDLE", "DRAIN"], "reason": "a b"}, Node("n1", ("IDLE", "DRAIN"), "a b")),
    "22.05": ({"name": "n1", "state": "idle", "state_flags": ["DRAIN"], "reason": None}, Node("n1", ("IDLE", "DRAIN"))),
    "no additions": ({"name": "n1", "state": "down"}, Node("n1", ("DOWN",))),
}


@pytest.mark.parametrize(("state", "reason", "node"), TEXTS.values(), ids=TEXTS)
def test_a_node_as_text(state: str, reason: str, node: Node) -> None:
    line = LINE.replace("State=X ", "").format(state=state, reason=reason)
    assert slurm.node_text(line, "n1") == node


@pytest.mark.parametrize(("raw", "node"), JSONS.values(), ids=JSONS)
def test_a_node_as_json(raw: dict[str, t.Any], node: Node) -> None:
    assert slurm.node_json(json.dumps({"nodes": [raw], "errors": []}), "n1") == node


@pytest.mark.parametrize("text", [
    "", "{", "[]", '{"nodes": []}', '{"nodes": [1]}', '{"nodes": [{"name": "n1"}]}', '{"nodes": [{"name": "n2", "state": "idle"}]}',
    '{"nodes": [{"name": "n1", "state": [1]}]}', '{"nodes": [{"name": "n1", "state": []}]}', '{"nodes": [{"name": "n1", "state": null}]}'])
def test_json_that_is_none_of_it_is_refused(text: str) -> None:
    with pytest.raises(DataError, match=r"^slurm node n1: .*; ask scontrol on that host by hand$"):
        slurm.node_json(text, "n1")


@pytest.mark.parametrize("text", ["", "No nodes in the system", "NodeName=n2 x State=IDLE", "NodeName=n1 x"])
def test_text_that_is_none_of_it_is_refused(text: str) -> None:
    with pytest.raises(DataError, match=r"^slurm node n1: "):
        slurm.node_text(text, "n1")


@pytest.mark.parametrize(("states", "out"), [
    (("IDLE",), False), (("MIXED", "COMPLETING"), False), (("IDLE", "DRAIN"), True), (("DOWN",), True), (("IDLE", "FAIL"), True)])
def test_out_of_work(states: tuple[str, ...], out: bool) -> None:
    assert Node("n1", states).out is out


def test_in_one_line() -> None:
    assert (Node("n1", ("IDLE",)).text, Node("n1", ("IDLE", "DRAIN"), "a b").text) == ("IDLE", "IDLE+DRAIN, a b")


def test_jobs() -> None:
    said = "2|RUNNING|alice\n3_[1-4]|COMPLETING|bob\n4_17|RUNNING|bob\n6+1|RUNNING|eve\n\n"
    assert slurm.jobs(said, "n1") == (
        Job("2", "RUNNING", "alice"), Job("3_[1-4]", "COMPLETING", "bob"), Job("4_17", "RUNNING", "bob"), Job("6+1", "RUNNING", "eve"))
    assert slurm.jobs("", "n1") == ()
    with pytest.raises(DataError, match=r"^slurm node n1: the answer of squeue is not understood; "):
        slurm.jobs("2|RUNNING|alice\nslurm_load_jobs error", "n1")


RESTARTS: dict[str, tuple[str, Restart | None]] = {
    "one": ("RUNNING             1                   1                   0                   \n", Restart(("RUNNING",), True, True, 0)),
    "at a terminal": ("RUNNING             1                   0                   0  \n", Restart(("RUNNING",), False, True, 0)),
    "not to be requeued": ("RUNNING             0                   1                   2  \n", Restart(("RUNNING",), True, False, 2)),
    "several parts": ("RUNNING 1 1 3\nPENDING 1 1 2\n", Restart(("RUNNING", "PENDING"), True, True, 2)),
    "parts that differ": ("RUNNING 1 1 0\nRUNNING 0 0 0\n", Restart(("RUNNING", "RUNNING"), False, False, 0)),
    "none": ("\n", None),
}


@pytest.mark.parametrize(("text", "found"), RESTARTS.values(), ids=RESTARTS)
def test_restart(text: str, found: Restart | None) -> None:
    assert slurm.restart(text, "7") == found


@pytest.mark.parametrize("text", ["RUNNING 1 1", "RUNNING 1 1 0 x", "running 1 1 0", "RUNNING 2 1 0", "RUNNING 1 1 0\nerror"])
def test_a_restart_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(DataError, match=r"^slurm job 7: the answer of squeue is not understood; "):
        slurm.restart(text, "7")
