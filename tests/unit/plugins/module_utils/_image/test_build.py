# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One layer: its loader is asked about every library of RDMA; how a build fails is shown with whole runs in test_apply.py."""

from __future__ import annotations

import dataclasses as dc

from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.shape import UserSpace
from ansible_collections.instinct.fleet.tests.unit.plugins.image_world import MLX5, World


def test_the_loader_is_asked_about_every_library(world: World) -> None:
    seen, loaded = world.builder().seen("a" * 64)
    assert (seen, loaded) == (world.seen, {"/lib/libibverbs.so.1": (), MLX5: ()})
    assert world.told[-2:] == [f"buildah run instinct-look -- ldd -r /lib/libibverbs.so.1 {MLX5}", "buildah rm instinct-look"]


def test_one_library_is_named_twice_for_ldd_to_name_it(world: World) -> None:
    world.seen = dc.replace(world.seen, rdma=UserSpace("/lib/libibverbs.so.1"))
    world.builder().seen("a" * 64)
    assert world.told[-2].endswith("ldd -r /lib/libibverbs.so.1 /lib/libibverbs.so.1")


def test_without_rdma_nothing_is_asked(world: World) -> None:
    world.seen = dc.replace(world.seen, rdma=UserSpace())
    assert world.builder().seen("a" * 64)[1] == {} and not any("ldd" in one for one in world.told)
