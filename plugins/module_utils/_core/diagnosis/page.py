# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Diagnoses as Markdown: a page for one node, and one for the fleet. Words of hosts stay words there, too."""

from __future__ import annotations

import re
import typing as t

from ..plan.grid import plain
from ..plan.tally import many, summary
from .fleet import DIAGNOSED, Node, follow, grouped
from .groups import Group, bracketed

Given = t.Mapping[str, t.Any]
_MARKS = re.compile(r"([\\`*_{}\[\]<>#|~!&])")
_NAMES = {"os": "System", "kernel": "Kernel", "driver": "Driver", "rocm": "ROCm", "gpus": "GPUs"}
_GROUP_NODES = 200  # nodes that a root cause names


def escaped(words: t.Any) -> str:
    """One line of text that Markdown shows as it is."""
    return _MARKS.sub(r"\\\1", plain(words))


def page(item: Node) -> str:
    """The page of one node."""
    lines = [f"# {escaped(item.node)}: {item.verdict}", ""]
    if item.status != DIAGNOSED:
        return "\n".join([*lines, f"{escaped(item.reason) or 'It has no diagnosis'}.", ""])
    known = item.diagnosis
    lines += [f"**{escaped(known['summary'])}**", "", f"Next: {escaped(known['next_action'])}", ""]
    lines += [f"* {name}: {escaped(known['seen'].get(key, '')) or 'not known'}" for key, name in _NAMES.items()]
    lines += ["", "## Findings", ""]
    for finding in known["findings"]:
        lines += _finding(finding)
    lines += [] if known["findings"] else ["None.", ""]
    lines += _table("What was judged and is not as it should be", ("check", "of", "verdict", "wanted", "seen"),
                    [(c["id"], ", ".join(c["subjects"]), c["verdict"], c["wanted"], c["seen"])
                     for c in known["checks"]["open"]])
    lines += _table("What could not be read", ("what", "why"), [(u["what"], u["why"]) for u in known["unknown"]])
    files = [f"* {escaped(line)}" for line in known.get("files", ())]
    lines += ["## What the files told", "", *files, ""] if files else []
    return "\n".join(lines)


def _finding(finding: Given) -> list[str]:
    head = f"{finding['severity']}, {finding['domain']}, {finding['subject']}, seen {finding['count']} time"
    lines = [f"### {escaped(finding['summary'])}", "",
             f"{escaped(finding['id'])}: {escaped(head)}{'' if finding['count'] == 1 else 's'}.", "",
             f"Why: {escaped(finding['cause'])}", "", f"Next: {escaped(finding['remedy'])}", ""]
    # Four blanks make it code, whatever is in it: nothing ends such a block but a line without them.
    lines += [*(f"    {plain(line)}" for line in finding["evidence"]), ""] if finding["evidence"] else []
    after = [f"* {escaped(words)}" for words in follow(finding)]
    lines += ["What follows from it:", "", *after, ""] if after else []
    return lines + [f"Source: {escaped(source)} ({finding['confidence']})\n" for source in finding["sources"]]


def _table(heading: str, headings: tuple[str, ...], rows: t.Sequence[tuple[t.Any, ...]]) -> list[str]:
    if not rows:
        return []
    lines = [f"| {' | '.join(row)} |" for row in (headings, ("---",) * len(headings))]
    lines += [f"| {' | '.join(map(escaped, row))} |" for row in rows]
    return [f"## {heading}", "", *lines, ""]


def fleet_page(nodes: t.Sequence[Node], pages: t.Mapping[str, str]) -> str:
    """The page of the fleet.

    Args:
        nodes: in the order of the inventory.
        pages: names of nodes to the names of their files, without ending.
    """
    lines = ["# Diagnosis", "", f"{escaped(summary(nodes))}.", "", "## Root causes", ""]
    causes = grouped(nodes)
    for group in causes:
        named = [_link(name, pages) + _about(group, name) for name in group.nodes[:_GROUP_NODES]]
        named += [f"and {len(group.nodes) - _GROUP_NODES} more"] if len(group.nodes) > _GROUP_NODES else []
        lines += [f"### {many(len(group.nodes))}: {escaped(group.words)}", "",
                  *([f"Next: {escaped(group.remedy)}", ""] if group.remedy else []), ", ".join(named), ""]
    lines += [] if causes else ["None.", ""]
    rows = ["| node | verdict | root finding | next action |", "|---|---|---|---|"]
    for item in nodes:
        said = item.to_dict()
        rows.append(f"| {_link(item.node, pages)} | {item.verdict} | {escaped(said['summary'])} "
                    f"| {escaped(said['next_action'])} |")
    return "\n".join([*lines, "## Nodes", "", *rows, ""])


def _about(group: Group, node: str) -> str:
    """Which GPUs of a node have a trouble, behind its name."""
    subjects = bracketed(group.subjects.get(node, ()))
    return f" {escaped(subjects)}" if subjects else ""


def _link(name: str, pages: t.Mapping[str, str]) -> str:
    return f"[{escaped(name)}]({pages[name]}.md)" if name in pages else escaped(name)
