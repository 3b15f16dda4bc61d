# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever layers an image has: their order, keys and plan fit each other, and what is built once is never built again."""

from __future__ import annotations

import dataclasses as dc
import random

from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.instinct.fleet.plugins.module_utils._core.image.definition import Draft
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.key import keys
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.order import ordered
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.plain import given as arrived
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.plain import plain
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.plan import steps
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.prune import Stored, plan
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.shape import File, Image, Layer, Package
from ansible_collections.instinct.fleet.tests.unit.support.images import IMAGE, B

WORDS = st.text("abc", min_size=1, max_size=3)
LAYERS = st.builds(
    Layer, WORDS, st.lists(st.builds(Package, WORDS, WORDS), max_size=2).map(tuple), st.just(()),
    st.lists(st.just(File("/a", B, "/b")), max_size=1).map(tuple), st.lists(WORDS, max_size=2).map(tuple),
    st.dictionaries(WORDS, st.text('$"\\\\ab', min_size=1, max_size=4), max_size=2), st.integers(0, 9))
IMAGES = st.lists(LAYERS, min_size=1, max_size=5, unique_by=lambda layer: layer.name).map(
    lambda layers: dc.replace(IMAGE, layers=tuple(layers)))


@given(st.lists(WORDS, min_size=1, max_size=6, unique=True), st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_layers_written_in_any_order_are_one_pile(names: list[str], chance: random.Random) -> None:
    pile = [Draft(name, below) for name, below in zip(names, ["", *names], strict=False)]
    assert ordered(chance.sample(pile, len(pile)), "f") == tuple(pile)


@given(IMAGES, st.data())
@settings(max_examples=50, deadline=None)
def test_what_was_built_is_not_built_again(image: Image, data: st.DataObject) -> None:
    assert arrived(plain(image)) == image
    all_keys = keys(image)
    have = {key: key[:12] for key in data.draw(st.sets(st.sampled_from(all_keys)))}
    built = {**have, **{step.key: step.key[:12] for step in steps(image, have) if step.reason}}
    assert all(not step.reason for step in steps(image, built))
    assert all_keys[-1] in built
    for step in steps(image, have):
        assert not (step.reason and step.id)


@given(IMAGES, LAYERS, st.integers(0, 4))
@settings(max_examples=50, deadline=None)
def test_another_layer_changes_its_key_and_those_above_alone(image: Image, layer: Layer, index: int) -> None:
    index %= len(image.layers)
    other = dc.replace(layer, name=image.layers[index].name)
    changed = dc.replace(image, layers=tuple(other if place == index else one for place, one in enumerate(image.layers)))
    same = index if other != image.layers[index] else len(image.layers)
    assert [a == b for a, b in zip(keys(image), keys(changed), strict=True)] == [place < same for place in range(len(image.layers))]


STORED = st.builds(
    lambda used, running, below: Stored("", (), "", tuple(f"k{one}" for one in below), used, running),
    st.none() | st.integers(0, 9).map(float), st.booleans(), st.sets(st.integers(0, 7), max_size=2))


@given(st.lists(STORED, max_size=8), st.integers(0, 4), st.sets(st.integers(0, 7).map("k{}".format), max_size=2))
@settings(max_examples=50, deadline=None)
def test_nothing_that_is_needed_goes(found: list[Stored], keep: int, pinned: set[str]) -> None:
    # A layer stands on those that are older than it: circles there are none.
    stored = [dc.replace(one, id=f"i{place}", key=f"k{place}", below=tuple(key for key in one.below if key < f"k{place}"))
              for place, one in enumerate(found)]
    fates = plan(stored, keep, pinned)
    assert [fate.stored for fate in fates] == stored
    kept = [fate.stored for fate in fates if fate.reason]
    needed = {key for one in kept for key in one.below}
    for fate in fates:
        if not fate.reason:
            assert not fate.stored.running and fate.stored.key not in pinned | needed
    assert sum(fate.reason.startswith("it is among") for fate in fates) <= keep
