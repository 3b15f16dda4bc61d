# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What became of each GPU, by reading back."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.gpus import OFF_THE_BUS, Gpus
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.shape import GpuWanted
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.verify import (
    GpuResult,
    predicted,
    rolled_back,
    verify,
)
from ansible_collections.instinct.fleet.tests.unit.support.partitions import BDFS, gpu

A = BDFS[0]
WANTED = GpuWanted(A, "CPX", "NPS1")
SPX, CPX, QPX = (Gpus((gpu(mode=mode),)) for mode in ("SPX/NPS1", "CPX/NPS1", "QPX/NPS1"))
UNTOLD = Gpus((gpu(compute_partition=None),), {f"{A}.compute_partition": "no permission"})
HALF = Gpus((gpu(memory_partition=None),))
GONE = Gpus()
LOST = Gpus(CPX.gpus, {f"{A}.pcie.width": OFF_THE_BUS})


@pytest.mark.parametrize(("before", "after", "said", "result"), [
    (CPX, CPX, "", GpuResult(A, "CPX/NPS1", "CPX/NPS1", "CPX/NPS1", "unchanged")),
    (SPX, CPX, "", GpuResult(A, "SPX/NPS1", "CPX/NPS1", "CPX/NPS1", "applied")),
    # A call that complained and a mode that is right: the mode counts.
    (SPX, CPX, "UNKNOWN_ERROR", GpuResult(A, "SPX/NPS1", "CPX/NPS1", "CPX/NPS1", "applied")),
    (SPX, SPX, "", GpuResult(A, "SPX/NPS1", "CPX/NPS1", "SPX/NPS1", "failed", "reads back as SPX/NPS1, although no call failed")),
    (SPX, SPX, "BUSY", GpuResult(A, "SPX/NPS1", "CPX/NPS1", "SPX/NPS1", "failed", "BUSY; reads back as SPX/NPS1")),
    (SPX, QPX, "", GpuResult(A, "SPX/NPS1", "CPX/NPS1", "QPX/NPS1", "failed", "reads back as QPX/NPS1, although no call failed")),
    (SPX, UNTOLD, "", GpuResult(A, "SPX/NPS1", "CPX/NPS1", None, "failed", "its modes are unknown: no permission")),
    (SPX, HALF, "", GpuResult(A, "SPX/NPS1", "CPX/NPS1", None, "failed", "its modes are unknown: the driver does not tell them")),
    (SPX, GONE, "BUSY",
     GpuResult(A, "SPX/NPS1", "CPX/NPS1", None, "failed", "BUSY; its modes are unknown: the GPU is not on the bus any more")),
    # The driver goes on telling the modes that such a GPU had.
    (SPX, LOST, "", GpuResult(A, "SPX/NPS1", "CPX/NPS1", None, "failed", f"its modes are unknown: {OFF_THE_BUS}")),
    (UNTOLD, CPX, "", GpuResult(A, None, "CPX/NPS1", "CPX/NPS1", "applied")),
])
def test_a_result_is_what_is_read(before: Gpus, after: Gpus, said: str, result: GpuResult) -> None:
    assert verify((WANTED,), before, after, {A: said} if said else {}) == (result,)


@pytest.mark.parametrize(("seen", "result"), [
    (CPX, GpuResult(A, "CPX/NPS1", "CPX/NPS1", "CPX/NPS1", "unchanged")),
    (SPX, GpuResult(A, "SPX/NPS1", "CPX/NPS1", "SPX/NPS1", "would_change")),
    (UNTOLD, GpuResult(A, None, "CPX/NPS1", None, "would_change")),
])
def test_a_prediction(seen: Gpus, result: GpuResult) -> None:
    assert predicted((WANTED,), seen) == (result,)


def ended(result: str, before: str | None, after: str | None, reason: str = "") -> GpuResult:
    """A result of a GPU that should be CPX/NPS1."""
    return GpuResult(A, before, "CPX/NPS1", after, result, reason)


@pytest.mark.parametrize(("was", "now", "becomes"), [
    (ended("applied", "SPX/NPS1", "CPX/NPS1"), SPX, ended("rolled_back", "SPX/NPS1", "SPX/NPS1", "other GPUs failed")),
    (ended("failed", "SPX/NPS1", "QPX/NPS1", "BUSY"), SPX, ended("rolled_back", "SPX/NPS1", "SPX/NPS1", "BUSY")),
    (ended("unchanged", "CPX/NPS1", "CPX/NPS1"), CPX, ended("unchanged", "CPX/NPS1", "CPX/NPS1")),
    # A reload for others changed it, and it was not set back.
    (ended("unchanged", "CPX/NPS1", "CPX/NPS1"), SPX,
     ended("not_restored", "CPX/NPS1", "SPX/NPS1", "other GPUs failed; not set back to CPX/NPS1: is SPX/NPS1")),
    (ended("applied", "SPX/NPS1", "CPX/NPS1"), CPX,
     ended("not_restored", "SPX/NPS1", "CPX/NPS1", "other GPUs failed; not set back to SPX/NPS1: is CPX/NPS1")),
    (ended("failed", "SPX/NPS1", None, "BUSY"), GONE,
     ended("not_restored", "SPX/NPS1", None,
           "BUSY; not set back to SPX/NPS1: its modes are unknown: the GPU is not on the bus any more")),
    (ended("failed", None, "QPX/NPS1", "BUSY"), UNTOLD,
     ended("not_restored", None, None, "BUSY; not set back to what it was: its modes are unknown: no permission")),
])
def test_a_rollback(was: GpuResult, now: Gpus, becomes: GpuResult) -> None:
    assert rolled_back((was,), now) == (becomes,)
