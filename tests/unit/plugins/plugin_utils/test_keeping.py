# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan for what a node kept, with the real catalogue."""

from __future__ import annotations

import dataclasses as dc
import json
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.managed import AMDGPU_SOURCES
from ansible_collections.instinct.fleet.plugins.plugin_utils import keeping, planning
from ansible_collections.instinct.fleet.tests.unit.support.way_back import NEW, OLD, ROOT, kept, settled, values
from ansible_collections.instinct.fleet.tests.unit.support.world import KERNEL, carry_out

OTHER = "6.12.1-amd64"


def plan(node: lk.Look, snapshot: dict[str, t.Any], offline: bool = False, **given: t.Any) -> planning.NodePlan:
    return keeping.plan_kept(node, values(**given), planning.ROLES, snapshot, offline)


def steps(found: planning.NodePlan) -> list[str]:
    return [step.words for part in found.plans.values() for step in part.steps]


def test_a_node_that_is_what_it_kept_has_nothing_to_do():
    node = settled(OLD)
    assert steps(plan(node, kept(node))) == steps(plan(node, kept(node), gpu_driver_hold=False)) == []


def test_it_goes_back_to_what_was_recorded_and_not_to_what_is_wanted_now():
    before = settled(OLD)
    found = plan(settled(NEW, before), kept(before))
    assert found.wanted.name == OLD and any(words.startswith("install amdgpu-dkms 1:6.14.14") for words in steps(found))


def test_the_way_back_is_from_the_node_itself_and_ends_with_its_own_addresses():
    before = settled(OLD)
    node, snapshot = settled(NEW, before), kept(before)
    texts = {offline: next(s.after for s in plan(node, snapshot, offline).plans["gpu_driver"].steps if s.data.get("path") == AMDGPU_SOURCES)
             for offline in (True, False)}
    assert f"URIs: {ROOT}/" in texts[True] and "URIs: https://repo.radeon.com/" in texts[False]
    for part in plan(node, snapshot, True).plans.values():
        node = carry_out(node, part)
    left = plan(node, snapshot)
    assert {s.action for part in left.plans.values() for s in part.steps} == {"file"}
    for part in left.plans.values():
        node = carry_out(node, part)
    assert steps(plan(node, snapshot)) == [] and kept(node)["record"] == snapshot["record"]


def test_what_was_kept_without_packages_comes_from_its_repositories():
    before = settled(OLD)
    found = plan(settled(NEW, before), kept(before, mirrors={}), offline=True)
    assert {r.uri.split("/")[2] for r in found.wanted.repositories} == {"repo.radeon.com"}


KERNELS = [
    ("it is named in the record", KERNEL, OTHER, OTHER, KERNEL), ("none was named, and it runs", None, KERNEL, KERNEL, None),
    ("none was named, and what boots is unknown", None, KERNEL, None, None),
    ("none was named, and another runs", None, OTHER, KERNEL, KERNEL), ("none was named, and another boots", None, KERNEL, OTHER, KERNEL),
]


@pytest.mark.parametrize(("_name", "recorded", "running", "boots", "wanted"), KERNELS, ids=[row[0] for row in KERNELS])
def test_the_kernel_to_go_back_to(_name: str, recorded: str | None, running: str, boots: str | None, wanted: str | None):
    node = settled(OLD, gpu_release_kernel=recorded)
    snapshot = kept(node)
    record = json.loads(snapshot["record"]) | {"kernel": recorded}
    look = dc.replace(node, kernel=dc.replace(node.kernel, running=running, next_boot=boots))
    seen = keeping._kernel(look, keeping.parse(json.dumps(record), "x"), keeping.Kept.from_dict(snapshot))
    assert seen == wanted


@pytest.mark.parametrize(("change", "said"), [
    ({"release": "rocm-6.4.2"}, "snapshot s1: names rocm-6.4.2, and its record rocm-7.0.2; take another snapshot"),
    ({"record": "{"}, "snapshot s1: is not JSON"), ({"mirrors": {"https://x": "https://y"}}, "kept: names 'https://y', which is no place"),
])
def test_a_snapshot_that_is_none_is_refused(change: dict[str, t.Any], said: str):
    node = settled(OLD)
    with pytest.raises(FleetError) as error:
        plan(node, kept(node, **change))
    assert error.value.sentence.startswith(said)
