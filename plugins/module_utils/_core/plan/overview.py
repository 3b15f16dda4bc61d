# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The plans of many nodes side by side: as data of a documented form, and as a table for people."""

from __future__ import annotations

import collections
import dataclasses as dc
import typing as t

from . import grid, tally
from .grid import plain

INVENTORY, RECORDED = "inventory", "recorded"
HEADINGS = ("node", "GPUs", "found", "wanted", "would change", "interrupts", "verdict")
DRIFT_HEADINGS = ("node", "GPUs", "recorded", "by the run of", "differs", "inventory", "verdict")
# What matters most to a person comes first. The rest follows in the order of the plan.
WEIGHTY = ("reboot", "load", "flash", "install", "remove", "evict", "adopt", "build", "activate", "boot", "group")
_SHORT = 48  # characters of a step in a cell
Given = t.Mapping[str, t.Any]


@dc.dataclass(frozen=True)
class Node:
    """What is planned for one node, or why nothing is.

    Attributes:
        node: its name in the inventory.
        status: planned, refused, failed, unreachable, or unrecorded (nothing to hold the node against).
        reason: why there is no plan, in one sentence; empty if there is one.
        failure: the parts of a refusal; empty if it was none.
        steps: role, action, words, before and after of each step, in order.
        reboot, reload: why one is needed; empty if none is.
        restarts: services that restart.
        notes, problems: as in Plan.
        drift: how the node differs from what it recorded; empty when it is held against the inventory.
    """

    node: str
    status: str = "failed"
    reason: str = ""
    failure: Given = dc.field(default_factory=dict)
    gpus: str = ""
    found: str = ""
    wanted: str = ""
    steps: tuple[Given, ...] = ()
    reboot: str = ""
    reload: str = ""
    restarts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    drift: Given = dc.field(default_factory=dict)

    @property
    def due(self) -> bool:
        """Whether something would change, or differs from the record. A reboot is due though nobody allowed it."""
        return bool(self.drift.get("differences") if self.drift else self.steps or self.reboot)

    @property
    def settled(self) -> bool:
        """Whether the plan is all there is to know: the node has one, and it leaves no problem."""
        return self.status == "planned" and not self.problems

    @property
    def verdict(self) -> str:
        """How it is with the node, in few words; more follow a colon."""
        if self.status != "planned":
            return f"{self.status}: {self.reason}" if self.reason else self.status
        if self.problems:
            return "problem: " + "; ".join(self.problems)
        if self.drift:
            return "drifted" if self.due else "as recorded"
        return ("changes due" if self.steps else "reboot due") if self.due else "as wanted"

    def to_dict(self) -> dict[str, t.Any]:
        """Plain data: the form that fleet_plan_report documents."""
        data = {f.name: getattr(self, f.name) for f in dc.fields(self) if f.name != "node"}
        lists = {name: list(value) for name, value in data.items() if isinstance(value, tuple)}
        needs = {name: {"needed": bool(data[name]), "why": data[name]} for name in ("reboot", "reload")}
        empty = {name: data[name] or None for name in ("reason", "failure", "drift")}
        return {**data, **lists, **needs, **empty, "verdict": self.verdict, "due": self.due}


def node(name: str, look: Given | None, plan: Given | None, error: str = "") -> Node:
    """One node from what its tasks returned.

    Args:
        name: its name in the inventory.
        look: the result of gpu_node_info, if there is one.
        plan: the result of fleet_plan, if there is one.
        error: why the node failed, if that is known from elsewhere.
    """
    if look and look.get("unreachable"):
        return Node(plain(name), "unreachable", plain(look.get("msg", "")))
    if plan and "plans" in plan:
        return _planned(plain(name), plan)
    said = next((r for r in (plan, look) if r and r.get("failed")), {})
    status = "refused" if said.get("failure") else "failed"
    seen = said.get("seen") or {}
    reason = plain(said.get("msg") or error) or "it has no plan"
    return Node(plain(name), status, reason, failure=said.get("failure") or {},
                gpus=plain(seen.get("gpus", "")), found=plain(seen.get("found", "")))


