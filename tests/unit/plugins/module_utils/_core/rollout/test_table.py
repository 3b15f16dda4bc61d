# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The schedule as people see it, and as data."""

from __future__ import annotations

import dataclasses as dc
import json
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout import forecast as when
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout import schedule, table
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.shape import (
    Candidate,
    Course,
    Place,
    Policy,
    Window,
)

MONDAY = 4 * 86400.0
DUE = Candidate("b", "due", "", "r2", "r2, kernel 6.1", "r1", ("install a", "reboot"), True, domain="x", seconds=600)
NODES = [
    DUE,
    dc.replace(DUE, node="a", canary=True, domain="y", notes=("it is out of work: z",)),
    dc.replace(DUE, node="c", seconds=7200),
    Candidate("w", "as wanted", "", "r2", "r2, kernel 6.1", "r2"),
    Candidate("f", "failed before", "rolled back: gate: fail", "r2", "r2, kernel 6.1", "r1", ("install a", "reboot"), True),
]
POLICY = Policy(1, 1, windows=(Window((0,), 60, 120),))


def forecast(nodes: t.Sequence[Candidate] = tuple(NODES), policy: Policy = POLICY) -> when.Forecast:
    return when.forecast(schedule.course(nodes, policy), MONDAY, 0, 5)


def test_table() -> None:
    assert table.table(NODES, POLICY, forecast(), 140).splitlines() == [
        "node  domain  found  wanted  changes          turn       begins         takes        verdict",
        "----  ------  -----  ------  ---------------  ---------  -------------  -----------  --------------------------------------",
        "a     y       r1     r2      2 steps, reboot  1, canary  in 1 h 00 min  10 min 00 s  due",
        "b     x       r1     r2      2 steps, reboot  2          in 1 h 10 min  10 min 00 s  due",
        "c     x       r1     r2      2 steps, reboot  left       -              2 h 00 min   due",
        "w     -       r2     r2      -                -          -              -            as wanted",
        "f     -       r1     r2      2 steps, reboot  -          -              -            failed before: rolled back: gate: fail",
        "", "steps of a, b, c, f:", "  install a", "  reboot",
        "", "notes on a:", "  it is out of work: z",
        "", "left for another run: c:", "  it takes about 2 h 00 min, and the window of time closes in 1 h 00 min",
        "", "1 node at a time, 1 may fail", "  the next window of time opens in 1 h 00 min", "  it takes about 20 min 00 s without waiting for jobs",
        "", "5 nodes: 3 due, 1 as wanted, 1 failed before"]


def cells(one: Candidate) -> list[str]:
    return table.table([one], Policy(), forecast([one], Policy()), 200).splitlines()[2].split("  ")


# what differs -> changes, turn, begins, takes, verdict
CELLS: dict[str, tuple[Candidate, tuple[str, ...]]] = {
    "one step": (dc.replace(DUE, steps=("a",), reboot=False), ("1 step", "1", "at once", "10 min 00 s", "due")),
    "a reboot alone": (dc.replace(DUE, steps=()), ("0 steps, reboot", "1", "at once", "10 min 00 s", "due")),
    "a gate alone": (dc.replace(DUE, steps=(), reboot=False), ("-", "1", "at once", "10 min 00 s", "due")),
    "cut off before": (dc.replace(DUE, halfway=True), ("2 steps, reboot", "1", "at once", "10 min 00 s", "due, cut off before")),
    "cut off on its way back": (
        dc.replace(DUE, halfway=True, back="gate: fail"), ("2 steps, reboot", "1", "at once", "10 min 00 s", "due, cut off on its way back")),
    "nobody can tell": (dc.replace(DUE, seconds=0), ("2 steps, reboot", "1", "?", "?", "due")),
    "refused": (Candidate("b", "refused", "no plan"), ("-", "-", "-", "-", "refused: no plan")),
}


@pytest.mark.parametrize(("one", "said"), CELLS.values(), ids=CELLS)
def test_cells(one: Candidate, said: tuple[str, ...]) -> None:
    assert tuple(cell.strip() for cell in cells(one) if cell.strip())[-5:] == said


FEET: dict[str, tuple[list[Candidate], Policy, str]] = {
    "all that may be said": (
        [DUE], Policy(3, 2, 1, 90), "3 nodes at a time, 1 of a domain, 1 min 30 s between, 2 may fail;it takes about 10 min 00 s without waiting for jobs"),
    "of one nobody can tell": (
        [DUE, dc.replace(DUE, node="c", seconds=0)], Policy(),
        "1 node at a time, none may fail;it takes about 20 min 00 s without waiting for jobs; c as the others, since that is not known"),
    "of none can anybody tell": ([dc.replace(DUE, seconds=0)], Policy(), "1 node at a time, none may fail;how long it takes is not known"),
    "nothing is due": ([NODES[3]], Policy(), "1 node at a time, none may fail;no node begins"),
    "too many failed before": ([DUE, NODES[4]], Policy(), "1 node at a time, none may fail;no node begins"),
}


@pytest.mark.parametrize(("nodes", "policy", "said"), FEET.values(), ids=FEET)
def test_how_it_goes_on(nodes: list[Candidate], policy: Policy, said: str) -> None:
    lines = table.table(nodes, policy, forecast(nodes, policy), 200).splitlines()
    assert ";".join(map(str.strip, lines[-4:-2])) == said


@pytest.mark.parametrize(("seconds", "begins"), [(0, "at once"), (1, "in 1 s"), (2, "in 2 s")])
def test_what_begins_within_a_second_begins_at_once(seconds: int, begins: str) -> None:
    found = when.Forecast((when.Row("b", seconds, 600),), {}, 0, ())
    assert f"  {begins}  " in table.table([DUE], Policy(), found, 200).splitlines()[2]


def test_no_nodes() -> None:
    assert table.table([], Policy(), forecast([]), 80) == table.summary([]) == "no nodes"


def test_counts() -> None:
    assert table.counts(NODES) == {"due": 3, "as wanted": 1, "failed before": 1}


def test_data() -> None:
    found = table.to_dict(NODES, forecast())
    assert json.loads(json.dumps(found)) == found
    assert list(found) == ["b", "a", "c", "w", "f"]
    assert found["a"] == {
        "status": "due", "reason": "", "verdict": "due", "release": "r2", "target": "r2, kernel 6.1", "found": "r1", "steps": ["install a", "reboot"],
        "reboot": True, "standing": "open", "halfway": False, "back": "", "domain": "y", "proven": False, "canary": True, "seconds": 600, "snapshot": "",
        "noted": "",
        "notes": ["it is out of work: z"], "turn": 1, "begins": 3600, "ends": 4200, "left": None}
    places = {node: (one["turn"], one["begins"], one["ends"]) for node, one in found.items()}
    assert places == {"a": (1, 3600, 4200), "b": (2, 4200, 4800), "c": (None,) * 3, "w": (None,) * 3, "f": (None,) * 3}
    assert found["c"]["left"] == "it takes about 2 h 00 min, and the window of time closes in 1 h 00 min"
    assert found["f"]["verdict"] == "failed before: rolled back: gate: fail"


def test_data_of_a_node_of_which_nobody_can_tell() -> None:
    one = dc.replace(DUE, seconds=0)
    found = table.to_dict([one], forecast([one], Policy()))["b"]
    assert (found["turn"], found["begins"], found["ends"]) == (1, None, None)


def test_a_forecast_of_nothing_takes_no_time() -> None:
    assert when.forecast(Course((Place("a"),), stopped="x"), MONDAY, 0, 1).seconds == 0
