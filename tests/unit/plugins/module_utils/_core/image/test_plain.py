# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An image that travels arrives as it was."""

from __future__ import annotations

import dataclasses as dc
import json
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.plain import given, plain
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.shape import Image, Wants
from ansible_collections.instinct.fleet.tests.unit.support.images import FRAMEWORK, IMAGE, UNPACKED
from ansible_collections.instinct.fleet.tests.unit.support.images import image as resolved


@pytest.mark.parametrize("image", [IMAGE, UNPACKED, dc.replace(IMAGE, wants=Wants()), resolved(layers=[FRAMEWORK])],
                         ids=["image", "archive", "wants nothing", "no packages of the system"])
def test_what_arrives_is_what_was_sent(image: Image) -> None:
    assert given(json.loads(json.dumps(plain(image)))) == image


@pytest.mark.parametrize(("change", "sentence"), [
    ({"name": ""}, "image: name: is empty"), ({"other": 1}, "image: other: is not a known key"),
    ({"layers": [{"name": "a"}]}, "image: layers[0].packages: is missing"),
])
def test_what_is_of_another_form_is_refused(change: dict[str, t.Any], sentence: str) -> None:
    with pytest.raises(DataError) as refusal:
        given({**plain(IMAGE), **change})
    assert refusal.value.sentence.startswith(sentence)
