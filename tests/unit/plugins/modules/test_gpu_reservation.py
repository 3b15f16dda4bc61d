# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""gpu_reservation: options reach the node, and what comes of it is returned; nine steps of create, modify and remove."""

from __future__ import annotations

import dataclasses as dc
import typing as t
from pathlib import Path

import pytest
import yaml

from ansible_collections.instinct.fleet.plugins.module_utils._core.act.fileset import Seen
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation import record
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.shape import Record
from ansible_collections.instinct.fleet.plugins.module_utils._reservation import request
from ansible_collections.instinct.fleet.plugins.modules import gpu_reservation
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree
from ansible_collections.instinct.fleet.tests.unit.plugins.reservation_world import RECORD, World
from ansible_collections.instinct.fleet.tests.unit.plugins.run_module import run_module
from ansible_collections.instinct.fleet.tests.unit.support.granted import HALF, OTHER_HALF, VISION

FEWER = dc.replace(RECORD, tenants=(VISION,), grants=RECORD.grants[1:], pool=(HALF, OTHER_HALF))


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    found = World(Tree(tmp_path), monkeypatch)
    monkeypatch.setattr(request, "see", lambda path: Seen("file", found.files[path]) if path in found.files else Seen())
    return found


def run(wanted: Record | None, check: bool = False, **options: t.Any) -> dict[str, t.Any]:
    given = {"state": "absent"} if wanted is None else {"record": record.plain(wanted)}
    return run_module(gpu_reservation, {**given, **options}, check=check)


@pytest.mark.usefixtures("world")
def test_create_modify_and_remove_each_told_done_and_done_no_more() -> None:
    for wanted in (RECORD, FEWER, None):
        told, done, again = run(wanted, check=True), run(wanted), run(wanted)
        assert (told["changed"], done["changed"], again["changed"]) == (True, True, False)
        assert told == done
        assert (again["actions"], again["diff"]) == ([], [])


def test_what_is_wrong_is_one_sentence_and_nothing_is_written(world: World) -> None:
    world.strangers = {"alice"}
    failed = run(RECORD)
    assert (failed["failed"], failed["msg"]) == (
        True, "user alice of tenant vision: does not exist on the node; create it first, or take it out of gpu_reservation_tenants")
    assert failed["failure"]["hint"].startswith("create it first") and world.files == {}


def test_present_needs_a_record() -> None:
    assert "record" in run_module(gpu_reservation, {})["msg"]


def test_documentation_is_the_specification() -> None:
    options = yaml.safe_load(gpu_reservation.DOCUMENTATION)["options"]
    assert {name: (one["type"], one.get("default"), one.get("choices")) for name, one in options.items()} == {
        name: (one["type"], one.get("default"), one.get("choices")) for name, one in gpu_reservation.SPEC.items()}


@pytest.mark.usefixtures("world")
def test_every_returned_value_is_documented() -> None:
    documented = set(yaml.safe_load(gpu_reservation.RETURN)) - {"failure"}
    assert documented == set(run(RECORD)) - {"changed", "diff", "failed"}
