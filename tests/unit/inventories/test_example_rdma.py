# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the example says of Pollara NICs is what a node of Ubuntu 24.04 can be given."""

from __future__ import annotations

import dataclasses as dc

from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.ibv_devinfo import Listed, Said
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.environment import environment
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.judge import checks
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.plan import plan, refusal
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.wish import Wish
from ansible_collections.instinct.fleet.tests.unit.support.project import data
from ansible_collections.instinct.fleet.tests.unit.support.rdma import CATALOGUE, IONIC

PREFIX = "rdma_stack_"
ASKED = {name[len(PREFIX):]: value for path in ("roles/rdma_stack/defaults/main.yml", "inventories/example/group_vars/mi355x/rdma.yml")
         for name, value in data(path).items()}
WISH = Wish.read(ASKED)
BARE = dc.replace(IONIC, packages={}, holds=(), system="ubuntu 24.04",
                  said=Said({"ionic_0": Listed("ionic_0", {"fw_ver": "1.117.5-a-56"}, {})}))


def test_packages_of_the_bundle_beside_those_of_ubuntu() -> None:
    found = plan(CATALOGUE, BARE, WISH)
    assert {"librdmacm1t64=50.0-2build2", "libionic1=54.0-184", "perftest=24.01.0+0.38-1build2"} <= set(found.install)
    there = dc.replace(BARE, packages=dict(spec.split("=") for spec in found.install), holds=frozenset(found.hold))
    assert (plan(CATALOGUE, there, WISH).install, refusal(CATALOGUE, there, WISH)) == ((), None)
    wrong = [one for one in checks(CATALOGUE, there, WISH) if one.id in ("rdma-mixture", "rdma-package", "rdma-firmware") and one.verdict != "pass"]
    assert wrong == []


def test_rccl_is_told_what_the_switches_expect() -> None:
    found = environment(CATALOGUE, BARE, WISH)
    assert (found["NCCL_IB_TC"], found["NCCL_IB_FIFO_TC"], found["IONIC_LOCKFREE"]) == ("96", "184", "all")
