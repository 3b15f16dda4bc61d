# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whose drain it is: only that of the same purpose is ours."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.act import drain
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError, FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.slurm import Job

MARKS = {
    "instinct.fleet: partition: to CPX/NPS4": ("partition", "to CPX/NPS4"),
    "instinct.fleet: partition": ("partition", ""),
    "instinct.fleet: upgrade: it's 'x' y": ("upgrade", "it's \"x\"\n y"),
}
STANDINGS = [
    (False, "instinct.fleet: partition: x", "open"), (False, "", "open"), (True, "", "foreign"), (True, "disk", "foreign"),
    (True, "instinct.fleet: partition", "ours"), (True, "instinct.fleet: partition: x", "ours"),
    (True, "instinct.fleet: partitions: x", "foreign"), (True, "instinct.fleet: upgrade: x", "foreign"),
    (True, "see instinct.fleet: partition: x", "foreign")]
MARK = {"annotations": {drain.ANNOTATION: "instinct.fleet: partition: x"}}


def told(standing: str, reason: str = "", stale: bool = False) -> dict[str, t.Any]:
    return {"standing": standing, "reason": reason, "stale": stale}


def by(*managers: tuple[str, ...]) -> dict[str, t.Any]:
    """A marked node, and what each of these set of it, as Kubernetes tells."""
    kinds = {"cordon": {"f:spec": {"f:unschedulable": {}}},
             "mark": {"f:metadata": {"f:annotations": {".": {}, f"f:{drain.ANNOTATION}": {}}}}, "taints": {"f:spec": {"f:taints": {}}}}
    fields = [{"manager": "x", "fieldsV1": {key: part for kind in kinds_ for key, part in kinds[kind].items()}} for kinds_ in managers]
    return {"metadata": {**MARK, "managedFields": fields}, "spec": {"unschedulable": True}}


OURS = told("ours", "instinct.fleet: partition: x")
NODES: dict[str, tuple[dict[str, t.Any], dict[str, t.Any]]] = {
    "open": ({"metadata": {}, "spec": {}}, told("open")),
    "cordoned by somebody": ({"metadata": {"annotations": None}, "spec": {"unschedulable": True}}, told("foreign")),
    "ours": ({"metadata": MARK, "spec": {"unschedulable": True}}, OURS),
    "given back by somebody": ({"metadata": MARK, "spec": {}}, told("open", stale=True)),
    "given back by somebody, who says so": ({"metadata": MARK, "spec": {"unschedulable": False}}, told("open", stale=True)),
    "ours, by what Kubernetes tells": (by(("taints",), ("cordon", "mark")), OURS),
    "cordoned anew by somebody": (by(("mark",), ("cordon",), ("taints",)), told("foreign")),
    "of which nobody tells who cordoned it": (by(("mark",)), OURS),
    "of which who set what is written otherwise": ({"metadata": {**MARK, "managedFields": [{"fieldsV1": None}, {}]},
                                                    "spec": {"unschedulable": True}}, OURS),
}


@pytest.mark.parametrize(("text", "given"), MARKS.items(), ids=MARKS)
def test_mark(text: str, given: tuple[str, str]) -> None:
    assert drain.mark(*given) == text


def test_a_mark_is_not_longer_than_people_read() -> None:
    long = drain.mark("partition", "x" * 300)
    assert (len(long), long[-5:]) == (200, "xx...")


@pytest.mark.parametrize(("out", "reason", "standing"), STANDINGS)
def test_standing(out: bool, reason: str, standing: str) -> None:
    assert drain.standing(out, reason, "partition") == standing


@pytest.mark.parametrize(("node", "said"), NODES.values(), ids=NODES)
def test_cordon(node: dict[str, t.Any], said: dict[str, t.Any]) -> None:
    assert drain.cordon(node, "partition") == said


@pytest.mark.parametrize(("found", "words", "wanted"), [
    ("open", "x", True), ("open", "", True), ("foreign", "x", False), ("ours", "", False), ("ours", "x", False), ("ours", "y", True)])
def test_what_is_marked_already_is_not_marked_again(found: str, words: str, wanted: bool) -> None:
    assert drain.to_mark(found, "instinct.fleet: upgrade: x", "upgrade", words) is wanted


@pytest.mark.parametrize("node", [None, [], {}, {"spec": {}}, {"metadata": {}}])
def test_what_is_no_node_is_refused(node: object) -> None:
    with pytest.raises(DataError, match=r"^kubernetes node: has no spec or no metadata; "):
        drain.cordon(node, "partition")


def test_a_node_that_takes_jobs_again_is_refused() -> None:
    for found in ("ours", "foreign"):
        drain.refuse_open("slurm node n1", found)
    with pytest.raises(FleetError, match=r"^slurm node n1: was given back by somebody while its jobs were waited for; "):
        drain.refuse_open("slurm node n1", "open")


def test_jobs_that_are_waited_for() -> None:
    jobs = [Job(str(n), "RUNNING", "a") for n in range(7)]
    assert [drain.waiting(jobs[:n]) for n in (0, 1, 2)] == ["", "1 job (0 of a)", "2 jobs (0 of a, 1 of a)"]
    assert drain.waiting(jobs) == "7 jobs (0 of a, 1 of a, 2 of a, 3 of a, 4 of a and 2 more)"


def test_jobs_that_are_left() -> None:
    drain.refuse_jobs("slurm node n1", (), 5)
    with pytest.raises(FleetError, match=r"^slurm node n1: 1 job is still on it \(7 of alice\); it stays drained: "):
        drain.refuse_jobs("slurm node n1", (Job("7", "RUNNING", "alice"),), 0)
    with pytest.raises(FleetError, match=r"^slurm node n1: 1 job is still on it after 5 s \(7 of alice\); it stays drained: "):
        drain.refuse_jobs("slurm node n1", (Job("7", "RUNNING", "alice"),), 5)
    with pytest.raises(FleetError, match=r": 7 jobs are still on it after 5 s \(0 of a, 1 of a, 2 of a, 3 of a, 4 of a and 2 more\)"):
        drain.refuse_jobs("slurm node n1", [Job(str(n), "RUNNING", "a") for n in range(7)], 5)
