# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Gates of many nodes as a table, and as data."""

from __future__ import annotations

from ansible_collections.instinct.fleet.plugins.module_utils._core.health.fleet_gates import node, table

GOOD = {"verdict": "pass", "gpus": {"a": "pass", "b": "warn"}, "evidence": [], "next_action": "", "checks": [], "profile": "admission",
        "baseline": {"taken": 1.0, "notes": []}, "quarantine": None}
BAD = {**GOOD, "verdict": "fail", "gpus": {"a": "fail", "b": "pass"}, "evidence": ["ecc of a: \x1b[31m2", "xgmi of b: 1"],
       "next_action": "reset it", "baseline": {"taken": 1.0, "notes": ["the baseline begins anew"]}}
NODES = [node("good", GOOD), node("bad", BAD), node("gone", {"unreachable": True, "msg": "no route"}),
         node("broken", {"failed": True, "msg": "f: is not JSON"}), node("silent", None), node("left", None, "it left")]


def test_table_of_all() -> None:
    assert table(NODES, 100).splitlines() == [
        "node    GPUs             verdict      worst check                    next action",
        "------  ---------------  -----------  -----------------------------  -----------",
        "good    2 of 2 may work  pass         -                              -",
        "bad     1 of 2 may work  fail         ecc of a:  [31m2 (and 1 more)  reset it",
        "gone    -                unreachable  no route                       -",
        "broken  -                failed       f: is not JSON                 -",
        "silent  -                failed       it was not gated               -",
        "left    -                failed       it left                        -",
        "",
        "checks of bad:",
        "  ecc of a:  [31m2",
        "  xgmi of b: 1",
        "  the baseline begins anew",
        "",
        "6 nodes: 1 fail, 3 failed, 1 unreachable, 1 pass",
    ]


def test_table_of_one_and_none() -> None:
    one = node("n", {**GOOD, "evidence": ["x of y: z"], "baseline": None})
    assert "x of y: z" in table([one], 80) and table([one], 80).endswith("\n1 node: 1 pass")
    assert table([], 80) == "no nodes"


def test_data_of_a_node() -> None:
    plain = NODES[1].to_dict()
    assert (plain["status"], plain["verdict"], plain["reason"], plain["next_action"]) == ("gated", "fail", None, "reset it")
    gone = NODES[2].to_dict()
    assert (gone["status"], gone["verdict"], gone["reason"], gone["gpus"]) == ("unreachable", "unreachable", "no route", None)
    assert node("n", {**BAD, "failed": True}).verdict == "fail"  # a task that fails on its verdict was gated all the same
