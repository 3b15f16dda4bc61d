# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What nodes answered becomes options of a build."""

from __future__ import annotations

import typing as t

import pytest
from ansible.errors import AnsibleFilterError
from ansible.utils.display import Display

from ansible_collections.instinct.fleet.plugins.filter.image_needs import FilterModule

image_needs: t.Callable[..., dict[str, t.Any]] = FilterModule().filters()["image_needs"]


def seen(gid: int | None, **verbs: int) -> dict[str, t.Any]:
    return {"fleet_image_seen": {"node": {"machine": "x86_64", "rocm": [], "gfx": ["gfx942"], "render_gid": gid, "verbs": verbs, "unknown": {}}}}


VARS: dict[str, dict[str, t.Any]] = {"a": seen(109, mlx5=1), "b": seen(None), "silent": {},
                                     "away": {"fleet_image_seen": {"unreachable": True, "msg": "no route"}},
                                     "other": seen(44)}


def test_nodes_that_answered_are_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    warnings: list[str] = []
    monkeypatch.setattr(Display(), "warning", warnings.append)
    found = {"render_gid": 109, "gfx": ["gfx942"], "verbs": {"mlx5": 1}}
    assert image_needs(["a", "b"], VARS) == found and warnings == []
    assert image_needs(["a", "b", "silent", "away", "of no inventory"], VARS) == found
    assert [one.split(",")[0] for one in warnings] == ["3 of 5 nodes did not say what they are (away of no inventory silent)"]
    assert image_needs(["a"], VARS, 109, [], {"ionic": 1}) == {**found, "verbs": {"ionic": 1}}


def test_nobody_answered() -> None:
    assert image_needs(["silent"], VARS) == {"render_gid": -1, "gfx": [], "verbs": {}}


def test_the_inventory_chooses_where_nodes_differ() -> None:
    assert image_needs(["a", "other"], VARS, 44)["render_gid"] == 44
    with pytest.raises(AnsibleFilterError, match=r"^rocm_image_render_gid: one image has one number .* differ: 109 on a, 44 on other; name the one"):
        image_needs(["a", "other"], VARS)
