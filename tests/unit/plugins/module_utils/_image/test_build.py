# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One layer: its loader is asked about every library of RDMA, and its files are looked at; whole runs are in test_apply.py."""

from __future__ import annotations

import dataclasses as dc
import re

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.image import labels
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.plan import steps
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.shape import File, Image, Layer
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.shape import UserSpace
from ansible_collections.instinct.fleet.tests.unit.plugins.image_world import LDD, MLX5, World, image, sha256


def build(world: World, wanted: Image | None = None) -> None:
    (world.folder / "images").mkdir(exist_ok=True)
    wanted = wanted or image(world.folder / "base.tar")
    world.builder().built(wanted, steps(wanted, {})[0], "", 0)


def asked(world: World) -> list[str]:
    """The files that the loader is asked about."""
    found = [re.fullmatch(r"buildah run --user 0 instinct-look-[0-9a-f]{16} -- "
                          r"/bin/sh -c exec >\S+ 2>&1; shift; exec ldd -r \S+ sh /instinct-[0-9a-f]{16} (.*)", one)
             for one in world.told if one.startswith("buildah run")]
    return [one[1] for one in found if one]


def test_the_loader_is_asked_about_every_library(world: World) -> None:
    build(world)
    assert asked(world) == [f"/lib/libibverbs.so.1 {MLX5}"]


def test_one_library_is_named_twice_for_ldd_to_name_it(world: World) -> None:
    world.seen = dc.replace(world.seen, rdma=UserSpace("/lib/libibverbs.so.1"))
    build(world)
    assert asked(world) == ["/lib/libibverbs.so.1 /lib/libibverbs.so.1"]


def test_without_rdma_nothing_is_asked(world: World) -> None:
    world.seen = dc.replace(world.seen, rdma=UserSpace())
    build(world)
    assert asked(world) == []


@pytest.mark.parametrize(("said", "sentence"), [
    ("", "image duo, layer base: its loader cannot be asked about /lib/libibverbs.so.1, .*: it failed and did not say why; let a layer have ldd and bash"),
    ("error: exec ldd: no such file", "about /lib/libibverbs.so.1, .*libmlx5-rdmav34.so: exec ldd: no such file; "),
    (LDD.partition(MLX5)[0], "libmlx5-rdmav34.so lacks an answer of ldd"),
])
def test_a_loader_that_does_not_answer_is_no_good_answer(world: World, said: str, sentence: str) -> None:
    world.ldd = said
    with pytest.raises(FleetError, match=sentence):
        build(world)
    assert world.store == {}


def test_what_another_directory_built_meanwhile_is_taken(world: World) -> None:
    """Else its run would lose the image that it is about to tell of."""
    wanted = image(world.folder / "base.tar")
    step = steps(wanted, {})[0]
    world.meanwhile = lambda: world.store.update({"e" * 64: ([step.tag], {labels.KEY: step.key})})
    (world.folder / "images").mkdir()
    assert world.builder().built(wanted, step, "", 0) == ("e" * 64, None)
    assert world.names() == [step.tag] and list(world.store) == ["e" * 64]


def test_a_layer_that_was_built_in_part_gets_no_name(world: World) -> None:
    """An engine that does not read a Containerfile to its end does not say so."""
    wanted = image(world.folder / "base.tar")
    world.meanwhile = lambda: [said.clear() for _names, said in world.store.values()]
    (world.folder / "images").mkdir()
    with pytest.raises(FleetError, match="layer base: is not built whole"):
        world.builder().built(wanted, steps(wanted, {})[0], "", 0)
    assert world.store == {}


def test_a_name_that_somebody_gave_another_image_stays_with_it(world: World) -> None:
    wanted = image(world.folder / "base.tar")
    step = steps(wanted, {})[0]
    world.store["e" * 64] = ([step.tag], {})
    with pytest.raises(FleetError, match=f"{step.tag}: is the name of the image {'e' * 12}, which is not this layer; give that one another name"):
        build(world, wanted)
    assert world.store == {"e" * 64: ([step.tag], {})}


def test_to_look_into_an_image_its_loader_is_not_asked(world: World) -> None:
    (world.folder / "images").mkdir()
    assert world.builder().seen("a" * 64) == world.seen and asked(world) == []


def test_files_are_in_the_tree_as_they_are_pinned(world: World) -> None:
    (world.folder / "model").write_text("model")
    file = File(f"{world.folder}/model", f"sha256:{sha256('model')}", "/model")
    wanted = image(world.folder / "base.tar", layers=(Layer("base", files=(file,)),))
    (world.folder / "root/model").write_text("other")
    with pytest.raises(FleetError, match=r"image duo, layer base: it is not as wanted: /model has the digest .*; let each file have a path of its own"):
        build(world, wanted)
    assert world.store == {}
    (world.folder / "root/model").write_text("model")
    (world.folder / "root/model").chmod(0o644)
    build(world, wanted)
    assert len(world.names()) == 1
