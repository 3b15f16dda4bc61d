# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Units and the note of what is owed."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._act.process import Done
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._partition import units
from ansible_collections.instinct.fleet.plugins.module_utils._partition.units import Note, OwedDriver, Unit
from ansible_collections.instinct.fleet.tests.unit.plugins.partition_world import World

HINT = "start the units that it names by hand, then remove it"


def answer(monkeypatch: pytest.MonkeyPatch, *answers: Done) -> None:
    rest = iter(answers)
    monkeypatch.setattr(units, "run", lambda _argv, _timeout: next(rest))


SHOWN = {
    "active": ("LoadState=loaded\nActiveState=active", Unit("a", True, True, up=True)),
    "about to be": ("LoadState=loaded\nActiveState=activating", Unit("a", True, True)),
    "inactive": ("LoadState=loaded\nActiveState=inactive", Unit("a", True, False)),
    "failed": ("ActiveState=failed\nLoadState=loaded", Unit("a", True, False, True)),
    "failed, and about to be tried": ("ActiveState=failed\nLoadState=loaded\nJob=7", Unit("a", True, False)),
    "runs once": ("LoadState=loaded\nActiveState=activating\nType=oneshot", Unit("a", True, True, up=True)),
    "transient": ("LoadState=loaded\nActiveState=active\nTransient=yes", Unit("a", True, True, up=True, lasts=False)),
    "masked while it runs": ("LoadState=masked\nActiveState=active\nCanStart=no", Unit("a", True, True, up=True, lasts=False)),
    "others need it": ("LoadState=loaded\nActiveState=active\nRequiredBy=c b\nConsistsOf=a d\nBoundBy=\nPropagatesStopTo=b",
                       Unit("a", True, True, up=True, takes=("b", "c", "d"))),
    "none": ("LoadState=not-found\nActiveState=inactive", Unit("a", False, False)),
}


@pytest.mark.parametrize(("text", "unit"), SHOWN.values(), ids=SHOWN)
def test_what_systemd_says(monkeypatch: pytest.MonkeyPatch, text: str, unit: Unit) -> None:
    answer(monkeypatch, Done(0, text + "\n", "", 0))
    assert units.ask(["a"]) == (unit,)


def test_nothing_is_asked_about_no_units(monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch)
    assert units.ask([]) == ()


SILENT = {
    "no systemd": (Done(1, "", "System has not been booted with systemd.\n", 0), "System has not been booted with systemd"),
    "too few": (Done(0, "LoadState=loaded\n", "", 0), "ended with 0"),
}


@pytest.mark.parametrize(("done", "why"), SILENT.values(), ids=SILENT)
def test_systemd_does_not_say(monkeypatch: pytest.MonkeyPatch, done: Done, why: str) -> None:
    answer(monkeypatch, done)
    with pytest.raises(FleetError) as error:
        units.ask(["a", "b"])
    assert error.value.sentence == f"systemctl show: {why}; list no units where systemd does not run"


STOPS = {
    "too slow": (Done(-9, "", "", 2, True), "did not end within 2 s"),
    "refused": (Done(1, "", "Access denied\n", 0), "Access denied"),
    "silent": (Done(4, "", "", 0), "ended with 4"),
}


@pytest.mark.parametrize(("done", "why"), STOPS.values(), ids=STOPS)
def test_units_that_do_not_stop(monkeypatch: pytest.MonkeyPatch, done: Done, why: str) -> None:
    answer(monkeypatch, done)
    with pytest.raises(FleetError) as error:
        units.stop(["a", "b"], 2)
    assert error.value.sentence == f"systemctl stop a b: {why}; find out why they do not end"


KEEPING: dict[str, tuple[tuple[Unit, ...], tuple[Unit, ...], str]] = {
    "nothing needs it": ((Unit("a", True, True),), (), ""),
    "what needs it is listed": ((Unit("a", True, True, takes=("b",)), Unit("b", True, True)), (), ""),
    "what needs it does not run": ((Unit("a", True, True, takes=("b",)),), (Unit("b", True, False, takes=("c",)),), ""),
    "it does not run": ((Unit("a", True, False, lasts=False, takes=("b",)),), (), ""),
    "it would not come back": (
        (Unit("a", True, True, lasts=False),), (),
        "unit a: could not be started again once it is stopped: it is transient or masked; end it yourself"),
    "others would end too": (
        (Unit("a", True, True, takes=("b",)),), (Unit("b", True, True, takes=("c",)), Unit("c", True, True)),
        "b, c: would be stopped by systemd together with the units that may be stopped; list them in "
        "gpu_partition_stop_units too"),
}


