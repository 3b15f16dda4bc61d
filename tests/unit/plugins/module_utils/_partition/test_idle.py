# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Waiting for what holds GPUs: it ends when nothing does, or says what does."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._partition import holders, idle
from ansible_collections.instinct.fleet.tests.unit.plugins.partition_world import World, process


@pytest.fixture(name="ticks", autouse=True)
def _ticks(world: World, monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Seconds after which the processes are gone; without any they stay."""
    ends: list[float] = []

    def ticks(timeout: float, pause: float) -> t.Iterator[float]:
        for gone in range(0, int(timeout) + 1, int(pause)):
            if ends and gone >= ends[0]:
                world.processes.clear()
            yield float(gone)

    monkeypatch.setattr(idle, "ticks", ticks)
    return ends


def test_nothing_to_wait_for(world: World) -> None:
    assert idle.wait(0, (), check=False).actions == ()
    assert world.log.count("look") < 5


def test_what_ends_in_time_is_waited_for(world: World, ticks: list[float]) -> None:
    world.processes = [process(7, "a.service")]
    ticks.append(10)
    assert idle.wait(60, (), check=False).actions == ()


@pytest.mark.parametrize("timeout", [0, 20])
def test_what_stays_is_named(world: World, timeout: int) -> None:
    world.processes = [process(7, "a.service")]
    with pytest.raises(FleetError, match=r"held by pid 7 \(python3, a.service\); drain the node first"):
        idle.wait(timeout, (), check=False)
    assert idle.wait(timeout, ("a",), check=False).actions == ()


def test_what_the_library_alone_lists_counts_at_the_end(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holders, "listed", lambda: ((process(9),), None))
    with pytest.raises(FleetError, match=r"pid 9"):
        idle.wait(0, (), check=False)


def test_who_cannot_be_told_is_not_nobody(world: World) -> None:
    world.untold = {"processes": "no /sys"}
    with pytest.raises(FleetError, match=r"is unknown: no /sys"):
        idle.wait(10, (), check=False)


def test_a_dry_run_does_not_wait_and_refuses_only_what_would_be_refused_at_once(world: World) -> None:
    world.processes = [process(7, "a.service")]
    assert idle.wait(60, (), check=True).actions == ()
    with pytest.raises(FleetError, match=r"pid 7"):
        idle.wait(0, (), check=True)


def test_a_time_that_is_none(world: World) -> None:
    with pytest.raises(FleetError, match=r"^timeout: is too short; give 0 or more seconds$"):
        idle.wait(-1, (), check=False)
