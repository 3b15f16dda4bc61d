# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Causes come first, and what follows from them is folded under them: every finding once."""

from __future__ import annotations

import collections
import dataclasses as dc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.instinct.fleet.plugins.module_utils._core.diagnosis.rank import TOLERANCE, rank
from ansible_collections.instinct.fleet.plugins.module_utils._core.findings import NODE, SEVERITIES, Cause, Finding
from ansible_collections.instinct.fleet.tests.unit.support.faults import GPU, PEER

WHY = Cause("A cause.", "Do something.")


def finding(ident, subject=GPU, first=None, explains=(), scope="gpu", severity="error", origin="kmsg"):
    return Finding(ident, "fault", severity, "driver", subject, ident, WHY, first=first, last=first, explains=explains,
                   scope=scope, origin=origin if first is not None else "")


def announced(ident, by, first):
    return dc.replace(finding(ident, first=first), announced_by=(by,))


def brief(*findings):
    return [(r.finding.id, [f.id for f in r.consequences]) for r in rank(findings)]


def subjects(*findings):
    return [(r.finding.subject, [f.subject for f in r.consequences]) for r in rank(findings)]


def test_nothing_is_nothing():
    assert rank(()) == ()


FOLDED = [
    ("a consequence", [finding("a", first=1, explains=("b",)), finding("b", first=2)], [("a", ["b"])]),
    ("in steps", [finding("c", first=3), finding("b", first=2, explains=("c",)), finding("a", first=1, explains=("b",))],
     [("a", ["b", "c"])]),
    ("none of its own", [finding("a", first=1, explains=("x",)), finding("b", first=2)], [("a", []), ("b", [])]),
    ("of another GPU", [finding("a", first=1, explains=("b",)), finding("b", PEER, 2)], [("a", []), ("b", [])]),
    ("of another GPU, and the cause is the node's", [finding("a", first=1, explains=("b",), scope="node"), finding("b", PEER, 2)],
     [("a", ["b"])]),
    ("of the node", [finding("a", first=1, explains=("b",)), finding("b", NODE, 2)], [("a", ["b"])]),
    ("from the node", [finding("a", NODE, 1, ("b",)), finding("b", PEER, 2)], [("a", ["b"])]),
    ("from a process", [finding("a", "pid 4711 (python3)", 1, ("b",)), finding("b", PEER, 2)], [("a", ["b"])]),
    ("that came before", [finding("a", first=50, explains=("b",)), finding("b", first=50 - TOLERANCE - 1)], [("b", []), ("a", [])]),
    ("that came long before and said the same", [announced("a", "b", 900), finding("b", first=2)], [("a", ["b"])]),
    ("that came long before, of another GPU", [announced("a", "b", 900), finding("b", PEER, 2)], [("b", []), ("a", [])]),
    ("of the same event", [finding("a", first=50, explains=("b",)), finding("b", first=50 - TOLERANCE)], [("a", ["b"])]),
    ("that came before, in another log", [finding("a", first=50, explains=("b",)), finding("b", first=2, origin="dkms")], [("a", ["b"])]),
    ("from no log", [finding("a", explains=("b",)), finding("b", first=2)], [("a", ["b"])]),
    ("of no log", [finding("a", first=50, explains=("b",)), finding("b")], [("a", ["b"])]),
    ("each other: the first leads", [finding("b", first=2, explains=("a",)), finding("a", first=1, explains=("b",))], [("a", ["b"])]),
    ("in a circle, with a tail", [finding("a", first=1, explains=("b",)), finding("b", first=2, explains=("c",)),
                                  finding("c", first=3, explains=("a", "d")), finding("d", first=4)], [("a", ["b", "c", "d"])]),
    ("a circle that something explains", [finding("a", first=5, explains=("b",)), finding("b", first=6, explains=("a",)),
                                          finding("r", first=7, explains=("b",))], [("r", ["a", "b"])]),
    ("of another GPU, by way of the node", [finding("a", first=1, explains=("n",)), finding("n", NODE, 2, ("b",)), finding("b", PEER, 3)],
     [("a", ["n"]), ("b", [])]),
    ("of its own, by way of the node", [finding("a", first=1, explains=("n",)), finding("n", NODE, 2, ("b",)), finding("b", GPU, 3)],
     [("a", ["n", "b"])]),
    ("of another GPU, by way of what is so for the node",
     [finding("a", first=1, explains=("n",)), finding("n", NODE, 2, ("b",), "node"), finding("b", PEER, 3)], [("a", ["n", "b"])]),
    ("of its own, where another GPU makes the same of the node",
     [finding("a", first=1, explains=("n",), severity="critical"), finding("c", NODE, 2, ("n",)), finding("n", NODE, 3, ("b",)),
      finding("b", PEER, 4)], [("a", ["n"]), ("c", ["b"])]),
    ("of two: under the more severe", [finding("a", first=1, explains=("c",), severity="warning"),
                                       finding("b", first=2, explains=("c",), severity="critical"), finding("c", first=3)],
     [("b", ["c"]), ("a", [])]),
]


@pytest.mark.parametrize(("findings", "expected"), [case[1:] for case in FOLDED], ids=[case[0] for case in FOLDED])
def test_consequences_are_folded(findings, expected):
    assert brief(*findings) == expected


