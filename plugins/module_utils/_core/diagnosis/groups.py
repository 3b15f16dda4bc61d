# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The same trouble on many nodes: findings put together by what is wrong, not by where."""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t

from ..findings import SEVERITIES

Given = t.Mapping[str, t.Any]
ANY = "*"
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
    """

    id: str
    severity: str
    domain: str
    words: str
    remedy: str
    sources: tuple[str, ...]
    nodes: tuple[str, ...]


def generic(words: str) -> str:
    """Words without what is particular to one node."""
    for pattern, place in _PLACES:
        words = pattern.sub(place, words)
    return words


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
    nodes = tuple(dict.fromkeys(node for node, _finding in members))
    return Group(first["id"], first["severity"], first["domain"], _common(members, "summary"),
                 _common(members, "remedy"), tuple(first["sources"]), nodes)


def _common(members: list[tuple[str, Given]], key: str) -> str:
    """Words of findings: as they are if they are the same, else what they have in common."""
    words: str = members[0][1][key]
    return words if all(finding[key] == words for _node, finding in members) else generic(words)
