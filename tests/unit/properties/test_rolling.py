# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever fails and whenever a run is killed: nothing is lost, nothing is done twice, and no rule is broken."""

from __future__ import annotations

import collections
import random
import statistics
import typing as t

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.forecast import forecast
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.shape import (
    BAD,
    DONE,
    GOING,
    UNREACHABLE,
    Course,
    Place,
    Policy,
)
from ansible_collections.instinct.fleet.tests.unit.properties.rollouts import Killed, Node, Run, batches, fleet, ideal

FATES = st.lists(st.sampled_from([DONE, DONE, DONE, *BAD]), min_size=1, max_size=7)
WISHES = st.fixed_dictionaries({
    "max_unavailable": st.sampled_from([1, 2, 3, "30%", 9]), "failures": st.sampled_from([0, 1, 3, "10%", "100%"]),
    "per_domain": st.integers(0, 2), "pause": st.sampled_from([0, 0, 300, 2000])})
KILLS = st.lists(st.integers(1, 60), max_size=4)


def lived(nodes: list[Node], wishes: dict[str, t.Any], forks: int, kills: list[int], chance: random.Random) -> list[Run]:
    """Runs that are killed, and one that is not; those that came to an end."""
    now = 0.0
    for kill in [*kills, -1]:
        now += 10_000
        try:
            last = Run(nodes, wishes, forks, chance, now=now, kill=kill)
        except Killed:
            continue
        if kill == -1:
            return [last]
    raise AssertionError


def test_no_rule_is_broken_and_nothing_is_lost() -> None:
    went: collections.Counter[str] = collections.Counter()

    @settings(max_examples=300, deadline=None, derandomize=True, database=None)
    @given(FATES, WISHES, KILLS, st.integers(1, 16), st.integers(0, 3), st.integers(1, 8), st.integers(0, 2**32))
    def check(fates: list[str], wishes: dict[str, t.Any], kills: list[int], many: int, racks: int, forks: int, seed: int) -> None:
        chance = random.Random(seed)
        nodes = fleet(chance, many, racks, fates)
        (last,) = lived(nodes, wishes, forks, kills, chance)
        bad = [node for node in nodes if node.bad]
        untouched = [node for node in nodes if node.note is None]
        # Who began has ended, once; who did not has a reason.
        assert [node.name for node in nodes if node.note and node.note.state == GOING and not node.gone] == []
        assert all(node.ended == (node.fate == DONE) for node in nodes if node.note)
        assert {node.name for node in untouched} == set(last.skipped) or last.refusal
        if len(bad) <= last.policy.failures and not (bad and bad[0].name == nodes[0].name):
            assert untouched == []
        # Where none is named, the first node is the canary; of one that is gone the next run does not know it.
        if nodes[0].fate not in (DONE, UNREACHABLE):
            assert untouched == nodes[1:]
        went["refused" if last.refusal else "stopped" if untouched else "failed" if bad else "all done"] += 1
        # What failed is mended, and asked for: the next run brings all to an end.
        for node in nodes:
            node.fate, node.gone = DONE, False
        Run(nodes, wishes, forks, chance, now=90_000, retry=True)
        assert all(node.upgraded and not node.ours and node.ended == 1 for node in nodes)

    check()
    # The examples are worth something only if they are of every kind.
    assert min(went[kind] for kind in ("refused", "stopped", "failed", "all done")) > 10


def test_killed_or_not_the_end_is_the_same() -> None:
    wishes = {"max_unavailable": 4, "failures": "100%", "per_domain": 2}

    @settings(max_examples=60, deadline=None, derandomize=True, database=None)
    @given(FATES, st.lists(st.integers(1, 40), min_size=1, max_size=10), st.integers(0, 2**32))
    def check(fates: list[str], kills: list[int], seed: int) -> None:
        ends = []
        for times in ([], kills):
            chance = random.Random(seed)
            nodes = fleet(chance, 20, 3, [DONE, *fates])
            lived(nodes, wishes, 6, times, chance)
            ends.append([(node.name, node.upgraded, node.ours, node.gone, node.ended, node.note and node.note.state) for node in nodes])
        assert ends[0] == ends[1]

    check()


# How many nodes fail at most before it stops: 10 % of 30, in the order in which they end.
@pytest.mark.parametrize(("failures", "begun"), [(0, 2), ("10%", 8), (9, 20), (10, 30)])
def test_the_budget_stops_at_the_right_node(failures: object, begun: int) -> None:
    nodes = [Node(f"n{number:03d}", 60, "rolled back" if number % 2 else DONE) for number in range(20)]
    nodes += [Node(f"n{number:03d}", 60) for number in range(20, 30)]
    run = Run(nodes, {"max_unavailable": 1, "failures": failures}, 5, random.Random(1))
    assert (len(run.begun), sum(node.bad for node in nodes)) == (begun, min(begun // 2, 10))
    assert set(run.skipped) == {node.name for node in nodes[begun:]}


def test_the_budget_counts_across_runs() -> None:
    nodes = [Node(f"n{number:03d}", 60, "rolled back" if number % 2 else DONE) for number in range(30)]
    begun = []
    for run in range(5):
        try:
            begun += Run(nodes, {"failures": 2}, 5, random.Random(run), now=run * 1e4, kill=[30, 20, 9, 14, -1][run]).begun
        except Killed:
            continue
    assert sum(node.bad for node in nodes) == 3
    assert [node.name for node in nodes if node.note] == [f"n{number:03d}" for number in range(6)]


def test_as_forecast_so_it_goes() -> None:
    chance = random.Random(7)
    nodes = fleet(chance, 40, 4, [DONE])
    for node in nodes:
        node.told = node.takes
    wishes = {"max_unavailable": 5, "per_domain": 2, "pause": 120}
    run = Run(nodes, wishes, 8, chance)
    found = forecast(run.course, 0, 0, 8)
    assert {row.node: row.begins for row in found.rows} == run.begun
    assert found.seconds == max(row.ends for row in found.rows) == run.now - 120


# Nodes for each place, and whether it was told how long they take.
@pytest.mark.parametrize(("share", "told"), [(8, True), (16, False)])
@pytest.mark.parametrize("places", [2, 4, 8])
def test_no_packing_is_more_than_a_tenth_faster(places: int, share: int, told: bool) -> None:
    in_batches = []
    for seed in range(25):
        chance = random.Random(seed)
        times = [chance.randint(600, 1800) for _number in range(share * places)]
        order = sorted(times, reverse=True) if told else times
        course = Course(tuple(Place(f"n{number}", took) for number, took in enumerate(order)), Policy(places))
        rolling = forecast(course, 0, 0, places + 2).seconds
        assert rolling is not None
        assert rolling <= 1.10 * ideal(times, places)
        in_batches.append(batches(times, places) / ideal(times, places))
    assert statistics.mean(in_batches) > 1.10
