# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Nodes of the inventory that have one name in their scheduler: who takes one of them out of work takes the other."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..plan.grid import plain
from . import shape
from .shape import Candidate

_PREFIX = "node_maintenance_"
_SCHEDULER, _NAME = f"{_PREFIX}scheduler", f"{_PREFIX}scheduler_name"
# What tells one cluster from another.
_CLUSTER = tuple(_PREFIX + name for name in ("scheduler_host", "kubernetes_kubeconfig", "kubernetes_context"))
VARIABLES = (_SCHEDULER, _NAME, *_CLUSTER)  # of role node_maintenance
Name = tuple[str, ...]  # scheduler and name, then what tells the cluster; empty without a scheduler


def name(node: str, said: t.Mapping[str, t.Any]) -> Name:
    """The name that a node has in its scheduler.

    Args:
        node: its name in the inventory.
        said: VARIABLES of it, as far as the inventory says them.
    """
    scheduler = str(said.get(_SCHEDULER) or "none")
    if scheduler == "none":
        return ()
    return (scheduler, str(said.get(_NAME) or node.partition(".")[0]), *(str(said.get(one) or "") for one in _CLUSTER))


def refused(candidates: t.Sequence[Candidate], names: t.Mapping[str, Name]) -> list[Candidate]:
    """The same, with those refused that are not the only one of their name; a node that has none is in no one's way."""
    owners: dict[Name, list[str]] = {}
    for node, its in names.items():
        owners.setdefault(its, []).append(node)
    twins = {node: its for its, nodes in owners.items() if its and len(nodes) > 1 for node in nodes}
    return [dc.replace(one, status=shape.REFUSED, reason=_why(twins[one.node])) if one.node in twins else one
            for one in candidates]


def _why(its: Name) -> str:
    return (f"more than one node of the inventory is {plain(its[1])} in {plain(its[0])}; set {_NAME}, or "
            f"{_CLUSTER[0]} where they are of different clusters")
