# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""rocm_image_store as Ansible calls it: what is asked in which state, and in which form it answers."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.modules import rocm_image_store
from ansible_collections.instinct.fleet.tests.unit.plugins.image_world import World
from ansible_collections.instinct.fleet.tests.unit.plugins.run_module import run_module

TAG = "localhost/duo/application:1"


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    found = World(tmp_path).live(monkeypatch)
    found.store["a" * 64] = ([TAG], {})
    return found


def test_there_and_back(world: World) -> None:
    where: dict[str, t.Any] = {"archive": str(world.folder / "duo.tar"), "directory": str(world.folder / "images")}
    asked = {"state": "exported", "image": TAG, **where}
    foreseen, done, again = run_module(rocm_image_store, asked, check=True), run_module(rocm_image_store, asked), run_module(rocm_image_store, asked)
    assert (foreseen["changed"], done["changed"], again["changed"], foreseen["actions"] == done["actions"]) == (True, True, False, True)
    world.store.clear()
    asked = {"state": "imported", "tag": TAG, "id": done["id"], "digest": done["digest"], **where}
    foreseen, done, again = run_module(rocm_image_store, asked, check=True), run_module(rocm_image_store, asked), run_module(rocm_image_store, asked)
    assert (foreseen["changed"], done["changed"], again["changed"]) == (True, True, False) and TAG in world.names()
    asked = {"state": "pushed", "destination": "reg.example.org/duo:1", **where}
    done, again = run_module(rocm_image_store, asked), run_module(rocm_image_store, asked)
    assert (done["changed"], again["changed"], done["reference"]) == (True, False, f"reg.example.org/duo@{done['digest']}")
    world.store.clear()
    pulled = run_module(rocm_image_store, {"state": "pulled", "image": done["reference"], "id": "a" * 64, "directory": where["directory"]})
    assert (pulled["changed"], list(world.store)) == (True, ["a" * 64])


@pytest.mark.parametrize(("asked", "sentence"), [
    ({"state": "exported", "image": TAG}, "state is exported but all of the following are missing: archive"),
    ({"state": "pulled", "image": "reg/duo:latest"}, "reg/duo:latest: is not pinned by a digest"),
    ({"state": "gone"}, "value of state must be one of"),
])
def test_refused(world: World, asked: dict[str, t.Any], sentence: str) -> None:
    said = run_module(rocm_image_store, {**asked, "directory": str(world.folder / "images")})
    assert said["failed"] and sentence in said["msg"]