@pytest.mark.parametrize(("listed", "others", "sentence"), KEEPING.values(), ids=KEEPING)
def test_no_unit_is_lost(
    monkeypatch: pytest.MonkeyPatch, listed: tuple[Unit, ...], others: tuple[Unit, ...], sentence: str,
) -> None:
    monkeypatch.setattr(units, "ask", lambda names: tuple(unit for unit in others if unit.name in names))
    if not sentence:
        return units.refuse_losing(listed)
    with pytest.raises(FleetError) as error:
        units.refuse_losing(listed)
    assert error.value.sentence == sentence
    return None


STARTED = Done(0, "", "", 0)


def said(active: str) -> Done:
    return Done(0, f"LoadState=loaded\nActiveState={active}\n", "", 0)


STARTS: dict[str, tuple[bool, tuple[Done, ...], dict[str, str]]] = {
    "it runs": (True, (STARTED, said("active")), {}),
    "it takes a moment": (True, (STARTED, said("inactive"), said("active")), {}),
    "it is about to be and fails": (True, (STARTED, said("activating"), said("failed")), {"a": "failed; read its log (journalctl -u)"}),
    "it fails": (True, (STARTED, said("failed")), {"a": "failed; read its log (journalctl -u)"}),
    "nobody waits": (False, (STARTED,), {}),
    "it cannot be": (True, (Done(1, "", "Unit is masked.\n", 0),), {"a": "Unit is masked"}),
}


@pytest.mark.parametrize(("wait", "answers", "failed"), STARTS.values(), ids=STARTS)
def test_units_that_are_started(
    monkeypatch: pytest.MonkeyPatch, wait: bool, answers: tuple[Done, ...], failed: dict[str, str],
) -> None:
    answer(monkeypatch, *answers)
    assert units.start(["a"], 5, wait) == failed


def test_a_unit_that_never_runs(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(units, "run", lambda argv, _timeout: said("inactive") if argv[1] == "show" else STARTED)
    assert units.start(["a"], 0, True) == {"a": "is not active after 0 s"}


NOTES = [Note("b1", ("a.service",)), Note("b1", (), OwedDriver("6.14.14", "AAAA", 8)), Note("", ("a.service", "b.socket"), OwedDriver("", "", 0))]


@pytest.mark.parametrize("note", NOTES)
def test_what_is_noted_is_read_again(world: World, note: Note) -> None:
    assert units.read() is None
    units.write(note)
    assert units.read() == note
    units.settle(Note("b1", ()))
    assert units.read() is None
    units.settle(Note("b1", ()))


TORN: dict[str, t.Any] = {
    "no JSON": "{", "no mapping": "[]", "another version": '{"version": "v9", "boot": "b", "units": []}',
    "no name of a unit": '{"version": "v1", "boot": "b", "units": ["a\\u0000"]}', "boot is a number": '{"version": "v1", "boot": 1, "units": []}',
    "units are numbers": '{"version": "v1", "boot": "b", "units": [1]}',
    "more than is known": '{"version": "v1", "boot": "b", "units": [], "x": 1}',
    "the driver is a text": '{"version": "v1", "boot": "b", "units": [], "driver": "amdgpu"}', "deep": "[" * 100000,
}


@pytest.mark.parametrize("text", TORN.values(), ids=TORN)
def test_a_note_of_another_hand(world: World, text: str) -> None:
    Path(units.NOTE).write_text(text)
    with pytest.raises(FleetError) as error:
        units.read()
    assert error.value.sentence == f"{units.NOTE}: is not what a run writes there; {HINT}"


def test_a_note_that_cannot_be_written(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(units, "NOTE", "/proc/nothing/here.json")
    with pytest.raises(FleetError, match="cannot be replaced"):
        units.write(NOTES[0])
