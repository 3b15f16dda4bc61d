# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes with one name in their scheduler are refused; in another cluster, or without a scheduler, they have none in common."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout import schedule, twins
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.shape import Candidate, Policy
from ansible_collections.instinct.fleet.tests.unit.support.project import data

SLURM = {"node_maintenance_scheduler": "slurm"}
KUBE = {"node_maintenance_scheduler": "kubernetes"}

# node, what the inventory says of it -> its name
NAMES: dict[str, tuple[str, dict[str, t.Any], twins.Name]] = {
    "no scheduler": ("n1", {}, ()),
    "none": ("n1", {"node_maintenance_scheduler": "none", "node_maintenance_scheduler_name": "x"}, ()),
    "its own": ("n1", SLURM, ("slurm", "n1", "", "", "")),
    "the first part of its own": ("n1.hall.example", {**SLURM, "node_maintenance_scheduler_name": None}, ("slurm", "n1", "", "", "")),
    "another": ("n1", {**KUBE, "node_maintenance_scheduler_name": "a", "node_maintenance_kubernetes_kubeconfig": "/k",
                       "node_maintenance_kubernetes_context": "c", "node_maintenance_scheduler_host": "h"}, ("kubernetes", "a", "h", "/k", "c")),
}


@pytest.mark.parametrize(("node", "said", "name"), NAMES.values(), ids=NAMES)
def test_name(node: str, said: dict[str, t.Any], name: twins.Name) -> None:
    assert twins.name(node, said) == name


def test_its_variables_are_those_of_the_role() -> None:
    specs = t.cast("dict[str, t.Any]", data("roles/node_maintenance/meta/argument_specs.yml"))
    assert set(twins.VARIABLES) <= set(specs["argument_specs"]["drain"]["options"])


def told(nodes: dict[str, twins.Name]) -> dict[str, str]:
    states = ("due", "as wanted", "unreachable", "failed before")
    found = twins.refused([Candidate(node, states[number % 4]) for number, node in enumerate(nodes)], nodes)
    return {one.node: f"{one.status}: {one.reason}" if one.reason else one.status for one in found}


def test_who_shares_a_name_is_refused() -> None:
    here, there = twins.name("n1.a", SLURM), twins.name("n1.b", {**SLURM, "node_maintenance_scheduler_host": "other"})
    assert told({"n1.a": here, "n1.b": there, "n2": ("slurm", "n2", "", "", "")}) == {"n1.a": "due", "n1.b": "as wanted", "n2": "unreachable"}
    assert told({"n1": (), "n2": ()}) == {"n1": "due", "n2": "as wanted"}
    why = ("refused: more than one node of the inventory is n1 in slurm; set node_maintenance_scheduler_name, or node_maintenance_scheduler_host "
           "where they are of different clusters")
    assert told({"n1.a": here, "n1.b": here, "n2": there, "n1.c": here}) == {"n1.a": why, "n1.b": why, "n2": "unreachable", "n1.c": why}


def test_the_refusal_names_both() -> None:
    name = twins.name("n1", SLURM)
    nodes = twins.refused([Candidate("n1.a", "due"), Candidate("n1.b", "due")], {"n1.a": name, "n1.b": name})
    assert schedule.refusal(nodes, Policy(), 0).startswith("no node was touched: n1.a, n1.b refused: more than one node of the inventory is n1 in slurm")
