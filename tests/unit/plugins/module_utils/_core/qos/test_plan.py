# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From a profile and what is seen to steps, and back."""

from __future__ import annotations

import dataclasses as dc
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.qos import plan as qos
from ansible_collections.instinct.fleet.plugins.module_utils._core.qos.profile import Profile
from ansible_collections.instinct.fleet.plugins.module_utils._core.qos.shape import (
    CLOCKS,
    LEVEL,
    NODE,
    SETTINGS,
    Step,
    Target,
    Value,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.qos.state import State
from ansible_collections.instinct.fleet.tests.unit.support.qos_data import document, own, profile

A, B = "0000:03:00.0", "0000:26:00.0"
FREE = {"sclk_min_mhz": 500, "sclk_max_mhz": 2100, "mclk_max_mhz": 1300}
FRESH: dict[str, Value] = {"power_cap": 750_000_000, "performance_level": "auto", "process_isolation": "off", **FREE}


class Board:
    """A GPU and a node that take steps as drivers do: a level other than manual frees the clocks."""

    def __init__(self, product: str = "MI300X", **values: Value) -> None:
        self.gpu = {**FRESH, **values}
        self.node: dict[str, Value] = {"numa_balancing": "on"}
        self.product, self.kept = product, None  # type: str, State | None

    def seen(self) -> tuple[Target, ...]:
        """The targets."""
        return (Target(NODE, values=dict(self.node)),
                Target(A, self.product, False, dict(self.gpu), cap=(0, 750_000_000, 750_000_000)))

    def take(self, steps: t.Iterable[Step]) -> None:
        """Steps."""
        for step in steps:
            of = self.node if step.target == NODE else self.gpu
            of[step.setting] = step.value
            if step.setting == LEVEL and step.value != "manual":
                of.update(FREE)
                _word, _blank, clock = str(step.value).partition(" ")
                if clock:
                    of["sclk_max_mhz"] = int(clock)
            if step.setting in CLOCKS:
                of[LEVEL] = "manual"

    def go(self, chosen: tuple[str, ...] = (NODE, A), **settings: t.Any) -> qos.Plan:
        """Bring it to a profile of these settings, or back without any."""
        wanted = Profile.from_document(profile(**settings), "f") if settings else None
        made = qos.plan(wanted, self.seen(), own(), self.kept, chosen, refuse=True)
        self.take(made.steps)
        self.kept = made.keep
        return made


ONE = {"power_cap": "92%", "numa_balancing": "off"}
# Profiles one after the other; whatever they were, the end is the beginning
WAYS: list[tuple[dict[str, Value], list[dict[str, t.Any]]]] = [
    ({}, [ONE]), ({}, [ONE, ONE]), ({}, [ONE, {"process_isolation": "on"}]),
    ({}, [{"sclk_max_mhz": 1500}]), ({}, [{"sclk_max_mhz": 1500}, {"power_cap": "50%"}]),
    ({}, [{"sclk_max_mhz": 1500}, {"mclk_max_mhz": 900}]), ({}, [{"sclk_max_mhz": 1500}, {"performance_level": "determinism 1900"}]),
    ({}, [{"performance_level": "determinism 1900"}, {"sclk_max_mhz": 1900}]),
    ({"performance_level": "manual", "sclk_max_mhz": 1800}, [{"sclk_max_mhz": 1500}]),
    ({"performance_level": "manual", "sclk_max_mhz": 1800}, [{"performance_level": "auto"}, {"mclk_max_mhz": 900}]),
    ({"performance_level": "manual", "mclk_max_mhz": 1000}, [{"power_cap": "50%"}, {"performance_level": "determinism 1900"}]),
    ({"performance_level": "determinism 1700", "sclk_max_mhz": 1700}, [{"sclk_max_mhz": 1500}, {"performance_level": "auto"}]),
]


@pytest.mark.parametrize(("before", "profiles"), WAYS, ids=[str(way) for way in WAYS])
def test_whatever_profiles_came_the_earlier_state_is_restored(before: dict[str, Value], profiles: list[dict[str, t.Any]]) -> None:
    board = Board(**before)
    first = board.seen()
    for settings in profiles:
        board.go(**settings)
        for target, values in (board.kept.applied if board.kept else {}).items():
            there = board.node if target == NODE else board.gpu
            assert {name: there[name] for name in values} == values
        assert board.go(**settings).steps == ()
    assert board.kept is not None
    board.go()
    assert (board.seen(), board.kept) == (first, None)
    assert board.go().steps == ()


def test_a_clock_that_is_not_limited_any_more_is_free() -> None:
    board = Board()
    board.go(sclk_max_mhz=1500, mclk_max_mhz=900)
    steps = board.go(mclk_max_mhz=900).steps
    assert [(step.setting, step.before, step.value) for step in steps] == [
        (LEVEL, "manual", "auto"), (LEVEL, "auto", "manual"), ("mclk_max_mhz", 900, 900)]
    assert board.gpu["sclk_max_mhz"] == 2100


def test_another_level_frees_the_clocks_by_itself() -> None:
    board = Board()
    board.go(sclk_max_mhz=1500)
    assert [(step.before, step.value) for step in board.go(performance_level="determinism 1900").steps] == [("manual", "determinism 1900")]


def test_a_clock_is_set_anew_after_its_level() -> None:
    board = Board(sclk_max_mhz=1500)  # by chance
    assert [step.setting for step in board.go(sclk_max_mhz=1500).steps] == [LEVEL, "sclk_max_mhz"]


def test_gpus_that_are_not_chosen_any_more_are_restored() -> None:
    board = Board()
    board.go(**ONE)
    made = board.go(chosen=(NODE,), **ONE)
    assert [step.words for step in made.steps] == [f"set power cap of {A} to 750 W (was 690 W)"]
    assert board.kept == State("mine", {NODE: {"numa_balancing": "on"}}, {NODE: {"numa_balancing": "off"}})


def test_steps_are_in_order() -> None:
    settings = {"mclk_max_mhz": 900, "sclk_min_mhz": 600, "process_isolation": "on", "power_cap": "50%", "numa_balancing": "off"}
    made = Board().go(**settings)
    assert [step.setting for step in made.steps[1:]] == sorted((step.setting for step in made.steps[1:]), key=SETTINGS.index)
    assert made.steps[0].target == NODE


def test_what_cannot_be_had_is_refused_or_said() -> None:
    targets = (*Board().seen(), dc.replace(Board().seen()[1], name=B))
    wanted = Profile.from_document(profile(power_cap="50%", soc_pstate="1"), "f")
    with pytest.raises(FleetError) as error:
        qos.plan(wanted, targets, own(), None, (NODE, A, B), refuse=True)
    assert error.value.sentence == (
        f"gpu {A} (and 1 more): cannot have soc pstate 1 of profile mine: it has no such setting; choose another profile, or set "
        "gpu_qos_unsupported to say")
    made = qos.plan(wanted, targets, own(), None, (NODE, A, B), refuse=False)
    assert [step.target for step in made.steps] == [A, B]
    assert [(row.setting, row.result, row.reason) for row in qos.rows(made, targets, {}, qos.WOULD_CHANGE)] == [
        ("power_cap", "would_change", ""), ("power_cap", "would_change", ""),
        ("soc_pstate", "unsupported", "it has no such setting"), ("soc_pstate", "unsupported", "it has no such setting")]
    optional = Profile.from_document(profile(power_cap="50%", soc_pstate="1", optional=["soc_pstate"]), "f")
    assert len(qos.plan(optional, targets, own(), None, (NODE, A, B), refuse=True).steps) == 2


def test_of_the_node_alone() -> None:
    with pytest.raises(FleetError, match=r"^node: cannot have numa balancing off of profile mine: it has no such setting; "):
        qos.plan(Profile.from_document(profile(numa_balancing="off"), "f"), (Target(NODE),), own(), None, (NODE,), refuse=True)


def test_what_became_of_it_is_what_is_read_back() -> None:
    board = Board()
    made = qos.plan(Profile.from_document(profile(power_cap="50%", irq_affinity="near", process_isolation="on"), "f"),
                    (dc.replace(board.seen()[1], near_cpus="0-3", values={**FRESH, "irq_affinity": "0-3"}),), own(), None, (A,),
                    refuse=True)
    now = (Target(A, values={"power_cap": 750_000_000, "irq_affinity": "0-3"}),)
    found = {row.setting: row for row in qos.rows(made, now, {(A, "power_cap"): "error 10"})}
    assert found["power_cap"] == qos.Row(A, "power_cap", "375 W", "750 W", "750 W", "failed", "enforcing", "error 10")
    assert found["process_isolation"] == qos.Row(A, "process_isolation", "on", "off", "unknown", "failed", "enforcing", "no call failed")
    assert found["irq_affinity"] == qos.Row(A, "irq_affinity", "0-3", "0-3", "0-3", "unchanged", "cooperative")
    done = {row.setting: row.result for row in qos.rows(made, (Target(A, values=made.wanted[A]),), {})}
    assert done == {"power_cap": "applied", "process_isolation": "applied", "irq_affinity": "unchanged"}


@pytest.mark.parametrize("settings", [way[1][0] for way in WAYS], ids=str)
@pytest.mark.parametrize("before", [{}, {"performance_level": "manual", "sclk_max_mhz": 1800}], ids=["auto", "manual"])
def test_a_plan_can_be_undone(before: dict[str, Value], settings: dict[str, t.Any]) -> None:
    board = Board(**before)
    first = board.seen()
    made = board.go(**settings)
    board.take(qos.back(made))
    assert board.seen() == first


@pytest.mark.parametrize("product", sorted(own()))
@pytest.mark.parametrize("name", ["burst", "maintenance", "night_training", "serving"])
def test_every_product_takes_our_profiles(product: str, name: str) -> None:
    board = Board(product)
    wanted = Profile.from_document(document(f"profiles/{name}.yml"), name)
    made = qos.plan(wanted, board.seen(), own(), None, (NODE, A), refuse=True)
    assert {one.setting for one in made.unsupported} <= set(wanted.optional)
    assert made.wanted[A]["power_cap"] <= board.gpu["power_cap"]  # type: ignore[operator]
