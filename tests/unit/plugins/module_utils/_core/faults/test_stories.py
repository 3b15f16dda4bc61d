# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The shipped catalogue of faults and what it says of several logs at once: one cause, all else under it."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.diagnosis.rank import rank
from ansible_collections.instinct.fleet.plugins.module_utils._core.faults.find import find
from ansible_collections.instinct.fleet.plugins.module_utils._core.faults.scan import Scan
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.log import Log
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Look
from ansible_collections.instinct.fleet.plugins.plugin_utils import diagnosis_files
from ansible_collections.instinct.fleet.tests.unit.support.project import data

STORIES: Any = data("tests/unit/plugins/module_utils/_core/faults/stories.yml")
KNOWN = diagnosis_files.read().faults


def logs(texts: dict[str, str]) -> Log:
    """What is known of some logs, each as text."""
    read, hits = [], []
    for where, text in texts.items():
        scan = Scan(KNOWN.patterns(), where, where)
        for line in text.splitlines():
            scan.feed(line)
        one, found = scan.result()
        read.append(one)
        hits += found
    return Log(tuple(read), tuple(hits))


@pytest.mark.parametrize("story", STORIES, ids=[story["name"] for story in STORIES])
def test_what_follows_is_told_under_its_cause(story):
    ranked = rank(find(Look(log=logs(story["logs"])), KNOWN))
    assert {f"{r.finding.id} {r.finding.subject}": sorted(c.id for c in r.consequences) for r in ranked} == story["causes"]


@pytest.mark.parametrize("story", STORIES, ids=[story["name"] for story in STORIES])
def test_the_worst_cause_comes_first(story):
    ranked = rank(find(Look(log=logs(story["logs"])), KNOWN))
    assert [f"{r.finding.id} {r.finding.subject}" for r in ranked] == list(story["causes"])


FILLER = "".join(f"systemd[1]: Started unit {number}.\n" for number in range(60))


def test_a_task_hangs_in_the_driver_only_if_its_own_trace_says_so():
    hang = "INFO: task rsync:48213 blocked for more than 122 seconds.\nCall Trace:\n nfs_wait+0x1a/0x90 [nfs]\n"
    later = "WARNING: CPU: 1 PID: 2 at drivers/gpu/drm/amd/amdgpu/amdgpu_irq.c:615 amdgpu_irq_put+0x46/0x70 [amdgpu]\n"
    assert [f.id for f in find(Look(log=logs({"kernel": hang + FILLER + later})), KNOWN)] == ["kernel-warning"]
    own = "INFO: task python3:99 blocked for more than 122 seconds.\nCall Trace:\n kfd_release+0x1a/0x230 [amdgpu]\n"
    found = find(Look(log=logs({"kernel": hang + own + FILLER + later})), KNOWN)
    assert [(f.id, f.subject) for f in found] == [("hung-task", "pid 99 (python3)"), ("kernel-warning", "node")]