def _planned(name: str, result: Given) -> Node:
    plans = list(result["plans"].values())
    report = result.get("report") or {}
    drift = result.get("drift") or {}
    unrecorded = drift.get("unrecorded", "")
    steps = tuple({"role": plan["role"], **{key: _text(step, key) for key in ("action", "words", "before", "after")}}
                  for plan in plans for step in plan["steps"])
    return Node(
        name, "unrecorded" if unrecorded else "planned", unrecorded,
        gpus=plain(report.get("gpus", "")), found=plain(report.get("found", "")),
        wanted=plain(report.get("wanted", "")),
        steps=steps, drift=drift,
        # The last that needs one is node_maintenance, which has the reasons of all.
        reboot=next((plan["reboot"] for plan in reversed(plans) if plan["reboot"]), ""),
        reload=next((plan["reload"] for plan in plans if plan["reload"]), ""),
        restarts=_all(plans, "restarts"), notes=_all(plans, "notes"), problems=_all(plans, "problems"),
    )


def _text(step: Given, key: str) -> str:
    """A word of a step; before and after keep their lines."""
    return str(step[key]) if key in ("before", "after") else plain(step[key])


def _all(plans: t.Sequence[Given], key: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(plain(text) for plan in plans for text in plan[key]))


def counts(nodes: t.Sequence[Node]) -> dict[str, int]:
    """How many nodes have which verdict, in order of appearance."""
    return dict(collections.Counter(n.verdict.partition(":")[0] for n in nodes))


def summary(nodes: t.Sequence[Node]) -> str:
    """One line: how many nodes, and how it is with them."""
    return tally.line(len(nodes), counts(nodes))


def table(nodes: t.Sequence[Node], against: str, width: int) -> str:
    """The table as text, at most ``width`` wide. Below it, once for all nodes that have the same: all steps or
    differences, and notes. Last how it is with the fleet."""
    if not nodes:
        return summary(nodes)
    drift = against == RECORDED
    rows = [_drift_cells(n) if drift else _cells(n) for n in nodes]
    lines = grid.table(DRIFT_HEADINGS if drift else HEADINGS, rows, width)
    words = ((n.node, _differences(n) if drift else tuple(s["words"] for s in n.steps)) for n in nodes)
    lines += grid.grouped("differences on" if drift else "steps on", words, width)
    lines += grid.grouped("notes on", ((n.node, n.notes) for n in nodes), width)
    return "\n".join([*lines, "", summary(nodes)])


def _cells(item: Node) -> tuple[str, ...]:
    planned = item.status == "planned"
    return (item.node, item.gpus or "-", item.found or "-", item.wanted or "-",
            _change(item) if planned else "-", _interrupts(item) if planned else "-", item.verdict)


def _change(item: Node) -> str:
    many = len(item.steps)
    if not many:
        return "nothing"
    order = {action: place for place, action in enumerate(WEIGHTY)}
    first = sorted(item.steps, key=lambda step: order.get(step["action"], len(order)))[:2]
    return f"{many} step{'' if many == 1 else 's'}: " + "; ".join(map(_short, first)) + (" ..." if many > 2 else "")


def _short(step: Given) -> str:
    """A step in few words: of packages their names, of all others the beginning."""
    side = {"install": "after", "remove": "before"}.get(step["action"])
    names = [line.split()[0] for line in step[side].splitlines() if line.strip()] if side else []
    if not names:
        words: str = step["words"]
        return words if len(words) <= _SHORT else words[:_SHORT - 3].rstrip() + "..."
    more = f" and {len(names) - 2} more" if len(names) > 2 else ""
    return f"{step['action']} {', '.join(names[:2])}{more}"


def _interrupts(item: Node) -> str:
    """What work on the node would feel, and why."""
    allowed = any(step["action"] == "reboot" for step in item.steps)
    parts = [
        f"reboot{'' if allowed else ' (not allowed)'}: {item.reboot}" if item.reboot else "",
        f"driver reload: {item.reload}" if item.reload else "",
        f"restart of {', '.join(item.restarts)}" if item.restarts else "",
    ]
    return "; ".join(filter(None, parts)) or "nothing"


def _differences(item: Node) -> tuple[str, ...]:
    return (*map(plain, item.drift.get("differences", ())), *map(plain, item.drift.get("moved", ())))


def _drift_cells(item: Node) -> tuple[str, ...]:
    drift = item.drift
    run = " ".join(filter(None, (plain(drift.get("when") or ""), plain(drift.get("who") or ""))))
    step = f"{plain(drift.get('before') or 'nothing')} -> {plain(drift['after'])}" if drift.get("after") else ""
    differs = len(drift.get("differences", ()))
    moved = len(drift.get("moved", ()))
    known = item.status == "planned"
    return (item.node, item.gpus or "-", plain(drift.get("release") or "") or "-",
            ": ".join(filter(None, (run, step))) or "-",
            (f"{differs} point{'' if differs == 1 else 's'}" if differs else "nothing") if known else "-",
            (f"{moved} changed since" if moved else "as recorded") if known else "-", item.verdict)
