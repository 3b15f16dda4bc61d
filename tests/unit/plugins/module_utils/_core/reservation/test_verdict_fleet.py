# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who is on which GPU of the fleet, as a table."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.shape import Record
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.verdict import judge
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.verdict_fleet import data, node, table
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.verdict_holder import Held, Hold
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.verdict_plain import plain
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.verdict_proof import Proof
from ansible_collections.instinct.fleet.tests.unit.support.trespass import DEVICES, RECORD, A, B, C, D, holder

WORKERS = [holder(1000 + number, A, user="bob", since=f"2026-01-0{1 + number % 2}T00:00:00Z") for number in range(16)]
PROOFS = [Proof("root", A.id, "/dev/dri/renderD128", True, True, "ok", "it opens"),
          Proof("stranger", A.id, "/dev/dri/renderD128", True, False, "trespass", "it opens"),
          Proof("stranger", B.id, "/dev/dri/renderD129", True, False, "trespass", "it opens"),
          Proof("user alice of inference", B.id, "/dev/dri/renderD129", False, True, "locked_out", "the permissions of the file"),
          Proof("user carol of training", A.id, "/dev/dri/renderD128", None, False, "unknown", "no such user")]


def said(*holders: t.Any, proofs: list[Proof] | None = None, record: Record = RECORD) -> dict[str, t.Any]:
    return plain(judge(record, DEVICES, Held(holders)), proofs, {}, True)


GOOD = node("good", said(holder(7, A, user="alice", units=("system.slice", "vllm.service"), since="2026-01-01T00:00:00Z")))
NODES = [node("n1", said(*WORKERS, holder(7, B, user="alice"), proofs=PROOFS)), node("gone", {"unreachable": True, "msg": "no route"}),
         node("silent", None)]


def test_the_table_of_r3() -> None:
    assert table(NODES, 160).splitlines() == [
        "node    device        for           held by                                                        memory    since (UTC)  verdict",
        "------  ------------  ------------  -------------------------------------------------------------  --------  -----------  -----------",
        "n1      0000:05:00.0  inference P0  training: user bob, python3, pid 1000, 1001, 1002 and 13 more  16.0 GiB  01-01 00:00  trespass",
        "n1      0000:26:00.0  inference P0  inference: user alice, python3, pid 7                          1.0 GiB   unknown      ok",
        "n1      0000:46:00.0  training P1   nobody                                                         -         -            ok",
        "n1      0000:65:00.0  spare         nobody                                                         -         -            ok",
        "gone    -             -             no route                                                       -         -            unreachable",
        "silent  -             -             it was not looked at                                           -         -            failed",
        "",
        "trespass on n1:",
        "  0000:05:00.0: 16 processes of tenant training hold it, and it is reserved for tenant inference (P0)",
        "",
        "proof on n1:",
        "  stranger can open /dev/dri/renderD128, /dev/dri/renderD129, and must not: it opens",
        "  user alice of inference cannot open /dev/dri/renderD129, and must: the permissions of the file",
        "  whether user carol of training can open /dev/dri/renderD128 is unknown: no such user",
        "",
        "3 nodes: 1 trespass, 1 failed, 1 unreachable",
    ]


def test_tables_where_all_is_well() -> None:
    assert table([GOOD], 120).splitlines()[2].split()[-1] == "ok" and table([GOOD], 120).endswith("\n1 node: 1 ok")
    assert "1 attempts to open a device ended as they must" in table([node("n", said(proofs=PROOFS[:1]))], 120)
    assert table([], 120) == "no nodes"
    bare = node("n", plain((), None, {}, False))
    assert table([bare], 120).splitlines()[2].split() == ["n", "-", "-", "no", "device", "is", "seen", "-", "-", "unknown"]


def test_who_is_nobody_s_is_told_by_the_nearest_place() -> None:
    nobody = [holder(1, C, slurm_job="12", user="eve"), holder(2, C, container="0123456789abcdef", engine="podman"), holder(3, C, user="eve", command=None),
              holder(4, C, units=("user.slice", "session-1.scope")), holder(5, C), holder(6, C, container="0123456789abcdef"),
              dc.replace(holder(8), holds=(Hold(C.id),)), dc.replace(holder(9), holds=(Hold(C.id, 0, 1),))]
    rows = [line.split("  ") for line in table([node("n", said(*nobody))], 300).splitlines() if C.id in line]
    assert [[cell.strip() for cell in row if cell.strip()][3:5] for row in rows[:6]] == [
        ["no tenant: job 12 of Slurm, python3, pid 1", "1.0 GiB"], ["no tenant: container 0123456789ab of podman, python3, pid 2", "1.0 GiB"],
        ["no tenant: user eve, gone, pid 3", "1.0 GiB"], ["no tenant: unit session-1.scope, python3, pid 4", "1.0 GiB"],
        ["no tenant: nothing that is known, python3, pid 5, 8, 9", "1.0 GiB and unknown"],
        ["no tenant: container 0123456789ab of an engine, python3, pid 6", "1.0 GiB"]]


def test_memory_that_is_not_known() -> None:
    row = table([node("n", said(dc.replace(holder(8), holds=(Hold(D.id),))))], 300).splitlines()[5].split("  ")
    assert [cell.strip() for cell in row if cell.strip()][4:] == ["unknown", "unknown", "trespass"]


def test_data() -> None:
    found = data(NODES)
    assert (found["complete"], found["answered"], found["good"], found["counts"]) == (
        False, False, False, {"trespass": 1, "failed": 1, "unreachable": 1})
    assert [data([one])["proved"] for one in (node("n", said(proofs=PROOFS[:1])), node("n", said(proofs=PROOFS)), GOOD, NODES[1])] == [
        True, False, True, True]
    first, gone = found["nodes"]["n1"], found["nodes"]["gone"]
    assert (first["status"], first["verdict"], first["proved"], len(first["devices"])) == ("seen", "trespass", "trespass", 4)
    assert (gone["status"], gone["verdict"], gone["reason"], gone["devices"]) == ("unreachable", "unreachable", "no route", None)
    assert [data([one])["good"] for one in (GOOD, *NODES)] == [True, False, False, False]


def test_a_proof_is_a_part_of_the_verdict() -> None:
    assert [node("n", said(proofs=[proof])).verdict for proof in PROOFS] == ["ok", "trespass", "trespass", "locked_out", "unknown"]
    assert node("n", said(holder(1, A), record=Record())).verdict == "unreserved"
