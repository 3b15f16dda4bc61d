# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Devices that are watched before it is decided who goes."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._evict import watching
from ansible_collections.instinct.fleet.tests.unit.plugins.eviction_world import World, results
from ansible_collections.instinct.fleet.tests.unit.support.evictions import A, D

STALLS = [*[(90, 10), (0, 1), (0, 1), (0, 40)] * 4, (90, 10)]
STEADY = [(90, 10)] * 17


@pytest.fixture(name="show")
def _show(world: World, monkeypatch: pytest.MonkeyPatch) -> t.Callable[[list[tuple[int, int]]], list[float]]:
    """Let device D show this, one after the other; what was asked of the clock."""

    def show(readings: list[tuple[int, int]]) -> list[float]:
        asked: list[float] = []

        def ticks(*given: float) -> t.Iterator[float]:
            asked.extend(given)
            for second, (compute, memory) in enumerate(readings):
                world.write(f"/sys/bus/pci/devices/{D}/gpu_busy_percent", f"{compute}\n")
                world.write(f"/sys/bus/pci/devices/{D}/mem_busy_percent", f"{memory}\n")
                yield second

        monkeypatch.setattr(watching, "ticks", ticks)
        return asked

    return show


@pytest.mark.parametrize(("readings", "kept"), [(STALLS, True), (STEADY, False)], ids=["mixed precision", "steady"])
def test_who_shows_the_pattern_is_left_alone(
        world: World, show: t.Callable[[list[tuple[int, int]]], list[float]], readings: list[tuple[int, int]], kept: bool) -> None:
    asked, pid = show(readings), world.start("eve", D, "end")
    outcome = world.evict(D, sample_seconds=17)
    assert (asked, world.lives(pid), results(outcome.values)) == ([17, 1], kept, {} if kept else {pid: "SIGTERM"})
    assert [one["reason"].startswith("it is a mixed precision job (its samples show it)") for one in outcome.values["kept"]] == [True] * kept


def test_nobody_is_watched_unless_that_is_asked(world: World, show: t.Callable[[list[tuple[int, int]]], list[float]]) -> None:
    asked = show(STALLS)
    world.evict(D)
    assert asked == []


def test_what_is_refused_is_refused_at_once(world: World, show: t.Callable[[list[tuple[int, int]]], list[float]]) -> None:
    asked = show(STALLS)
    world.start("alice", A, "end")
    with pytest.raises(FleetError, match="class P0 is never evicted"):
        world.evict(A, sample_seconds=17)
    assert asked == []


def test_a_driver_that_tells_nothing_protects_nobody(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "ticks", lambda *_given: iter(range(17)))
    pid = world.start("eve", D, "end")
    assert results(world.evict(D, sample_seconds=17).values) == {pid: "SIGTERM"}
