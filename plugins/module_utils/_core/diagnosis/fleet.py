# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The diagnoses of many nodes side by side: as data of a documented form, and as a table for people."""

from __future__ import annotations

import dataclasses as dc
import textwrap
import typing as t

from ..findings import NODE
from ..plan import grid
from ..plan.grid import plain
from ..plan.tally import FAILED, ORDER, many, silence, summary
from .groups import Group, bracketed, generic, groups, places

Given = t.Mapping[str, t.Any]
HEADINGS = ("node", "GPUs", "verdict", "root finding", "next action")
DIAGNOSED = "diagnosed"
_GROUPS = 50  # root causes that are shown; files have all
_DETAILED = 20  # nodes whose findings are shown with all that stands behind them
_ACTION = 60  # characters of a next action in the table: below it stands the whole
_EVIDENCE = 4  # lines of evidence of a finding that are shown


@dc.dataclass(frozen=True)
class Node:
    """One node: its diagnosis as plain data, or why there is none."""

    node: str
    status: str = FAILED
    reason: str = ""
    diagnosis: Given = dc.field(default_factory=dict)

    @property
    def verdict(self) -> str:
        """Of the diagnosis; the status of a node that has none."""
        return str(self.diagnosis["verdict"]) if self.status == DIAGNOSED else self.status

    @property
    def roots(self) -> list[Given]:
        """What is wrong with it, as groups are made of: findings that ask for something, or why there is none."""
        if self.status == DIAGNOSED:
            return [f for f in self.diagnosis["findings"] if f["severity"] != "info"]
        return [{"id": self.status, "severity": "error", "domain": "", "summary": f"{self.status}: {self.reason}",
                 "remedy": "", "sources": ()}]

    def to_dict(self) -> dict[str, t.Any]:
        """Plain data without the diagnosis itself: the form that fleet_diagnose_report documents."""
        known = self.diagnosis
        return {"status": self.status, "verdict": self.verdict, "reason": self.reason or None,
                "root": known.get("root"), "summary": plain(known.get("summary", self.reason)),
                "next_action": plain(known.get("next_action", "")), "findings": len(known.get("findings", ()))}


def node(name: str, result: Given | None, error: str = "") -> Node:
    """One node from what its task returned.

    Args:
        name: its name in the inventory, or of a bundle.
        result: of fleet_diagnose, if there is one.
        error: why the node failed, if that is known from elsewhere.
    """
    said = result or {}
    if "diagnosis" in said and not (said.get("failed") or said.get("unreachable")):
        return Node(plain(said.get("node") or name), DIAGNOSED, diagnosis=said["diagnosis"])
    return Node(plain(name), *silence(said, error, "it has no diagnosis"))


def grouped(nodes: t.Sequence[Node]) -> tuple[Group, ...]:
    """What is wrong in the fleet, by root cause."""
    return groups((n.node, n.roots) for n in nodes)


def table(nodes: t.Sequence[Node], width: int, rows: int, details: bool = False) -> str:
    """The table as text, at most ``width`` wide; below it the root causes, each once for all nodes that have it.

    Args:
        nodes: in the order of the inventory.
        width: columns of the output.
        rows: so many nodes at most; if there are more, the worst.
        details: also show findings with evidence and consequences, and what could not be read.
    """
    if not nodes:
        return summary(nodes)
    worst = sorted(nodes, key=lambda n: ORDER.index(n.verdict))[:rows]
    shown = nodes if len(nodes) <= rows else [n for n in worst if n.verdict != "pass"]
    lines = grid.table(HEADINGS, [_cells(n) for n in shown], width) if shown else []
    lines += [f"and {many(len(nodes) - len(shown))} more"] if len(shown) < len(nodes) else []
    causes = grouped(nodes)
    for group in causes[:_GROUPS]:
        lines += grid.headed(f"{many(len(group.nodes))}: {plain(group.words)}", _below(group), width)
    lines += ["", f"and {len(causes) - _GROUPS} more root causes"] if len(causes) > _GROUPS else []
    for item in shown[:_DETAILED] if details else ():
        lines += grid.headed(f"{item.node}:", _details(item), width)
    return "\n".join([*lines, "", summary(nodes)])


def _below(group: Group) -> tuple[str, ...]:
    """What stands below a root cause: the next step, and whom it is about."""
    names = [plain(name + bracketed(group.subjects.get(name, ()))) for name in group.nodes]
    return (*([f"next: {plain(group.remedy)}"] if group.remedy else []), grid.names(names))


def _cells(item: Node) -> tuple[str, ...]:
    if item.status != DIAGNOSED:
        return item.node, "-", item.status, plain(item.reason) or "-", "-"
    known = item.diagnosis
    root, wanting = known["root"], item.roots
    alike = [f for f in wanting if root and _same(f, root)]
    about = bracketed(places(alike, known["summary"]))
    others = len(wanting) - max(len(alike), 1)
    more = f" (and {others} more)" if others > 0 else ""
    return (item.node, plain(known["seen"].get("gpus", "")) or "-", item.verdict,
            plain(known["summary"] + about) + more, _action(plain(known["next_action"]), wanting))


def _action(words: str, wanting: t.Sequence[Given]) -> str:
    """A next action for the table: its beginning, if the whole stands below with its root cause."""
    below = any(plain(finding["remedy"]) == words for finding in wanting)
    return textwrap.shorten(words, _ACTION, placeholder=" ...") if below else words


def _same(one: Given, other: Given) -> bool:
    """Whether two findings of a node are one trouble of several GPUs."""
    return bool(one["id"] == other["id"] and generic(one["summary"]) == generic(other["summary"]))


def follow(finding: Given) -> list[str]:
    """What follows from a finding, in words; what is the same of several GPUs once."""
    found: dict[tuple[str, str], list[str]] = {}
    for item in finding["consequences"]:
        found.setdefault((item["id"], generic(item["summary"])), []).append(item["summary"])
    return [f"{words[0]} [{ident}]" + (f", and {len(words) - 1} more of these" if len(words) > 1 else "")
            for (ident, _words), words in found.items()]


def _details(item: Node) -> tuple[str, ...]:
    """All that stands behind the diagnosis of one node, a line each."""
    lines = []
    for finding in item.diagnosis.get("findings", ()):
        about = "" if finding["subject"] == NODE else f" of {finding['subject']}"
        lines.append(f"{finding['severity']}, {finding['domain']}{about}: {finding['summary']} [{finding['id']}]")
        lines.append(f"because {finding['cause']}")
        lines += [f"seen: {line}" for line in finding["evidence"][:_EVIDENCE]]
        lines += [f"follows: {words}" for words in follow(finding)]
    lines += [f"not read: {part['what']}: {part['why']}" for part in item.diagnosis.get("unknown", ())]
    lines += [f"file {line}" for line in item.diagnosis.get("files", ())]
    return tuple(map(plain, lines)) or (plain(item.reason) or "nothing more is known",)
