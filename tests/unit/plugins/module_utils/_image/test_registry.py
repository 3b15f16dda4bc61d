# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A registry: what is asked of it, and what it says; whole ways are in test_store.py."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._image import registry
from ansible_collections.instinct.fleet.plugins.module_utils._image.tools import Tools
from ansible_collections.instinct.fleet.tests.unit.plugins.image_world import World, sha256


def test_what_is_there(world: World) -> None:
    world.registry["reg/duo:1"] = "{}"
    assert registry.there("reg/duo:1", "/auth", Tools(10)) == f"sha256:{sha256('{}')}"
    assert world.told == ["skopeo inspect --raw --authfile /auth docker://reg/duo:1"]
    assert registry.there("reg/duo:2", "", Tools(10)) == ""
    world.fails = {"skopeo": "unauthorized: authentication required"}
    assert registry.there("reg/duo:1", "", Tools(10)) == ""
    with pytest.raises(FleetError, match="reg/duo:1: does not let this node in"):
        registry.copy("/a.tar", "reg/duo:1", "", "", Tools(10))
    world.fails = {"skopeo": "dial tcp: connection refused"}
    with pytest.raises(FleetError, match="reg/duo:1: cannot be reached"):
        registry.there("reg/duo:1", "", Tools(10))


@pytest.mark.parametrize(("destination", "repository"), [
    ("reg.example.org:5000/fleet/duo:1", "reg.example.org:5000/fleet/duo"), ("reg/duo", "reg/duo"), ("reg:5000/duo", "reg:5000/duo"),
])
def test_a_repository_is_a_destination_without_its_tag(destination: str, repository: str) -> None:
    assert registry.repository(destination) == repository
