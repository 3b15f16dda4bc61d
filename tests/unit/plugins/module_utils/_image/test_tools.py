# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs are run as asked, and say in one sentence why they failed."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._image.tools import Tools
from ansible_collections.instinct.fleet.tests.unit.plugins.image_world import World


def test_isolation_is_told(world: World) -> None:
    assert Tools(10).images() == () and world.environment == {}
    Tools(10, "chroot").images()
    assert world.environment == {"BUILDAH_ISOLATION": "chroot"}


def test_a_failure_is_told_or_not_minded(world: World) -> None:
    world.fails = {"podman images": "Error: something", "buildah rm": "no"}
    with pytest.raises(FleetError, match="images of this node: something; mend that"):
        Tools(10).images()
    assert (Tools(10).tried("buildah", "rm", "x"), Tools(10).tried("buildah", "mount", "x")) == (False, True)
    assert "something" in Tools(10).said("podman", "images")


def test_a_program_that_is_not_there() -> None:
    assert not Tools(1).tried("no-such-engine-anywhere")
    with pytest.raises(FleetError, match="no-such-engine-anywhere: is not installed; install it first"):
        Tools(1).run("x", "no-such-engine-anywhere")
