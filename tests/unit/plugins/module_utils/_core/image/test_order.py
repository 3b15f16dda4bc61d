# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers in the order in which they stand on each other."""

from __future__ import annotations

import itertools

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.definition import Draft
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.order import ordered

THREE = (Draft("base"), Draft("rocm", "base"), Draft("application", "rocm"))


@pytest.mark.parametrize("drafts", list(itertools.permutations(THREE)), ids=lambda drafts: " ".join(d.name for d in drafts))
def test_the_order_is_that_of_the_parents(drafts: tuple[Draft, ...]) -> None:
    assert ordered(drafts, "f") == THREE


@pytest.mark.parametrize(("drafts", "sentence"), [
    ((Draft("base"), Draft("rocm", "bas")), "f: layer rocm stands on 'bas', which is no layer; did you mean base?"),
    ((Draft("base"), Draft("rocm", "xyz")), "f: layer rocm stands on 'xyz', which is no layer; did you mean base?"),
    ((Draft("a", "b"), Draft("b", "a")), "f: layers a, b stand on each other in a circle; let the lowest layer name no parent"),
    ((Draft("a", "a"),), "f: layers a stand on each other in a circle; "),
    ((Draft("base"), Draft("a", "b"), Draft("b", "a")), "f: layers a, b stand on each other in a circle; "),
    ((Draft("a"), Draft("b")), "f: layers a and b both stand on the base, as they name no parent; let one stand on the other"),
    ((Draft("a"), Draft("b", "a"), Draft("c", "a")), "f: layers b and c both stand on layer a; "),
    ((Draft("a"), Draft("a", "a")), "f: layer a is there twice; rename one"),
])
def test_layers_that_are_no_pile(drafts: tuple[Draft, ...], sentence: str) -> None:
    with pytest.raises(DataError) as refusal:
        ordered(drafts, "f")
    assert refusal.value.sentence.startswith(sentence)
