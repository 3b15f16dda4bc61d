# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Which findings are the cause, and which only follow from them."""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t

from ..findings import SEVERITIES, Finding

# Lines that a cause may come after its consequence: what belongs to one event is written by several processors.
TOLERANCE = 10
_GPU = re.compile(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")
_LAST = float("inf")

_Edges = list[list[int]]


@dc.dataclass(frozen=True)
class Ranked:
    """A finding that no other explains, with all that follows from it in the order of the log."""

    finding: Finding
    consequences: tuple[Finding, ...] = ()


def rank(findings: t.Iterable[Finding]) -> tuple[Ranked, ...]:
    """Fold each finding under the one that it follows from; the most severe cause comes first.

    Every finding is in the result exactly once. Where findings explain each other, the earliest of them leads; what
    follows from several causes is told under the most important one.
    """
    nodes = sorted(findings, key=_in_time)
    edges = _edges(nodes)
    reached = [(root, _reach(root, nodes, edges)) for root in _roots(nodes, edges)]
    # Most severe first, counting what follows; then the one that explains most; then the earliest.
    reached.sort(key=lambda item: (-max(_severity(nodes[i]) for i in item[1]), -len(item[1]), item[0]))
    taken: set[int] = {root for root, _all in reached}
    ranked = []
    for root, everything in reached:
        mine = sorted(everything - taken)
        taken.update(mine)
        ranked.append(Ranked(nodes[root], tuple(nodes[i] for i in mine)))
    return tuple(ranked)


def _severity(finding: Finding) -> int:
    return SEVERITIES.index(finding.severity)


def _in_time(finding: Finding) -> tuple[t.Any, ...]:
    """The order of the log, and beyond that one that does not depend on the order of the input.

    An event that begins with the line of another finding comes after that.
    """
    first = _LAST if finding.first is None else finding.first
    return (first, finding.together > 0, -_severity(finding), finding.id, finding.subject, finding.origin,
            repr(finding))


def _edges(nodes: t.Sequence[Finding]) -> _Edges:
    """For each finding, which others it explains by itself."""
    places: dict[str, list[int]] = {}
    for place, node in enumerate(nodes):
        places.setdefault(node.id, []).append(place)
    return [[other for ident in dict.fromkeys((*node.explains, *node.announced_by)) for other in places.get(ident, ())
             if other != place and _explains(node, place, nodes[other], other)] for place, node in enumerate(nodes)]


def _explains(cause: Finding, place: int, other: Finding, other_place: int) -> bool:
    if cause.id == other.id and cause.together:
        return cause.origin == other.origin and _one_event(cause, other)
    if cause.id == other.id:  # an echo: of any GPU, but afterwards
        return place < other_place and cause.origin == other.origin and None not in (cause.first, other.first)
    near = _passed(cause, other, _gpu(cause)) is not None
    announced = other.id in cause.announced_by  # however long before
    if announced or cause.first is None or other.first is None or cause.origin != other.origin:
        return near
    return near and cause.first <= other.first + TOLERANCE


def _one_event(one: Finding, two: Finding) -> bool:
    """Whether two GPUs begin or end the same together: neither is the cause, and what explains one explains both."""
    ends = [[line for line in (finding.first, finding.last) if line is not None] for finding in (one, two)]
    return any(abs(mine - its) <= one.together for mine in ends[0] for its in ends[1])


def _gpu(finding: Finding) -> str:
    """The GPU that a finding is about; empty if it is about something else."""
    return finding.subject if _GPU.fullmatch(finding.subject) else ""


def _passed(cause: Finding, other: Finding, gpu: str) -> str | None:
    """Of which GPU the trouble is after a step, empty for any; None if that GPU has nothing to do with it.

    What a GPU makes of its node explains no trouble of its peers: lines without an address may be of any of them.
    """
    if cause.scope == "node" or cause.id == other.id:
        gpu = ""
    mine = _gpu(other)
    return None if gpu and mine and gpu != mine else mine or gpu


def _roots(nodes: t.Sequence[Finding], edges: _Edges) -> list[int]:
    """One of each group of findings that nothing outside the group explains: the first of it.

    In reverse order of leaving a depth-first walk, who explains comes before what follows (Kosaraju).
    """
    seen: set[int] = set()
    left: list[int] = []
    for start in range(len(edges)):
        walk = [(start, iter(edges[start]))] if start not in seen else []
        seen.add(start)
        while walk:
            place, rest = walk[-1]
            following = next((other for other in rest if other not in seen), None)
            if following is None:
                left.append(place)
                walk.pop()
            else:
                seen.add(following)
                walk.append((following, iter(edges[following])))
    roots: list[int] = []
    claimed: set[int] = set()
    for place in reversed(left):
        if place not in claimed:
            roots.append(place)
            claimed |= _reach(place, nodes, edges)
    return roots


def _reach(root: int, nodes: t.Sequence[Finding], edges: _Edges) -> set[int]:
    """The root, and all that can be reached from it."""
    found = {(root, _gpu(nodes[root]))}
    rest = list(found)
    while rest:
        place, gpu = rest.pop()
        steps = ((other, _passed(nodes[place], nodes[other], gpu)) for other in edges[place])
        new = {(other, passed) for other, passed in steps if passed is not None} - found
        found |= new
        rest.extend(new)
    return {place for place, _gpu_of_it in found}
