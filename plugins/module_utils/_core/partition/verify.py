# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What became of each GPU: by reading back, whatever calls have returned."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..look.gpus import OFF_THE_BUS, Gpu, Gpus
from .shape import GpuWanted

UNCHANGED, APPLIED, WOULD_CHANGE, FAILED = "unchanged", "applied", "would_change", "failed"
ROLLED_BACK, NOT_RESTORED = "rolled_back", "not_restored"


@dc.dataclass(frozen=True)
class GpuResult:
    """What became of one GPU.

    Attributes:
        bdf: PCI address.
        before: its modes before (SPX/NPS1); None where they are not known.
        wanted: CPX/NPS4.
        after: its modes now; None where they are not known.
        result: unchanged, applied, would_change, failed, rolled_back (to what it was), not_restored (neither as wanted
            nor as it was, after a rollback).
        reason: why it is not as wanted; empty where it is.
    """

    bdf: str
    before: str | None
    wanted: str
    after: str | None
    result: str
    reason: str = ""


def predicted(wanted: t.Iterable[GpuWanted], seen: Gpus) -> tuple[GpuResult, ...]:
    """What a run would do."""
    now = told(seen)
    return tuple(
        GpuResult(one.bdf, now.get(one.bdf), one.text, now.get(one.bdf),
                  UNCHANGED if _is(one, now.get(one.bdf)) else WOULD_CHANGE) for one in wanted)


def verify(wanted: t.Iterable[GpuWanted], before: Gpus, after: Gpus,
           said: t.Mapping[str, str]) -> tuple[GpuResult, ...]:
    """What a run did.

    Args:
        wanted: of each chosen GPU.
        before: as seen before.
        after: as seen by a fresh look.
        said: PCI address -> what went wrong, as calls said it.
    """
    was, now = told(before), told(after)
    return tuple(_result(one, was.get(one.bdf), now.get(one.bdf), said.get(one.bdf, ""), after) for one in wanted)


def _result(one: GpuWanted, was: str | None, now: str | None, said: str, after: Gpus) -> GpuResult:
    if _is(one, now):
        return GpuResult(one.bdf, was, one.text, now, UNCHANGED if was == now else APPLIED)
    if now is None:
        reason = f"its modes are unknown: {_why(one.bdf, after)}"
    else:
        reason = f"reads back as {now}" + ("" if said else ", although no call failed")
    return GpuResult(one.bdf, was, one.text, now, FAILED, f"{said}; {reason}" if said else reason)


def rolled_back(results: t.Iterable[GpuResult], after: Gpus) -> tuple[GpuResult, ...]:
    """The results once GPUs were set back to what they were, as seen by another fresh look."""
    now = told(after)
    return tuple(_restored(result, now.get(result.bdf), after) for result in results)


def _restored(result: GpuResult, now: str | None, after: Gpus) -> GpuResult:
    if result.result not in (APPLIED, FAILED) and result.before == now:
        return result
    reason = result.reason or "other GPUs failed"
    if now is not None and now == result.before:
        return dc.replace(result, after=now, result=ROLLED_BACK, reason=reason)
    seen = f"is {now}" if now else f"its modes are unknown: {_why(result.bdf, after)}"
    reason += f"; not set back to {result.before or 'what it was'}: {seen}"
    return dc.replace(result, after=now, result=NOT_RESTORED, reason=reason)


def told(gpus: Gpus) -> dict[str, str | None]:
    """PCI address -> modes; None where they are not known. Of a GPU that is lost the driver tells what it was."""
    return {gpu.bdf: None if _lost(gpu.bdf, gpus) else modes(gpu) for gpu in gpus.gpus}


def _lost(bdf: str, gpus: Gpus) -> bool:
    return gpus.unknown.get(f"{bdf}.pcie.width") == OFF_THE_BUS


def modes(gpu: Gpu) -> str | None:
    """CPX/NPS4; None where one of them is not known."""
    known = gpu.compute_partition is not None and gpu.memory_partition is not None
    return f"{gpu.compute_partition}/{gpu.memory_partition}" if known else None


def _is(wanted: GpuWanted, now: str | None) -> bool:
    return wanted.text == now


def _why(bdf: str, gpus: Gpus) -> str:
    if all(gpu.bdf != bdf for gpu in gpus.gpus):
        return "the GPU is not on the bus any more"
    if _lost(bdf, gpus):
        return OFF_THE_BUS
    return gpus.unknown.get(f"{bdf}.compute_partition") or gpus.unknown.get(f"{bdf}.memory_partition") or (
        "the driver does not tell them")
