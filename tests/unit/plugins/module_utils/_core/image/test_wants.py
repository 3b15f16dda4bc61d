# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a site says of its nodes."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.shape import Wants
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.wants import PROVIDERS, wants
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.catalogue import Catalogue
from ansible_collections.instinct.fleet.plugins.plugin_utils import rdma_data

GFX = ["gfx942", "gfx90a", "gfx1100", "gfx950", "gfx90c"]


def test_what_is_said_is_taken() -> None:
    assert wants("rocm-7.0.2", GFX, 1200, {"mlx5": 1, "ionic": 0}) == Wants("rocm-7.0.2", "", tuple(GFX), 1200, {"mlx5": 1, "ionic": 0})
    assert wants("", [], -1, {}) == Wants()
    assert wants("", [], -1, {"own": 2}, ["own"]).verbs == {"own": 2}


def test_providers_of_the_families_are_known() -> None:
    families = Catalogue.from_documents(rdma_data.documents()).families.values()
    assert families and {family.provider for family in families} <= set(PROVIDERS)


@pytest.mark.parametrize(("changes", "sentence"), [
    ({"gfx": ["gfx942", "mi300x"]}, "rocm_image_gfx[1]: 'mi300x' is no instruction set of a GPU; write it as rocminfo says it: gfx942"),
    ({"gfx": ["gfx94"]}, "rocm_image_gfx[0]: 'gfx94' is"), ({"gfx": ["GFX942"]}, "rocm_image_gfx[0]: 'GFX942' is"),
    ({"gfx": [942]}, "rocm_image_gfx[0]: '942' is"),
    ({"gfx": ["gfx942 gfx90a"]}, "rocm_image_gfx[0]: 'gfx942 gfx90a' is"),
    ({"verbs": {"mlx_5": 1}}, "rocm_image_verbs.mlx_5: is no provider of RDMA; did you mean mlx5?"),
    ({"verbs": {"zzz": 1}}, "rocm_image_verbs.zzz: is no provider of RDMA; choose one of bnxt_re, "),
    ({"verbs": {"mlx5": "1"}}, "rocm_image_verbs.mlx5: is text, not a number"),
    ({"render_gid": -2}, "rocm_image_render_gid: is -2, which is no number of a group; write the number of the group render on the nodes, or -1"),
])
def test_what_is_wrong_is_one_sentence(changes: dict[str, t.Any], sentence: str) -> None:
    with pytest.raises(DataError) as refusal:
        wants(**{"release": "", "gfx": [], "render_gid": -1, "verbs": {}, **changes})
    assert refusal.value.sentence.startswith(sentence)
