# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Labels say what an image is for, and are read again."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.image import labels
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.key import keys
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.shape import Wants
from ansible_collections.instinct.fleet.tests.unit.support.images import BASE, IMAGE, A

KEYS = keys(IMAGE)


def test_labels_of_a_layer() -> None:
    assert labels.of(IMAGE, 1, KEYS) == {
        "io.github.instinct-fleet.image": "site", "io.github.instinct-fleet.layer": "rocm",
        "io.github.instinct-fleet.layer.key": KEYS[1], "io.github.instinct-fleet.layers.below": KEYS[0],
        "io.github.instinct-fleet.release": "rocm-7.0.2", "io.github.instinct-fleet.rocm": "7.0.2",
        "io.github.instinct-fleet.gfx": "gfx942 gfx90a", "io.github.instinct-fleet.render-gid": "1200",
        "io.github.instinct-fleet.verbs-abi": "bnxt_re=1 mlx5=1", "io.github.instinct-fleet.machine": "x86_64",
        "org.opencontainers.image.title": "site", "org.opencontainers.image.version": f"rocm-7.0.2-{KEYS[1][:12]}",
        "org.opencontainers.image.base.name": BASE, "org.opencontainers.image.base.digest": A,
        "org.opencontainers.image.source": "https://git.example.org/images"}


def test_what_is_said_is_read() -> None:
    assert labels.told(labels.of(IMAGE, 2, KEYS)) == labels.Told("site", "application", KEYS[2], KEYS[:2], IMAGE.wants)
    bare = dc.replace(IMAGE, wants=Wants())
    said = labels.of(bare, 0, KEYS)
    assert labels.told(said) == labels.Told("site", "base", KEYS[0], (), Wants())
    assert said["org.opencontainers.image.version"] == f"debian-12-{KEYS[0][:12]}"


def test_labels_of_others() -> None:
    assert labels.told({"org.opencontainers.image.version": "22.04"}) is None
    assert labels.told({labels.KEY: "k", labels.PREFIX + "verbs-abi": "mlx5=? bnxt_re=1", labels.PREFIX + "render-gid": "many"}) == (
        labels.Told("", "", "k", (), Wants(verbs={"bnxt_re": 1})))


@pytest.mark.parametrize("number", ["9" * 5000, "١٠٩", "-1", "1 2"])
def test_numbers_of_others_are_no_numbers_of_ours(number: str) -> None:
    said = {labels.KEY: "k", labels.PREFIX + "render-gid": number, labels.PREFIX + "verbs-abi": f"mlx5={number}"}
    found = labels.told(said)
    assert found and (found.wants.render_gid, found.wants.verbs) == (None, {"mlx5": 1} if number == "1 2" else {})
