# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""An image on many nodes: who has it, whether it works there, and who was told before anything was brought."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..plan import grid, tally
from ..plan.grid import plain

Given = t.Mapping[str, t.Any]
HEADINGS = ("node", "image", "digest", "verdict", "what is wrong")
HAS, LEFT_OUT, WAITS = "has", "left_out", "waits"
_GOOD = ("pass", "warn")


@dc.dataclass(frozen=True)
class Node:
    """One node.

    Attributes:
        status: ``has`` the image, was ``left_out`` by its labels, ``waits`` (in check mode), failed, unreachable.
        image, digest: what it has.
        said: the judgement, by the image's tree where the node has it, else by its labels.
    """

    node: str
    status: str = tally.FAILED
    reason: str = ""
    image: str = ""
    digest: str = ""
    said: Given = dc.field(default_factory=dict)

    @property
    def verdict(self) -> str:
        """Of the judgement; the status of a node that has none."""
        return str(self.said["verdict"]) if self.said else self.status

    def to_dict(self) -> dict[str, t.Any]:
        """Plain data: the form that fleet_image_report documents."""
        return {
            "status": self.status, "verdict": self.verdict, "reason": self.reason or None,
            "image": self.image or None, "digest": self.digest or None,
            "findings": list(self.said.get("findings", ())), "unknown": dict(self.said.get("unknown", {})),
        }


def node(name: str, by_labels: Given | None, by_tree: Given | None, brought: Given | None, error: str = "") -> Node:
    """One node from what its tasks returned.

    Args:
        by_labels, by_tree: of rocm_container_check, before and after the image was brought.
        brought: rocm_image_result of the node.
        error: why it failed, if that is known from elsewhere.
    """
    first, last, there = by_labels or {}, by_tree or {}, brought or {}
    image, digest = str(there.get("tag", "")), str(there.get("digest", ""))
    if "verdict" in last:
        return Node(plain(name), HAS, image=image, digest=digest, said=last)
    if "verdict" in first and first["verdict"] == "fail":
        return Node(plain(name), LEFT_OUT, said=first)
    if "verdict" in first and last.get("skipped") and not error:
        return Node(plain(name), WAITS, image=image, digest=digest, said=first)
    otherwise = "it was not looked at after its labels were" if first else "it was not looked at"
    return Node(plain(name), *tally.silence(last or first, error, otherwise))


def summary(nodes: t.Sequence[Node]) -> str:
    """One line: how many nodes, and how it is with them."""
    return tally.summary(nodes)


def data(nodes: t.Sequence[Node]) -> dict[str, t.Any]:
    """All of them as plain data."""
    return {
        "complete": bool(nodes) and all(item.status not in (tally.FAILED, tally.UNREACHABLE) for item in nodes),
        "answered": bool(nodes) and all(item.verdict in (*_GOOD, "fail") for item in nodes),
        "good": bool(nodes) and all(item.verdict in _GOOD for item in nodes),
        "counts": tally.counts(nodes),
        "nodes": {item.node: item.to_dict() for item in nodes},
    }


def table(nodes: t.Sequence[Node], width: int) -> str:
    """The table as text, at most ``width`` wide; below it what to do."""
    if not nodes:
        return summary(nodes)
    lines = grid.table(HEADINGS, [_row(item) for item in nodes], width)
    lines += grid.grouped("remedy for", ((item.node, _remedies(item)) for item in nodes), width)
    return "\n".join([*lines, "", summary(nodes)])


def _row(item: Node) -> tuple[str, ...]:
    wrong = "; ".join(plain(finding["summary"]) for finding in item.said.get("findings", ()))
    unknown = "; ".join(f"{plain(name)}: {plain(why)}" for name, why in item.said.get("unknown", {}).items())
    words = "; ".join(filter(None, (item.reason, wrong, unknown))) or "-"
    image = item.image or ("left out" if item.status == LEFT_OUT else "-")
    return item.node, image, item.digest[:19] or "-", item.verdict, words


def _remedies(item: Node) -> tuple[str, ...]:
    return tuple(dict.fromkeys(plain(finding["remedy"]) for finding in item.said.get("findings", ())))
