# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What each setting is worth."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.shape import Record
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.text_marks import marks
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.text_slurm import Slurm
from ansible_collections.instinct.fleet.tests.unit.support.granted import FIRST, RECORD, VISION, grant

ALONE = Record((dc.replace(VISION, namespaces=()),), (grant("serve", "vision", FIRST),))


def marked(record: Record, slurm: Slurm = Slurm(), bind: bool = True) -> dict[str, str]:  # noqa: B008
    return {f"{one.tenant} {one.what}".strip(): one.mark for one in marks(record, slurm, bind)}


def test_everything_of_a_node_is_marked() -> None:
    assert marked(RECORD, Slurm("/etc/slurm/gres.conf")) == {
        "/dev/kfd": "enforcing", "Slurm": "enforcing", "Kubernetes": "intent",
        "research device nodes": "enforcing", "research slice": "enforcing", "research CPUs and memory": "enforcing",
        "research ROCR_VISIBLE_DEVICES": "intent", "research HSA_CU_MASK": "cooperative",
        "vision device nodes": "enforcing", "vision slice": "enforcing", "vision CPUs and memory": "enforcing",
        "vision ROCR_VISIBLE_DEVICES": "cooperative", "vision HSA_CU_MASK": "cooperative", "vision memory_bandwidth of serve": "intent"}


@pytest.mark.parametrize(("record", "bind", "what", "mark"), [
    (ALONE, True, "vision CPUs and memory", "enforcing"),
    (ALONE, False, "vision CPUs and memory", None),
    (dc.replace(ALONE, grants=()), True, "vision CPUs and memory", None),
    (dc.replace(ALONE, grants=()), True, "vision ROCR_VISIBLE_DEVICES", "intent"),
    (dc.replace(ALONE, grants=(grant("serve", "vision", dc.replace(FIRST, near_cpus=None)),)), True, "vision CPUs and memory", "intent"),
    (dc.replace(ALONE, grants=(grant("serve", "vision", dc.replace(FIRST, compute_units=None), share=50),)), True,
     "vision share of serve", "intent"),
    (ALONE, True, "Slurm", None),
    (ALONE, True, "Kubernetes", None),
])
def test_what_does_nothing_is_never_said_to_do_something(record: Record, bind: bool, what: str, mark: str | None) -> None:
    assert marked(record, bind=bind).get(what) == mark


def test_each_says_how() -> None:
    assert all(one.how for one in marks(RECORD, Slurm(), True))
