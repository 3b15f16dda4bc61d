# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which nodes are due and in which waves, what stops them, and what people see."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition import rollout
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.rollout import Node, node

OPEN = {"standing": "ours", "before": "open", "reason": "instinct.fleet: partition: x"}  # as a dry drain answers
OURS = {"standing": "ours", "before": "ours", "reason": "instinct.fleet: partition: x"}
FOREIGN = {"standing": "foreign", "before": "foreign", "reason": "broken fan"}
REFUSAL = {"failed": True, "msg": "gpu 0: no CPX; take SPX", "failure": {"where": "gpu 0"}}


def look(was: str = "SPX/NPS1", wanted: str | None = "CPX/NPS4", **other: t.Any) -> dict[str, t.Any]:
    gpus = [{"product": "MI300X", "before": was, "wanted": wanted}] * 2
    same = wanted in (was, None)
    return {"gpus": gpus, "as_wanted": same, "changes": [] if same else [{"words": f"set {wanted}"}], **other}


def due(name: str = "a") -> Node:
    return node(name, look(), OPEN, None)


STATES: dict[str, tuple[tuple[t.Any, ...], tuple[str, str, str, str]]] = {
    "nothing asked": ((None, None, None), ("nothing asked", "", "", "")),
    "failed before it was looked at": ((None, None, None, "no such variable"), ("failed", "no such variable", "", "")),
    "not reached": (({"unreachable": True, "msg": "no route"}, None, None), ("unreachable", "no route", "", "")),
    "refused": ((REFUSAL, None, None), ("refused", "gpu 0: no CPX; take SPX", "", "")),
    "its scheduler does not answer": ((look(), {"failed": True, "msg": "no slurmctld", "failure": {"where": "n"}}, None),
                                      ("refused", "no slurmctld", "", "")),
    "nobody asked its scheduler": ((look(), None, None), ("failed", "it was not looked at", "", "")),
    "due": ((look(), OPEN, None), ("due", "", "open", "")),
    "as wanted": ((look("CPX/NPS4"), OPEN, None), ("as wanted", "", "open", "")),
    "as wanted, and left out of work by us": ((look("CPX/NPS4"), OURS, None), ("due", "", "ours", OURS["reason"])),
    "as wanted, and out of work by others": ((look("CPX/NPS4"), FOREIGN, None), ("as wanted", "", "foreign", "broken fan")),
    "cordoned, by what Kubernetes says": ((look(), {"standing": "foreign", "reason": ""}, None), ("due", "", "foreign", "")),
    "partitioned": ((look(), {"standing": "open", "before": "ours", "reason": ""}, {"failed": ""}), ("partitioned", "", "open", "")),
    "failed in its wave": ((look(), OURS, {"failed": "gate: fail"}), ("failed", "gate: fail", "ours", OURS["reason"])),
}


@pytest.mark.parametrize(("given", "said"), STATES.values(), ids=STATES)
def test_state_of_a_node(given: tuple[t.Any, ...], said: tuple[str, str, str, str]) -> None:
    found = node("a", *given)
    assert (found.status, found.reason, found.standing, found.drained) == said


def test_a_node_as_data() -> None:
    (one,) = rollout.in_waves([due()], 1)
    assert one.to_dict() == {
        "status": "due", "verdict": "due", "reason": None, "gpus": [{"product": "MI300X", "was": "SPX/NPS1", "wanted": "CPX/NPS4"}] * 2,
        "wanted": {"compute_partition": "CPX", "memory_partition": "NPS4"}, "changes": ["set CPX/NPS4"], "standing": "open",
        "drained": None, "wave": 1}
    assert node("a", REFUSAL, None, None).to_dict()["verdict"] == "refused: gpu 0: no CPX; take SPX"


def test_the_gate_is_told_what_gpus_have_in_common() -> None:
    modes = (("MI300X", "SPX/NPS1", "SPX/NPS1"), ("MI300X", "SPX/NPS1", "CPX/NPS1"))
    assert Node("a", "due", modes=modes).wanted == {"memory_partition": "NPS1"}
    assert Node("a", "due").wanted == {}
    assert node("a", look("SPX/NPS1", None), OPEN, None).wanted == {"compute_partition": "SPX", "memory_partition": "NPS1"}


