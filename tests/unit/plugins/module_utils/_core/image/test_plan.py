# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which layers are built."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.image.key import keys
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.labels import of
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.plan import own_tag, steps
from ansible_collections.instinct.fleet.tests.unit.support.images import IMAGE

BASE, ROCM, TOP = KEYS = keys(IMAGE)
NONE = "no image has its key"


@pytest.mark.parametrize(("have", "ids", "reasons"), [
    ({}, ["", "", ""], [NONE, "base is built anew", "rocm is built anew"]),
    ({BASE: "1"}, ["1", "", ""], ["", NONE, "rocm is built anew"]),
    ({BASE: "1", ROCM: "2"}, ["1", "2", ""], ["", "", NONE]),
    ({BASE: "1", ROCM: "2", TOP: "3"}, ["1", "2", "3"], ["", "", ""]),
    ({ROCM: "2"}, ["", "2", ""], ["", "", NONE]),
    ({TOP: "3"}, ["", "", "3"], ["", "", ""]),
    ({"other": "9"}, ["", "", ""], [NONE, "base is built anew", "rocm is built anew"]),
])
def test_what_is_there_is_not_built_and_what_is_above_is(have: dict[str, str], ids: list[str], reasons: list[str]) -> None:
    found = steps(IMAGE, have)
    assert [step.id for step in found] == ids
    assert [step.reason for step in found] == reasons


def test_a_step_tells_what_it_makes() -> None:
    step = steps(IMAGE, {})[1]
    assert (step.index, step.layer, step.key) == (1, "rocm", ROCM)
    assert step.tag == f"localhost/site/rocm:rocm-7.0.2-{ROCM[:12]}"
    assert step.labels == of(IMAGE, 1, KEYS)


def test_the_tag_is_known_by_the_labels() -> None:
    step = steps(IMAGE, {})[1]
    assert own_tag(step.labels) == step.tag
    assert own_tag({"maintainer": "somebody"}) == ""
