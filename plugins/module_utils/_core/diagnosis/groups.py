# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The same trouble on many nodes: findings put together by what is wrong, not by where."""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t

from ..findings import NODE, SEVERITIES

Given = t.Mapping[str, t.Any]
ANY = "*"
_FEW = 2  # GPUs that show whom a fault is about whose lines name none
_SHOWN = 4  # of what a finding is about; files have all
# What differs from node to node though the trouble is the same: addresses, processes, counts. Versions, with their
# points and hyphens, do not: they tell one trouble from another.
_PLACES = (
    (re.compile(r"\b(?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]\b"), ANY),
    (re.compile(r"\bpids? \d+(?:, \d+)*(?: \([^()]*\))?"), f"pid {ANY}"),
    (re.compile(r"\b0x[0-9a-f]+\b", re.IGNORECASE), ANY),
    (re.compile(r"(?<![\w.:/-])\d+(?!\w|[.:/-]\w)"), ANY),
)


@dc.dataclass(frozen=True)
class Group:
    """Nodes that have the same trouble.

    Attributes:
        id: of the finding; failed or unreachable for nodes that have no diagnosis.
        severity: one of SEVERITIES; error for nodes without a diagnosis.
        domain: who has to act; empty for nodes without a diagnosis.
        words: what is wrong, with ``*`` where nodes differ.
        remedy: what to do next; empty if that is not known.
        sources: where it is documented.
        nodes: their names, in order.
        subjects: by node, which of its GPUs, processes or files have it, where words do not say so already.
    """

    id: str
    severity: str
    domain: str
    words: str
    remedy: str
    sources: tuple[str, ...]
    nodes: tuple[str, ...]
    subjects: t.Mapping[str, tuple[str, ...]] = dc.field(default_factory=dict)


def generic(words: str) -> str:
    """Words without what is particular to one node."""
    for pattern, place in _PLACES:
        words = pattern.sub(place, words)
    return words


def places(findings: t.Iterable[Given], words: str) -> tuple[str, ...]:
    """What findings are about, where their words do not say so: GPUs, processes, files.

    A fault whose lines name no GPU is about those that show what follows from it, if they are few.
    """
    found: dict[str, None] = {}
    for finding in findings:
        subject = finding.get("subject", NODE)
        mine = [subject] if subject != NODE else []
        if not mine and finding.get("kind") == "fault":
            after = dict.fromkeys(item.get("subject", NODE) for item in finding["consequences"])
            after.pop(NODE, None)
            mine = list(after) if len(after) <= _FEW else []
        found.update(dict.fromkeys(place for place in mine if place and place not in words))
    return tuple(found)


def bracketed(subjects: t.Sequence[str]) -> str:
    """The same behind words, in brackets; nothing if there is nothing to say."""
    more = f" and {len(subjects) - _SHOWN} more" if len(subjects) > _SHOWN else ""
    return f" [{', '.join(subjects[:_SHOWN])}{more}]" if subjects else ""


def groups(findings_of: t.Iterable[tuple[str, t.Sequence[Given]]]) -> tuple[Group, ...]:
    """Findings of many nodes by what is wrong: most severe first, then those of most nodes.

    Args:
        findings_of: names of nodes and their root findings as plain data.
    """
    found: dict[tuple[str, str], list[tuple[str, Given]]] = {}
    for node, findings in findings_of:
        for finding in findings:
            found.setdefault((finding["id"], generic(finding["summary"])), []).append((node, finding))
    made = [_group(members) for members in found.values()]
    return tuple(sorted(made, key=lambda group: (-SEVERITIES.index(group.severity), -len(group.nodes))))


def _group(members: list[tuple[str, Given]]) -> Group:
    """Nodes with one trouble; the first of them tells what they have in common."""
    first = members[0][1]
    by_node: dict[str, list[Given]] = {}
    for node, finding in members:
        by_node.setdefault(node, []).append(finding)
    words = _common(members, "summary")
    about = {node: subjects for node, findings in by_node.items() if (subjects := places(findings, words))}
    return Group(first["id"], first["severity"], first["domain"], words, _common(members, "remedy"),
                 tuple(first["sources"]), tuple(by_node), about)


def _common(members: list[tuple[str, Given]], key: str) -> str:
    """Words of findings: as they are if they are the same, else what they have in common."""
    words: str = members[0][1][key]
    return words if all(finding[key] == words for _node, finding in members) else generic(words)
