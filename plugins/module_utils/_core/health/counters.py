# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Errors that GPUs count: of memory, links and the device, and pages that are out of use."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..look.shape import Gpu, GpuHealth
from .sample import NOT_LOOKED_AT, Sample, Seen, reason_of, without

XGMI = "xgmi_wafl"  # the block of the links between GPUs
FATAL, UNCORRECTED = "fatal", "non_fatal_uncorrected"
Take = t.Callable[[Seen], t.Iterator[Sample]]


def ecc(kind: str) -> Take:
    """Errors of one kind (correctable, uncorrectable, deferred) of every block but the links."""
    def take(seen: Seen) -> t.Iterator[Sample]:
        for gpu, health in seen.healths():
            if isinstance(health, str):
                yield _total(gpu, kind, health)
                continue
            counts = {name: getattr(block, kind) for name, block in health.blocks.items() if name != XGMI}
            told = {name: count for name, count in counts.items() if count is not None}
            for name, count in sorted(told.items()):
                yield Sample(gpu.bdf, count, name)
            if not told:
                yield without(gpu, "blocks", health)
    return take


def _total(gpu: Gpu, kind: str, silence: str) -> Sample:
    """The sum over all blocks, from the section of GPUs, where the section of health tells nothing."""
    total = getattr(gpu.errors, kind)
    return Sample(gpu.bdf, total, "all blocks") if total is not None else Sample(gpu.bdf, reason=silence)


def xgmi_errors(seen: Seen) -> t.Iterator[Sample]:
    """Errors of the links between GPUs, correctable and not."""
    for gpu, health in seen.healths():
        if isinstance(health, str):
            yield Sample(gpu.bdf, reason=health)
            continue
        block = health.blocks.get(XGMI)
        counts = [count for count in dc.astuple(block) if count is not None] if block else []
        yield Sample(gpu.bdf, sum(counts)) if counts else without(gpu, "blocks", health)


def field(name: str, what: str = "") -> Take:
    """One number of a GPU's health, by its name: pcie_replays, or pages.pending."""
    def take(seen: Seen) -> t.Iterator[Sample]:
        for gpu, health in seen.healths():
            if isinstance(health, str):
                yield Sample(gpu.bdf, reason=health)
                continue
            value: t.Any = health
            for part in name.split("."):
                value = getattr(value, part)
            yield without(gpu, name, health, what) if value is None else Sample(gpu.bdf, value, what)
    return take


def pages_retired(seen: Seen) -> t.Iterator[Sample]:
    """Retired pages; the driver names how many are too many."""
    for sample, (_gpu, health) in zip(field("pages.retired")(seen), seen.healths()):
        named = None if isinstance(health, str) else health.pages.threshold
        yield dc.replace(sample, named=named)


def ras(seen: Seen) -> t.Iterator[Sample]:
    """How many blocks watch themselves."""
    for gpu, health in seen.healths():
        if isinstance(health, str):
            yield Sample(gpu.bdf, reason=health)
        elif health.ras_blocks:
            yield Sample(gpu.bdf, len(health.ras_blocks), seen=f"enabled for {', '.join(health.ras_blocks)}")
        else:
            yield _no_ras(gpu, health)


def _no_ras(gpu: Gpu, health: GpuHealth) -> Sample:
    reason = reason_of(health.unknown, "ras_blocks")
    if gpu.virtual_function:
        return Sample(gpu.bdf, reason=reason or "the host watches the GPU of a virtual function", supported=False)
    return Sample(gpu.bdf, reason=reason) if reason else Sample(gpu.bdf, 0, seen="enabled for no block")


def aer(seen: Seen) -> t.Iterator[Sample]:
    """Fatal and other uncorrected errors of the PCIe link, as the PCI core counted them."""
    host = seen.look.host
    devices = {device.bdf: device for device in host.devices} if host else {}
    for gpu in seen.gpus:
        count = devices[gpu.bdf].aer_fatal if gpu.bdf in devices else None
        if count is not None:
            yield Sample(gpu.bdf, count)
        elif host is None:
            yield Sample(gpu.bdf, reason=f"section host {NOT_LOOKED_AT}")
        else:
            reason = reason_of(host.unknown, "devices")
            yield Sample(gpu.bdf, reason=reason or "the platform does not count them", supported=bool(reason))


def cper(severity: str) -> Take:
    """Error records of the device of this boot: the ring keeps those of earlier boots, which are no fault now."""
    def take(seen: Seen) -> t.Iterator[Sample]:
        clock = seen.look.host.clock if seen.look.host else None
        booted = clock.booted if clock else None
        for gpu, health in seen.healths():
            yield Sample(gpu.bdf, reason=health) if isinstance(health, str) else _records(gpu, health, severity, booted)
    return take


def _records(gpu: Gpu, health: GpuHealth, severity: str, booted: float | None) -> Sample:
    records = [record for record in health.cper if record.severity == severity]
    if not records:
        reason = reason_of(health.unknown, "cper")
        return Sample(gpu.bdf, reason=reason) if reason else Sample(gpu.bdf, 0)
    if booted is None:
        return Sample(gpu.bdf, reason=f"{len(records)} records, and it is not known when this boot began")
    timed = [record for record in records if record.epoch is not None]
    new = [record for record in timed if record.epoch is not None and record.epoch >= booted]
    if not new and len(timed) < len(records):
        return Sample(gpu.bdf, reason=f"{len(records) - len(timed)} records have no time")
    ids = sorted({afid for record in new for afid in record.afids})
    named = f", AFID {', '.join(map(str, ids))}" if ids else ""
    older = len(timed) - len(new)
    passed = f" ({older} older than this boot)" if older else ""
    return Sample(gpu.bdf, len(new), seen=f"{len(new)}{named}{passed}")
