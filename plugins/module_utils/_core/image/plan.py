# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Which layers are built, in which order and why: those whose key no image has."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from . import key, labels
from .shape import Image

_VERSION = "org.opencontainers.image.version"


@dc.dataclass(frozen=True)
class Step:
    """One layer of an image.

    Attributes:
        tag: what it is called once it was verified, and never before.
        id: of the image that has its key; empty: there is none.
        reason: why it is built; empty: it is not.
    """

    index: int
    layer: str
    key: str
    tag: str
    labels: t.Mapping[str, str]
    id: str
    reason: str


def steps(image: Image, have: t.Mapping[str, str]) -> tuple[Step, ...]:
    """All layers from the lowest. ``have``: key -> id of the images that are there.

    A layer that is missing below one that is there is not needed: who stands above holds it.
    """
    keys = key.keys(image)
    there = max((index for index, one in enumerate(keys) if one in have), default=-1)
    found = []
    for index, one in enumerate(keys):
        reason = ""
        if index > there:
            reason = "no image has its key" if index == there + 1 else f"{image.layers[index - 1].name} is built anew"
        name = image.layers[index].name
        found.append(Step(index, name, one, _tag(image.name, name, labels.version(image, one)),
                          labels.of(image, index, keys), have.get(one, ""), reason))
    return tuple(found)


def own_tag(said: t.Mapping[str, str]) -> str:
    """The tag that an image was given as it was built, by its labels. Who builds on it inherits those, not the tag."""
    told = labels.told(said)
    return _tag(told.name, told.layer, said.get(_VERSION, "")) if told else ""


def _tag(image: str, layer: str, version: str) -> str:
    return f"localhost/{image}/{layer}:{version}"
