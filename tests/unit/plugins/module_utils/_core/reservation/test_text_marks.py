# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What each setting is worth."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.shape import Record
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.text_marks import Facts, marks
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.text_set import Settings
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.text_slices import Bounds
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.text_slurm import Slurm
from ansible_collections.instinct.fleet.tests.unit.support.granted import FIRST, RECORD, VISION, grant

ALONE = Record((dc.replace(VISION, namespaces=()),), (grant("serve", "vision", FIRST),))
ALL = Facts(policies=True, cpusets=True, constrains=True)
GRES, BOTH = Slurm("/etc/slurm/gres.conf"), Slurm("/etc/slurm/gres.conf", "/etc/slurm/cgroup.conf")


def marked(record: Record, facts: Facts = ALL, **site: object) -> dict[str, str]:
    return {f"{one.tenant} {one.what}".strip(): one.mark for one in marks(record, Settings(**site), facts)}  # type: ignore[arg-type]


def test_everything_of_a_node_is_marked() -> None:
    tenant = {"device nodes": "enforcing", "memlock": "cooperative", "slice": "enforcing", "logins": "enforcing", "CPUs": "enforcing",
              "memory": "enforcing"}
    assert marked(RECORD, slurm=BOTH) == {
        "/dev/kfd": "enforcing", "pool": "intent", "CDI": "cooperative", "Slurm": "enforcing", "Kubernetes": "intent",
        "device_filter.conf": "intent", "quality_of_service.conf": "intent",
        **{f"{name} {what}": mark for name in ("research", "vision") for what, mark in tenant.items()},
        "vision units": "enforcing", "vision ROCR_VISIBLE_DEVICES": "cooperative", "vision HSA_CU_MASK": "cooperative",
        "research ROCR_VISIBLE_DEVICES": "intent", "research share of rest": "intent", "vision memory_bandwidth of serve": "intent"}


def nothing_known(what: str, **changes: object) -> tuple:
    return dc.replace(ALONE, grants=(grant("serve", "vision", dc.replace(FIRST, **changes)),)), {}, what, "intent"  # type: ignore[arg-type]


@pytest.mark.parametrize(("record", "site", "what", "mark"), [
    (ALONE, {}, "vision CPUs", "enforcing"),
    (ALONE, {"bounds": Bounds(bind=False)}, "vision CPUs", None),
    (dc.replace(ALONE, grants=()), {}, "vision CPUs", None),
    (dc.replace(ALONE, grants=()), {}, "vision ROCR_VISIBLE_DEVICES", "intent"),
    nothing_known("vision CPUs", near_cpus=None), nothing_known("vision memory", numa_node=None),
    (nothing_known("", numa_node=None)[0], {}, "vision CPUs", "enforcing"),
    (dc.replace(ALONE, grants=(grant("serve", "vision", FIRST, share=50),)), {}, "vision share of serve", "intent"),
    (ALONE, {}, "Slurm", None), (ALONE, {"slurm": GRES}, "Slurm", "intent"),
    (ALONE, {}, "Kubernetes", None), (ALONE, {}, "pool", None), (ALONE, {"cdi": False}, "CDI", None),
])
def test_what_does_nothing_is_never_said_to_do_something(record: Record, site: dict, what: str, mark: str | None) -> None:
    assert marked(record, **site).get(what) == mark


@pytest.mark.parametrize(("missing", "marks_of_intent"), [
    ("policies", {"vision slice", "vision logins", "vision units"}), ("cpusets", {"vision CPUs", "vision memory"}), ("constrains", {"Slurm"}),
])
def test_what_was_not_seen_enforces_nothing(missing: str, marks_of_intent: set[str]) -> None:
    there, without = (marked(ALONE, facts, slurm=BOTH) for facts in (ALL, dc.replace(ALL, **{missing: False})))
    assert {what for what, mark in without.items() if mark != there[what]} == marks_of_intent
    assert {without[what] for what in marks_of_intent} == {"intent"}


def test_each_says_how() -> None:
    assert all(one.how for one in marks(RECORD, Settings(), Facts()))
