# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a killed run owes is put back by the next."""

from __future__ import annotations

import dataclasses as dc
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._partition import units
from ansible_collections.instinct.fleet.plugins.module_utils._partition.heal import foreseen, heal
from ansible_collections.instinct.fleet.tests.unit.plugins.partition_world import DISK, World, request

DRIVER = units.OwedDriver("6.14.14", "AAAA", 2)
KILLED = ["an earlier run was ended in the middle of a change"]


def test_nothing_is_owed(world: World) -> None:
    ended = heal(request())
    assert (ended.actions, ended.notes, world.log) == ([], [], [])


FORESEEN: dict[str, tuple[units.Note | None, list[str], list[str]]] = {
    "nothing": (None, [], []),
    "of this boot": (units.Note("b1", ("b.service",), DRIVER), ["load amdgpu", "start b.service"], KILLED),
    "of another": (units.Note("b0", ("b.service",)), [],
                   ["a run before this boot was ended in the middle of a change, and had stopped b.service"]),
}


@pytest.mark.parametrize(("note", "actions", "notes"), FORESEEN.values(), ids=FORESEEN)
def test_what_would_be_put_back(world: World, note: units.Note | None, actions: list[str], notes: list[str]) -> None:
    world.loaded = None
    if note is not None:
        units.write(note)
    ended = foreseen()
    assert (ended.actions, ended.notes, world.acts, units.read()) == (actions, notes, [], note)


def test_a_note_that_cannot_be_read_is_told(world: World) -> None:
    Path(units.NOTE).write_text("{")
    assert foreseen().notes == [f"{units.NOTE}: is not what a run writes there; start the units that it names by hand, then remove it"]


def test_units_are_started(world: World) -> None:
    world.active.clear()
    units.write(units.Note("b1", ("a.service", "b.service")))
    ended = heal(request())
    assert (ended.actions, ended.notes) == (["start a.service", "start b.service"], KILLED)
    assert (world.active, units.read()) == ({"a.service", "b.service"}, None)


def test_the_driver_comes_before_the_units(world: World) -> None:
    world.loaded = None
    units.write(units.Note("b1", ("a.service",), DRIVER))
    assert heal(request()).actions == ["load amdgpu", "start a.service"]
    assert world.acts == ["load amdgpu", "start a.service"]


def test_a_driver_that_is_there_is_left_alone(world: World) -> None:
    units.write(units.Note("b1", (), DRIVER))
    assert (heal(request()).actions, world.acts, units.read()) == ([], [], None)


def test_units_that_are_gone_are_not_owed_for_ever(world: World) -> None:
    units.write(units.Note("b1", ("removed.service",)))
    ended = heal(request())
    assert (ended.actions, units.read()) == ([], None)
    assert ended.notes == [*KILLED, "removed.service was stopped for a change and is not there any more"]


@pytest.mark.parametrize(("noted", "now"), [("b1", None), ("", "b1")])
def test_what_is_not_known_to_be_another_boot_is_this_one(world: World, noted: str, now: str | None) -> None:
    world.boot = now or ""
    units.write(units.Note(noted, ("b.service",)))
    assert (heal(request()).actions, "b.service" in world.active) == (["start b.service"], True)


def test_what_came_back_is_said_though_not_all_did(world: World) -> None:
    world.fails["systemctl start --no-block -- b.service"] = "Unit is masked"
    units.write(units.Note("b1", ("a.service", "b.service")))
    with pytest.raises(FleetError, match=r"b\.service: was stopped") as error:
        heal(request())
    assert error.value.values == {"changed": True, "actions": ["start a.service"], "notes": KILLED}  # type: ignore[attr-defined]
    assert units.read() == units.Note("b1", ("b.service",))


def test_after_a_reboot_nothing_is_owed(world: World) -> None:
    units.write(units.Note("b0", ("b.service",), DRIVER))
    ended = heal(request())
    assert ended.notes == ["a run before this boot was ended in the middle of a change, and had stopped b.service"]
    assert (world.acts, units.read()) == ([], None)


def test_another_driver_on_disk_is_not_loaded_and_units_start_all_the_same(world: World) -> None:
    world.loaded, world.disk = None, dc.replace(DISK, version="6.16.6")
    units.write(units.Note("b1", ("b.service",), DRIVER))
    with pytest.raises(FleetError) as error:
        heal(request())
    assert error.value.sentence == (f"{DISK.path}: is 6.16.6 (srcversion AAAA), and not the driver that a change of partitions "
                                    "took out; load a driver (gpu_driver_load)")
    assert ("b.service" in world.active, units.read()) == (True, units.Note("b1", (), DRIVER))
