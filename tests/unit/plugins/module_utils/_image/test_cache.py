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
from ansible_collections.instinct.fleet.plugins.module_utils._image.bench import PREFIX
from ansible_collections.instinct.fleet.plugins.module_utils._image.directory import brought, came, identity, use, used
from ansible_collections.instinct.fleet.plugins.module_utils._image.tools import Tools
from ansible_collections.instinct.fleet.tests.unit.plugins.image_world import World, of_ours

TOOLS = Tools(10)
OLD, NEW, BELOW, UNTAGGED, THEIRS, DERIVED, GONE = (str(number) * 64 for number in range(1, 8))
TAG = "localhost/duo/base:1"


@pytest.fixture
def directory(world: World) -> str:
    """Two images, the layer below one of them, one without a name that was brought, and two that are not ours: one is built on ours."""
    world.store = {OLD: ([TAG, "old:2"], of_ours("o", "b")), NEW: (["localhost/new/base:1"], of_ours("n", name="new")),
                   BELOW: (["localhost/below/base:1"], of_ours("b", name="below")), UNTAGGED: ([], of_ours("u")),
                   THEIRS: (["theirs:1"], {}), DERIVED: (["customer/app:1"], of_ours("o", "b"))}
    folder = str(world.folder / "images")
    came(folder, UNTAGGED)
    use(folder, DERIVED)
    use(folder, GONE)  # which somebody removed
    for at, ident in enumerate((UNTAGGED, OLD, BELOW, NEW)):
        use(folder, ident)
        os.utime(f"{folder}/used/{ident}", (at, at))
    return folder


def test_old_images_go(world: World, directory: str) -> None:
    os.mkdir(f"{directory}/archives")
    notes = {"old": (OLD, of_ours("o")), "new": (NEW, of_ours("n")), "theirs": (THEIRS, {}), "derived": (DERIVED, of_ours("o")), "gone": ("7" * 64, {})}
    for name, text in (*((f"{name}.tar.json", json.dumps({"id": one, "labels": of})) for name, (one, of) in notes.items()), ("old.tar", ""),
                       ("odd.tar.json", "{"), ("list.tar.json", "[]"), ("null.tar.json", '{"labels": null}'), ("readme", ""), ("half.tar.part", "")):
        with open(f"{directory}/archives/{name}", "w", encoding="utf-8") as stream:
            stream.write(text)
    foreseen = cache.pruned(directory, 1, [], TOOLS, check=True)
    assert foreseen.actions == (*(f"remove the image {one}" for one in (TAG, "localhost/below/base:1", UNTAGGED[:12])),
                                *(f"remove {directory}/archives/{name}" for name in ("half.tar.part", "old.tar", "old.tar.json")))
    assert len(world.store) == 6
    done = cache.pruned(directory, 1, [], TOOLS, check=False)
    assert (done.actions, sorted(world.store), used(directory, OLD)) == (foreseen.actions, [NEW, THEIRS, DERIVED], None)
    assert done.values["kept"] == {"localhost/new/base:1": "it is among the last 1 by use"} and not brought(directory, UNTAGGED)
    assert sorted(os.listdir(f"{directory}/used")) == [NEW, DERIVED]
    assert sorted(os.listdir(f"{directory}/archives")) == [
        "derived.tar.json", "gone.tar.json", "list.tar.json", "new.tar.json", "null.tar.json", "odd.tar.json", "readme", "theirs.tar.json"]
    assert cache.pruned(directory, 1, [], TOOLS, check=False).actions == ()


def test_what_runs_or_is_pinned_stays(world: World, directory: str) -> None:
    world.containers = [OLD]
    done = cache.pruned(directory, 0, ["localhost/new/base:1"], TOOLS, check=False)
    assert done.values["kept"] == {TAG: "a container is made of it", "localhost/new/base:1": "it is pinned",
                                   "localhost/below/base:1": "an image that stays stands on it"}
    assert done.values["unknown_pins"] == []
    assert (used(directory, OLD) or 0) > 10, "to have a container is to be used"


def test_a_pin_that_nothing_has_is_told(world: World, directory: str) -> None:
    pins = ["localhost/new/base:2", THEIRS, "theirs:1", "o", "localhost/new/base:2"]
    assert cache.pruned(directory, 9, pins, TOOLS, check=True).values["unknown_pins"] == ["localhost/new/base:2"]


def test_one_that_does_not_go_keeps_none_of_the_others(world: World, directory: str) -> None:
    world.fails = {f"podman rmi {TAG}": "Error: image used by 1: image is in use by a container"}
    foreseen = cache.pruned(directory, 0, [], TOOLS, check=True)
    done = cache.pruned(directory, 0, [], TOOLS, check=False)
    assert set(foreseen.actions) - set(done.actions) == {f"remove the image {TAG}"} and TAG not in done.values["removed"]
    assert done.values["kept"] == {TAG: "podman does not remove it: image used by 1: image is in use by a container"}
    assert (used(directory, OLD), used(directory, NEW), sorted(world.store)) == (1, None, sorted([OLD, THEIRS, DERIVED]))


def test_what_a_build_left_is_no_use_of_an_image(world: World, directory: str) -> None:
    """Else its base would stay for it, until a layer is built here again."""
    mine = f"{PREFIX}{identity(directory)}:below"
    world.store[OLD][0].append(mine)
    world.working["half"] = ("working-container", mine)
    done = cache.pruned(directory, 0, [], TOOLS, check=False)
    assert not world.working and TAG in done.values["removed"]
    assert "podman ps --all --external --format json" in world.told, "containers of buildah count"


def test_files_are_read_into_memory(world: World, directory: str, monkeypatch: pytest.MonkeyPatch) -> None:
    root = world.folder / "root"
    (root / "a").write_bytes(b"x" * 3000)
    os.link(root / "a", root / "again")
    os.symlink("a", root / "link")
    (root / "empty").touch()
    monkeypatch.setattr(cache, "_in_memory", lambda _path, length: length // 3)
    foreseen = cache.prewarmed(directory, ["localhost/new/base:1"], TOOLS, check=True)
    assert (foreseen.actions, foreseen.values["images"][0]["state"]) == (("read 2000 bytes of localhost/new/base:1 into memory",), "cold")
    done = cache.prewarmed(directory, ["localhost/new/base:1"], TOOLS, check=False)
    assert done.values["images"] == [{"name": "localhost/new/base:1", "id": NEW, "bytes": 3000, "cold_bytes": 2000, "state": "warmed"}]
    monkeypatch.setattr(cache, "_available", lambda: 4000)
    assert cache.prewarmed(directory, ["localhost/new/base:1"], TOOLS, check=False).values["images"][0]["state"] == "too_large"
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
