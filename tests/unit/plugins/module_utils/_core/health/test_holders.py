# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who holds the GPUs, as samples."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.health import holders
from ansible_collections.instinct.fleet.plugins.module_utils._core.health.sample import Seen
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.tests.unit.support.healthy import A, B, gpu, health, look

MIB = 1024**2


@pytest.mark.parametrize(("process", "value"), [
    (lk.Process(1, "a", gpus=(A,), vram_bytes=5), 0), (lk.Process(1, "a", gpus=(A,)), 0), (lk.Process(1, "a"), 0),
    (lk.Process(1, "a", gpus=(B,), vram_bytes=5), 900), (lk.Process(1, "monitor", gpus=(A,), vram_bytes=0), 900),
])
def test_memory_is_held_by_a_process_that_has_some(process: lk.Process, value: int) -> None:
    seen = look((gpu(),), (health(A, vram_used_bytes=900 * MIB),), processes=lk.Processes((process,)))
    assert [sample.value for sample in holders.memory_held(Seen(seen))] == [value]


@pytest.mark.parametrize(("inside", "process", "value"), [
    ("none", lk.Process(1, None), 1), ("none", lk.Process(1, "python3", state="Z"), 1), ("none", lk.Process(1, "python3", state="S"), 0),
    ("container", lk.Process(1, None), None), ("container", lk.Process(1, "python3", state="Z"), 1),
])
def test_a_process_that_ended_and_that_kfd_still_has(inside: str, process: lk.Process, value: int | None) -> None:
    seen = look(os=lk.Os(virtualization=inside), processes=lk.Processes((process,)))
    assert [sample.value for sample in holders.zombies(Seen(seen))] == [value]


def test_who_is_gone_is_not_known_where_commands_are_not() -> None:
    seen = look(processes=lk.Processes((lk.Process(1),), {"processes.1": "no permission"}))
    assert [sample.reason for sample in holders.zombies(Seen(seen))] == ["no permission"]


def test_unlisted_are_those_of_kfd_alone() -> None:
    seen = look(processes=lk.Processes((lk.Process(1, "a"), lk.Process(2))), health=lk.Health((), pids=(1, 3)))
    assert [(sample.value, sample.seen) for sample in holders.unlisted(Seen(seen))] == [(1, "pid 2 (gone)")]
