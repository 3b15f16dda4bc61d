# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What a check measures: one sample for each thing of its kind, or the reason why there is none."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..findings import NODE, Cause, Finding
from ..look.shape import Gpu, GpuHealth, Look

NOT_LOOKED_AT = "was not looked at"


@dc.dataclass(frozen=True)
class Sample:
    """One measured thing.

    Attributes:
        subject: NODE or a PCI address.
        value: the number that limits are held against; None: no data.
        what: which of several things of the subject: a RAS block, a sensor, a link.
        reason: why there is no data.
        supported: False: this GPU has no such thing, so no data is no matter.
        named: the limit that the device (or the node's record) itself names.
        seen: the same in words, where the number alone says little.
        why: cause and remedy, where it is known better than by the check.
        domain: who has to act, likewise.
    """

    subject: str
    value: float | None = None
    what: str = ""
    reason: str = ""
    supported: bool = True
    named: float | None = None
    seen: str = ""
    why: Cause | None = None
    domain: str = ""


@dc.dataclass(frozen=True)
class Wanted:
    """What was declared of the node beside its profile. None: nothing was."""

    gpus: int | None = None
    compute_partition: str | None = None
    memory_partition: str | None = None


@dc.dataclass(frozen=True)
class Seen:
    """All that checks measure on.

    Attributes:
        look: the look; sections that it lacks are no data.
        wanted: what was declared.
        faults: what the logs of this boot say, and what the gate makes of each: fail, warn, none.
    """

    look: Look
    wanted: Wanted = Wanted()
    faults: tuple[tuple[Finding, str], ...] = ()

    @property
    def gpus(self) -> tuple[Gpu, ...]:
        """All GPUs on the bus."""
        return self.look.gpus.gpus if self.look.gpus else ()

    def healths(self) -> t.Iterator[tuple[Gpu, GpuHealth | str]]:
        """Each GPU with what it says of its health, or why it says nothing."""
        section = self.look.health
        told = {item.bdf: item for item in section.gpus} if section else {}
        for gpu in self.gpus:
            yield gpu, told.get(gpu.bdf) or self._silence(gpu)

    def _silence(self, gpu: Gpu) -> str:
        section = self.look.health
        if section is None:
            return f"section health {NOT_LOOKED_AT}"
        reasons = [section.unknown.get(gpu.bdf), section.unknown.get("gpus"), *section.unknown.values()]
        return next(filter(None, reasons), "nothing told of this GPU")


def without(gpu: Gpu, field: str, health: GpuHealth, what: str = "") -> Sample:
    """A sample without data of one field: not supported where the look gives no reason for it."""
    reason = reason_of(health.unknown, field)
    if reason:
        return Sample(gpu.bdf, None, what, reason)
    return Sample(gpu.bdf, None, what, "not supported by this GPU or its driver", supported=False)


def reason_of(unknown: t.Mapping[str, str], field: str) -> str:
    """Why a field, one inside it or the whole could not be read; empty if nothing says so."""
    for path, reason in unknown.items():
        if path == "*" or path == field or path.startswith((f"{field}.", f"{field}[")) or field.startswith(f"{path}."):
            return reason
    return ""


def node(value: float | None = None, reason: str = "", **more: t.Any) -> Sample:
    """A sample of the whole node."""
    return Sample(NODE, value, reason=reason, **more)
