# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a node keeps: the last by use, what is pinned or runs, and in memory what is asked for."""

from __future__ import annotations

import json
import os

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._image import cache
from ansible_collections.instinct.fleet.plugins.module_utils._image.directory import use, used
from ansible_collections.instinct.fleet.plugins.module_utils._image.tools import Tools
from ansible_collections.instinct.fleet.tests.unit.plugins.image_world import World, of_ours

TOOLS = Tools(10)
OLD, NEW, BELOW, UNTAGGED, THEIRS = ("1" * 64, "2" * 64, "3" * 64, "4" * 64, "5" * 64)


@pytest.fixture
def directory(world: World) -> str:
    """Two images, the layer below one of them, one without a name, and one that is not ours."""
    world.store = {OLD: (["old:1", "old:2"], of_ours("o", "b")), NEW: (["new:1"], of_ours("n")), BELOW: (["below:1"], of_ours("b")),
                   UNTAGGED: ([], of_ours("u")), THEIRS: (["theirs:1"], {})}
    folder = str(world.folder / "images")
    for at, ident in enumerate((UNTAGGED, OLD, BELOW, NEW)):
        use(folder, ident)
        os.utime(f"{folder}/used/{ident}", (at, at))
    return folder


def test_old_images_go(world: World, directory: str) -> None:
    os.mkdir(f"{directory}/archives")
    for name, text in (("old.tar", ""), ("old.tar.json", json.dumps({"id": OLD})), ("new.tar.json", json.dumps({"id": NEW})),
                       ("odd.tar.json", "{"), ("list.tar.json", "[]"), ("readme", "")):
        with open(f"{directory}/archives/{name}", "w", encoding="utf-8") as stream:
            stream.write(text)
    foreseen = cache.pruned(directory, 1, [], TOOLS, check=True)
    assert foreseen.actions == ("remove the image old:1", *(f"remove the image {one}" for one in ("below:1", UNTAGGED[:12])),
                                *(f"remove {directory}/archives/{name}" for name in ("old.tar", "old.tar.json")))
    assert len(world.store) == 5
    done = cache.pruned(directory, 1, [], TOOLS, check=False)
    assert (done.actions, sorted(world.store), used(directory, OLD)) == (foreseen.actions, [NEW, THEIRS], None)
    assert done.values["kept"] == {"new:1": "it is among the last 1 by use"}
    assert sorted(os.listdir(f"{directory}/archives")) == ["list.tar.json", "new.tar.json", "odd.tar.json", "readme"]
    assert cache.pruned(directory, 1, [], TOOLS, check=False).actions == ()


def test_what_runs_or_is_pinned_stays(world: World, directory: str) -> None:
    world.containers = [OLD]
    done = cache.pruned(directory, 0, ["new:1"], TOOLS, check=False)
    assert done.values["kept"] == {"old:1": "a container is made of it", "new:1": "it is pinned", "below:1": "an image that stays stands on it"}
    assert (used(directory, OLD) or 0) > 10, "to have a container is to be used"


def test_files_are_read_into_memory(world: World, directory: str, monkeypatch: pytest.MonkeyPatch) -> None:
    root = world.folder / "root"
    (root / "a").write_bytes(b"x" * 3000)
    os.link(root / "a", root / "again")
    os.symlink("a", root / "link")
    (root / "empty").touch()
    monkeypatch.setattr(cache, "_in_memory", lambda _path, length: length // 3)
    foreseen = cache.prewarmed(directory, ["new:1"], TOOLS, check=True)
    assert (foreseen.actions, foreseen.values["images"][0]["state"]) == (("read 2000 bytes of new:1 into memory",), "cold")
    done = cache.prewarmed(directory, ["new:1"], TOOLS, check=False)
    assert done.values["images"] == [{"name": "new:1", "id": NEW, "bytes": 3000, "cold_bytes": 2000, "state": "warmed"}]
    monkeypatch.setattr(cache, "_available", lambda: 4000)
    assert cache.prewarmed(directory, ["new:1"], TOOLS, check=False).values["images"][0]["state"] == "too_large"
    assert world.told.count(f"podman image unmount {NEW}") == 3
    with pytest.raises(FleetError, match="gone:1: is not in the store"):
        cache.prewarmed(directory, ["gone:1"], TOOLS, check=False)


def test_what_is_in_memory_is_not_read(world: World, directory: str) -> None:
    (world.folder / "root/a").write_bytes(b"x" * 300_000)
    cache.prewarmed(directory, [NEW], TOOLS, check=False)
    again = cache.prewarmed(directory, [NEW], TOOLS, check=False)
    assert (again.actions, again.values["images"][0]["state"], again.values["images"][0]["bytes"]) == ((), "warm", 300_000)


@pytest.mark.parametrize("name", ["mmap", "mincore"])
def test_a_kernel_that_cannot_tell_has_nothing_in_memory(world: World, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    (world.folder / "root/a").write_bytes(b"x" * 3000)
    monkeypatch.setattr(cache._C, name, lambda *_args: cache._FAILED)
    assert cache._measured(str(world.folder / "root")) == (3000, 3000)
    assert cache._in_memory(str(world.folder / "root/gone"), 3000) == 0
