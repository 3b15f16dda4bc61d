# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who may open which device node."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.text_access import (
    CLOSED,
    DOOR,
    Access,
    Node,
    access,
    released,
)
from ansible_collections.instinct.fleet.tests.unit.support.granted import FIRST, HALF, OTHER_HALF, RECORD, SHARED, SPARE

SHARED_BY_TWO = Access("root", 0o660, ("gpu-research", "gpu-vision"))
CARD = "/dev/dri/card0"
CASES = {
    "the door of KFD is open to the render group": (Node("/dev/kfd", "kfd"), DOOR),
    "a device of one tenant": (Node(str(FIRST.render_node), "render", FIRST.gpu), Access("gpu-vision")),
    "its card follows it": (Node(CARD, "card", FIRST.gpu), Access("gpu-vision")),
    "a device of two": (Node(str(SHARED.render_node), "render", SHARED.gpu), SHARED_BY_TWO),
    "a half": (Node(str(HALF.render_node), "render"), Access("gpu-research")),
    "a half that nobody has": (Node(str(OTHER_HALF.render_node), "render"), DOOR),
    "a spare": (Node(str(SPARE.render_node), "render", SPARE.gpu), CLOSED),
    "the card of a divided GPU": (Node(CARD, "card", HALF.gpu), CLOSED),
    "the card of a partition": (Node(CARD, "card"), CLOSED),
    "what the record does not know": (Node("/dev/dri/renderD190", "render", "0000:e5:00.0"), CLOSED),
}


@pytest.mark.parametrize("name", CASES)
def test_access(name: str) -> None:
    node, wanted = CASES[name]
    assert access(RECORD, [node]) == {node.path: wanted}


def test_access_in_words() -> None:
    assert [one.text for one in (DOOR, CLOSED, SHARED_BY_TWO)] == [
        "root:render 0660", "root:root 0600", "root:root 0660 +gpu-research +gpu-vision"]


def test_released_is_as_distributions_have_it() -> None:
    assert released([Node("/dev/kfd", "kfd"), Node(CARD, "card")]) == {"/dev/kfd": DOOR, CARD: Access("video")}
