# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of a directory in a store; what they are for is shown with whole runs in test_apply.py."""

from __future__ import annotations

from ansible_collections.instinct.fleet.plugins.module_utils._image.bench import PREFIX, Bench
from ansible_collections.instinct.fleet.plugins.module_utils._image.tools import Tools
from ansible_collections.instinct.fleet.tests.unit.plugins.image_world import World

BENCH = Bench(Tools(10), "0123456789abcdef")
MINE = f"{PREFIX}0123456789abcdef"


def test_what_a_layer_stands_on(world: World) -> None:
    world.store = {"a" * 64: (["theirs:1"], {})}
    assert (BENCH.base("theirs:1"), BENCH.base("")) == (f"{MINE}:below", f"{MINE}:empty")
    BENCH.lay("theirs:1", str(world.folder), "layer base")
    BENCH.lay("", str(world.folder), "layer base")
    assert world.names() == [f"{MINE}:below", f"{MINE}:empty", "theirs:1"]
    assert world.told[-1].startswith(f"buildah build --layers --tag {MINE}:empty ")


def test_an_image_that_others_stand_on_stays_with_its_own_names(world: World) -> None:
    world.store = {"a" * 64: (["theirs:1"], {})}
    with BENCH.tidied():
        BENCH.lay("theirs:1", str(world.folder), "layer base")
        BENCH.lay("", str(world.folder), "layer base")
    assert world.store == {"a" * 64: (["theirs:1"], {})}


def test_images_that_something_is_taken_from_stay_and_what_works_on_them_goes(world: World) -> None:
    world.store = {"a" * 64: (["theirs:1"], {}), "b" * 64: (["rdma:1"], {})}
    with BENCH.tidied():
        BENCH.lay("theirs:1", str(world.folder), "layer base", ["rdma:1"])
        assert world.names() == [f"{MINE}:below", f"{MINE}:from-0", "rdma:1", "theirs:1"] and BENCH.names(["rdma:1"]) == {"rdma:1": f"{MINE}:from-0"}
        world.working = {"half": ("rdma-working-container", f"{MINE}:from-0"), "other": ("rdma-working-container-1", "rdma:1")}
    assert world.store == {"a" * 64: (["theirs:1"], {}), "b" * 64: (["rdma:1"], {})}
    assert list(world.working) == ["other"]


def test_an_engine_that_fails_hides_nothing_else(world: World) -> None:
    world.fails = {"buildah containers": "Error: no"}
    BENCH.tidy()
    assert world.told == ["buildah containers --json"]
