# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""rocm_image_cache as Ansible calls it: nothing goes or is read in check mode, and the second run has nothing to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._image import cache
from ansible_collections.instinct.fleet.plugins.module_utils._image.directory import use
from ansible_collections.instinct.fleet.plugins.modules import rocm_image_cache
from ansible_collections.instinct.fleet.tests.unit.plugins.image_world import World, of_ours
from ansible_collections.instinct.fleet.tests.unit.plugins.run_module import run_module

OLD, TAG = "1" * 64, "localhost/duo/base:1"


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    found = World(tmp_path).live(monkeypatch)
    found.store[OLD] = ([TAG], of_ours("o"))
    use(str(tmp_path / "images"), OLD)
    return found


def test_pruned(world: World) -> None:
    asked = {"state": "pruned", "keep": 0, "directory": str(world.folder / "images")}
    foreseen = run_module(rocm_image_cache, asked, check=True)
    assert (foreseen["changed"], foreseen["removed"], list(world.store)) == (True, [TAG], [OLD])
    done, again = run_module(rocm_image_cache, asked), run_module(rocm_image_cache, asked)
    assert (done["changed"], done["actions"], again["changed"], world.store) == (True, foreseen["actions"], False, {})


def test_a_pin_that_nothing_has_is_a_warning(world: World) -> None:
    asked = {"state": "pruned", "pinned": [TAG, "old:2"], "directory": str(world.folder / "images")}
    told: list[str] = []
    said = run_module(rocm_image_cache, asked, warn=lambda _self, text: told.append(text))
    assert (said["unknown_pins"], said["changed"]) == (["old:2"], False)
    assert told == ["pinned: no image of this node has old:2, so nothing stays for it"]
    assert "rocm_image_keep: is -1, and cannot be less than 0" in run_module(rocm_image_cache, {**asked, "keep": -1})["msg"]


def test_prewarmed(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    (world.folder / "root/a").write_bytes(b"x" * 10)
    asked = {"state": "prewarmed", "images": [TAG], "directory": str(world.folder / "images")}
    monkeypatch.setattr(cache, "_in_memory", lambda _path, _length: 0)
    done = run_module(rocm_image_cache, asked)
    assert (done["changed"], done["images"][0]["state"]) == (True, "warmed")
    monkeypatch.setattr(cache, "_in_memory", lambda _path, length: length)
    assert not run_module(rocm_image_cache, asked)["changed"]
    assert "gone: is not in the store" in run_module(rocm_image_cache, {**asked, "images": ["gone"]})["msg"]
