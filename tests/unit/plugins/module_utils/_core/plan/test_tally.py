# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How many nodes have which verdict, and why some have none."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.plan import tally


class Node(t.NamedTuple):
    """A node that was judged."""

    verdict: str


def nodes(*verdicts: str) -> list[Node]:
    """One node for each."""
    return list(map(Node, verdicts))


@pytest.mark.parametrize(("result", "error", "said"), [
    ({"unreachable": True, "msg": "no\x1b route", "failed": True}, "x", ("unreachable", "no  route")),
    ({"unreachable": True}, "x", ("unreachable", "")),
    ({"msg": "it broke"}, "x", ("failed", "it broke")),
    ({}, "the callback\nknows", ("failed", "the callback knows")),
    ({}, "", ("failed", "nobody tells")),
])  # fmt: skip
def test_silence_has_a_reason(result: dict[str, t.Any], error: str, said: tuple[str, str]) -> None:
    assert tally.silence(result, error, "nobody tells") == said


def test_counts_are_worst_first() -> None:
    some = nodes("pass", "warn", "unknown", "unreachable", "failed", "fail", "pass")
    assert list(tally.counts(some).items()) == [
        ("fail", 1), ("failed", 1), ("unreachable", 1), ("unknown", 1), ("warn", 1), ("pass", 2)]


@pytest.mark.parametrize(("some", "line"), [
    (nodes(), "no nodes"), (nodes("pass"), "1 node: 1 pass"), (nodes("pass", "fail", "pass"), "3 nodes: 1 fail, 2 pass")])
def test_summary_is_one_line(some: list[Node], line: str) -> None:
    assert tally.summary(some) == line


def test_line_keeps_the_order_that_it_is_given() -> None:
    assert tally.line(3, {"as wanted": 2, "refused": 1}) == "3 nodes: 2 as wanted, 1 refused"
