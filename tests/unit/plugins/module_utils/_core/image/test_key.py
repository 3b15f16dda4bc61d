# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys of layers: what changes one, and those above it alone."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.image.key import keys
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.shape import Image, Parent
from ansible_collections.instinct.fleet.tests.unit.support.images import IMAGE, UNPACKED, B, image, record

LAYERS = record()["layers"]


def changed(name: str, **changes: object) -> Image:
    return image(layers=[{**layer, **changes} if layer["name"] == name else layer for layer in LAYERS])


def test_the_same_has_the_same_keys_and_no_two_layers_have_one() -> None:
    assert keys(IMAGE) == keys(image())
    assert len(set(keys(IMAGE))) == 3 and all(len(key) == 64 for key in keys(IMAGE))


@pytest.mark.parametrize(("other", "same"), [
    (changed("application", run=["true"]), 2),
    (changed("application", environment={"A": "b"}), 2),
    (changed("application", budget_mib=1), 2),
    (changed("application", copy=[{"image": f"quay.io/site/rdma@{B}", "paths": ["/opt"]}]), 2),
    (changed("application", python={"packages": [{"name": "numpy", "version": "2.1.0"}]}), 2),
    (changed("rocm", packages=["rocminfo=1.0.0.70002-57~22.04"]), 1),
    (changed("base", packages=["libibverbs1=44.0-3"]), 0),
    (dc.replace(IMAGE, parent=Parent(B, image=IMAGE.parent.image)), 0),
    (dc.replace(IMAGE, wants=dc.replace(IMAGE.wants, verbs={"mlx5": 2})), 0),
    (dc.replace(IMAGE, os_version="13"), 0),
    (dc.replace(IMAGE, source="elsewhere"), 0),
    (dc.replace(IMAGE, name="other"), 0),
], ids=["command", "environment", "budget", "copy", "python", "middle package", "lowest package", "base", "wishes", "system", "source", "name"])
def test_a_change_reaches_up_and_not_down(other: Image, same: int) -> None:
    before, after = keys(IMAGE), keys(other)
    assert [a == b for a, b in zip(before, after)] == [True] * same + [False] * (3 - same)


def test_another_archive_is_another_base() -> None:
    other = dc.replace(UNPACKED, parent=Parent(B, archive=UNPACKED.parent.archive))
    moved = dc.replace(UNPACKED, parent=dc.replace(UNPACKED.parent, archive="/elsewhere.tar"))
    assert not set(keys(UNPACKED)) & set(keys(other))
    assert keys(moved) == keys(UNPACKED)


def test_where_a_file_lies_on_the_builder_is_not_what_it_is() -> None:
    top = IMAGE.layers[2]
    moved = dc.replace(top, files=(dc.replace(top.files[0], source="/elsewhere"),))
    other = dc.replace(top, files=(dc.replace(top.files[0], digest="sha256:" + "c" * 64),))
    assert keys(dc.replace(IMAGE, layers=(*IMAGE.layers[:2], moved))) == keys(IMAGE)
    assert keys(dc.replace(IMAGE, layers=(*IMAGE.layers[:2], other)))[2] != keys(IMAGE)[2]


def test_another_key_of_a_repository_is_another_layer() -> None:
    middle = IMAGE.layers[1]
    other = dc.replace(middle, repositories=(dc.replace(middle.repositories[0], fingerprint="D" * 40),))
    fetched = dc.replace(middle, repositories=(dc.replace(middle.repositories[0], key="text"),))
    assert keys(dc.replace(IMAGE, layers=(IMAGE.layers[0], other, IMAGE.layers[2])))[1] != keys(IMAGE)[1]
    assert keys(dc.replace(IMAGE, layers=(IMAGE.layers[0], fetched, IMAGE.layers[2]))) == keys(IMAGE)
