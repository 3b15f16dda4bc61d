# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The gates of many nodes side by side: as data of a documented form, and as a table for people."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..plan import grid, tally
from ..plan.grid import plain

Given = t.Mapping[str, t.Any]
HEADINGS = ("node", "GPUs", "verdict", "worst check", "next action")
GATED = "gated"


@dc.dataclass(frozen=True)
class Node:
    """One node: what gpu_health_gate returned of it, or why it has no verdict."""

    node: str
    status: str = tally.FAILED
    reason: str = ""
    gate: Given = dc.field(default_factory=dict)

    @property
    def verdict(self) -> str:
        """Of the gate; the status of a node that has none."""
        return str(self.gate["verdict"]) if self.status == GATED else self.status

    @property
    def lines(self) -> tuple[str, ...]:
        """What is not as it should be, and what began anew."""
        notes = (self.gate.get("baseline") or {}).get("notes", ())
        return tuple(map(plain, (*self.gate.get("evidence", ()), *notes)))

    def to_dict(self) -> dict[str, t.Any]:
        """Plain data: the form that fleet_gate_report documents."""
        names = ("profile", "gpus", "evidence", "next_action", "quarantine", "baseline", "checks")
        return {"status": self.status, "verdict": self.verdict, "reason": self.reason or None,
                **{name: self.gate.get(name) for name in names}}


def node(name: str, result: Given | None, error: str = "") -> Node:
    """One node from what its task returned.

    Args:
        name: its name in the inventory.
        result: of gpu_health_gate, if there is one.
        error: why the node failed, if that is known from elsewhere.
    """
    said = result or {}
    if "verdict" in said and "checks" in said and not said.get("unreachable"):
        return Node(plain(name), GATED, gate=said)
    return Node(plain(name), *tally.silence(said, error, "it was not gated"))


def table(nodes: t.Sequence[Node], width: int) -> str:
    """The table as text, at most ``width`` wide; below it all checks that are not as they should be."""
    if not nodes:
        return tally.summary(nodes)
    lines = grid.table(HEADINGS, [_cells(n) for n in nodes], width)
    lines += grid.grouped("checks of", ((n.node, n.lines) for n in nodes), width)
    return "\n".join([*lines, "", tally.summary(nodes)])


def _cells(item: Node) -> tuple[str, ...]:
    if item.status != GATED:
        return item.node, "-", item.status, item.reason or "-", "-"
    gpus, evidence = item.gate["gpus"], item.gate["evidence"]
    good = sum(verdict in ("pass", "warn") for verdict in gpus.values())
    more = f" (and {len(evidence) - 1} more)" if len(evidence) > 1 else ""
    return (item.node, f"{good} of {len(gpus)} may work", item.verdict, plain(evidence[0]) + more if evidence else "-",
            plain(item.gate["next_action"]) or "-")