WAVES: dict[str, tuple[object, int, list[int]]] = {
    "one at a time": (1, 3, [1, 2, 3]),
    "two at a time": ("2", 5, [1, 1, 2, 2, 3]),
    "a share": ("40%", 5, [1, 1, 2, 2, 3]),
    "a share of few is one": ("10%", 3, [1, 2, 3]),
    "a canary first": ([1, "50%"], 5, [1, 2, 2, 3, 3]),
    "more than there are": (10, 2, [1, 1]),
    "none": (1, 0, []),
}


@pytest.mark.parametrize(("size", "many", "waves"), WAVES.values(), ids=WAVES)
def test_waves(size: object, many: int, waves: list[int]) -> None:
    assert [one.wave for one in rollout.in_waves([due(str(n)) for n in range(many)], size)] == waves


def test_nodes_that_are_not_due_are_in_no_wave() -> None:
    nodes = [node("a", look("CPX/NPS4"), OPEN, None), due("b"), node("c", look(), OURS, {"failed": "x"}), node("d", None, None, None)]
    assert [one.wave for one in rollout.in_waves(nodes, 1)] == [0, 1, 2, 0]


@pytest.mark.parametrize("size", [0, -1, "many", "0%", "101%", None, [1, "x"], []])
def test_a_size_that_is_none_is_refused(size: object) -> None:
    with pytest.raises(FleetError, match=r"^fleet_partition_wave: is .*, and no number of nodes; write 2, or '10%'$"):
        rollout.in_waves([due()], size)


def test_refusals_are_named_all() -> None:
    bad = [node("b", REFUSAL, None, None), node("c", {"unreachable": True, "msg": "no route"}, None, None)]
    assert rollout.refusal([due(), *bad]) == (
        "no node was touched: b refused: gpu 0: no CPX; take SPX; c unreachable: no route")
    assert rollout.refusal([due(), node("d", None, None, None)]) == ""


def test_failures_stop_what_has_not_begun() -> None:
    failed = [node(name, look(), OURS, {"failed": "x"}) for name in "ab"]
    assert [rollout.stopped([due("c"), *failed[:many]], 0) for many in (0, 1)] == ["", "stopped after 1 node failed (a); 0 may"]
    assert [rollout.stopped(failed, tolerated) for tolerated in (1, 2)] == ["stopped after 2 nodes failed (a, b); 1 may", ""]
    assert rollout.stopped([node("r", REFUSAL, None, None)], 0) == ""


def test_table() -> None:
    nodes = rollout.in_waves(
        [due(), node("b", look("CPX/NPS4"), FOREIGN, None), node("c", REFUSAL, None, None), node("d", look(), OURS, {"failed": "x"})], 1)
    assert rollout.table(nodes, 120).splitlines() == [
        "node  GPUs        was           wanted        wave  verdict",
        "----  ----------  ------------  ------------  ----  --------------------------------",
        "a     2 x MI300X  2 x SPX/NPS1  2 x CPX/NPS4  1     due",
        "b     2 x MI300X  2 x CPX/NPS4  2 x CPX/NPS4  -     as wanted",
        "c     -           -             -             -     refused: gpu 0: no CPX; take SPX",
        "d     2 x MI300X  2 x SPX/NPS1  2 x CPX/NPS4  2     failed: x",
        "", "changes of a, d:", "  set CPX/NPS4",
        "", "notes on b:", "  somebody else took it out of work, and it stays so: broken fan",
        "", "notes on d:", "  it is out of work: instinct.fleet: partition: x",
        "", "4 nodes: 1 due, 1 as wanted, 1 refused, 1 failed"]
    assert rollout.table([], 80) == rollout.summary([]) == "no nodes"
    assert rollout.counts(nodes) == {"due": 1, "as wanted": 1, "refused": 1, "failed": 1}
