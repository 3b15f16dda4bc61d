# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""How it is with many nodes: which of them did not answer, and how many have which verdict."""

from __future__ import annotations

import collections
import typing as t

from .grid import plain
from .wording import counted

Given = t.Mapping[str, t.Any]
FAILED, UNREACHABLE = "failed", "unreachable"
# Verdicts, and the status of nodes that have none; worst first, as a table that cannot show all nodes shows them.
ORDER = ("fail", FAILED, UNREACHABLE, "unknown", "warn", "pass")


class Judged(t.Protocol):
    """A node with its verdict, or its status if it has none: one of ORDER."""

    @property
    def verdict(self) -> str:
        """In one word."""


def silence(result: Given, error: str, otherwise: str) -> tuple[str, str]:
    """Status and reason of a node that has no verdict.

    Args:
        result: what its task returned; empty if it returned nothing.
        error: why the node failed, if that is known from elsewhere.
        otherwise: the reason where nobody tells one.
    """
    if result.get("unreachable"):
        return UNREACHABLE, plain(result.get("msg", ""))
    return FAILED, plain(result.get("msg") or error) or otherwise


def counts(nodes: t.Iterable[Judged]) -> dict[str, int]:
    """How many nodes have which verdict, worst first."""
    found = collections.Counter(node.verdict for node in nodes)
    return {verdict: found[verdict] for verdict in ORDER if verdict in found}


def many(number: int) -> str:
    """So many nodes, in words."""
    return counted(number, "node")


def summary(nodes: t.Sequence[Judged]) -> str:
    """One line: how many nodes, and how it is with them."""
    return line(len(nodes), counts(nodes))


def line(number: int, counted: t.Mapping[str, int]) -> str:
    """The same of verdicts that are counted already, as there are more words for plans."""
    if not number:
        return "no nodes"
    return f"{many(number)}: " + ", ".join(f"{count} {verdict}" for verdict, count in counted.items())