ORDER = [
    ("severity first", [finding("a", first=1, severity="info"), finding("b", first=2, severity="critical"), finding("c", first=0)],
     ["b", "c", "a"]),
    ("a mild cause of something severe counts as that",
     [finding("a", severity="warning", explains=("c",)), finding("b"), finding("c", first=1, severity="critical")], ["a", "b"]),
    ("then who explains more", [finding("a", first=1), finding("b", first=2, explains=("c",)), finding("c", first=3)], ["b", "a"]),
    ("then who came first", [finding("b", first=2), finding("a", first=1), finding("c")], ["a", "b", "c"]),
    ("then the name", [finding("b", first=1), finding("a", first=1)], ["a", "b"]),
]


@pytest.mark.parametrize(("findings", "expected"), [case[1:] for case in ORDER], ids=[case[0] for case in ORDER])
def test_the_order_of_causes(findings, expected):
    assert [r.finding.id for r in rank(findings)] == expected


def ue(subject, first, **change):
    return finding("ue", subject, first, **({"explains": ("reset", "ue")} | change))


def test_the_peers_of_the_gpu_that_failed_first_only_echo_it():
    third = "0000:25:00.0"
    findings = [ue(PEER, 20), ue(third, 21), ue(GPU, 10), finding("reset", PEER, 22), finding("reset", GPU, 11)]
    (only,) = rank(findings)
    assert only.finding.subject == GPU
    assert [(f.id, f.subject) for f in only.consequences] == [("reset", GPU), ("ue", PEER), ("ue", third), ("reset", PEER)]


def test_what_explains_an_echo_does_not_explain_what_it_echoes():
    findings = (ue(GPU, 10), ue(PEER, 20), finding("slot", PEER, explains=("ue",)))
    assert [(r.finding.id, r.finding.subject) for r in rank(findings)] == [("ue", GPU), ("slot", PEER)]


@pytest.mark.parametrize("other", [
    ue(PEER, 20, origin="journal"), ue(PEER, None), ue(PEER, 20, explains=("reset",)),
], ids=["of another log", "of no log", "when the fault has no echo"])
def test_what_is_no_echo(other):
    first = ue(GPU, 10, explains=other.explains)
    assert sorted(subjects(first, other)) == [(GPU, []), (PEER, [])]


def reset(subject, first, last=None, **change):
    return dc.replace(finding("reset", subject, first, ("reset", "lost")), last=first if last is None else last, together=200, **change)


THIRD = "0000:25:00.0"
EVENTS = [
    ("all at once: the first leads", (reset(PEER, 12), reset(GPU, 10), reset(THIRD, 13)), [(GPU, [PEER, THIRD])]),
    ("what explains one explains all", (finding("ue", PEER, 5, ("reset",)), reset(GPU, 10), reset(PEER, 12), reset(THIRD, 13)),
     [(PEER, [GPU, PEER, THIRD])]),
    ("they end together", (reset(GPU, 10, 900), reset(PEER, 905)), [(GPU, [PEER])]),
    ("one begins as the other ends", (reset(GPU, 10, 900), reset(PEER, 1100, 5000)), [(GPU, [PEER])]),
    ("in a chain", (reset(GPU, 10), reset(PEER, 210), reset(THIRD, 410)), [(GPU, [PEER, THIRD])]),
    ("another event", (reset(GPU, 10), reset(PEER, 211)), [(GPU, []), (PEER, [])]),
    ("another log", (reset(GPU, 10), reset(PEER, 10, origin="journal")), [(GPU, []), (PEER, [])]),
    ("no log", (reset(GPU, 10), dc.replace(reset(PEER, 10), first=None, last=None)), [(GPU, []), (PEER, [])]),
]


@pytest.mark.parametrize(("findings", "expected"), [case[1:] for case in EVENTS], ids=[case[0] for case in EVENTS])
def test_what_several_gpus_have_in_one_event_is_told_once(findings, expected):
    assert subjects(*findings) == subjects(*reversed(findings)) == expected


FINDINGS = st.lists(st.builds(
    finding, st.sampled_from("abcde"), st.sampled_from([GPU, PEER, NODE, "pid 1"]), st.none() | st.integers(0, 40),
    st.lists(st.sampled_from("abcde"), max_size=4, unique=True).map(tuple), st.sampled_from(["gpu", "node"]),
    st.sampled_from(SEVERITIES), st.sampled_from(["kmsg", "dkms"])), max_size=14)


@given(FINDINGS)
def test_every_finding_is_told_exactly_once(findings):
    told = [f for r in rank(findings) for f in (r.finding, *r.consequences)]
    assert collections.Counter(told) == collections.Counter(findings)


@given(FINDINGS, st.randoms())
def test_the_order_of_the_input_does_not_matter(findings, random):
    shuffled = random.sample(findings, len(findings))
    assert rank(findings) == rank(shuffled)


@given(FINDINGS)
def test_what_is_folded_is_explained_by_something(findings):
    for ranked in rank(findings):
        for consequence in ranked.consequences:
            # What two causes share is told under one of them, and may explain what is told under the other.
            assert any(consequence.id in other.explains for other in findings)


@given(FINDINGS)
def test_causes_come_most_severe_first(findings):
    worst = [max(SEVERITIES.index(f.severity) for f in (r.finding, *r.consequences)) for r in rank(findings)]
    # What two causes share is told under one of them, so the other may look milder than its place.
    assert not worst or worst[0] == max(SEVERITIES.index(f.severity) for f in findings)


def test_many_findings_are_ranked_at_once():
    many = [finding("a", f"0000:{n // 32:02x}:{n % 32:02x}.0", n, ("a", "b"), "node") for n in range(500)]
    (only,) = rank([*many, finding("b", NODE, 600)])
    assert (only.finding.subject, len(only.consequences)) == ("0000:00:00.0", 500)
