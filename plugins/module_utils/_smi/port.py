# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The port through which GPUs are read."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from .._core.look.readings import Reading
from .._core.look.shape import Health, Smi


@dc.dataclass(frozen=True)
class Answer:
    """Readings by PCI address, which source gave them, and health as it tells it."""

    smi: Smi
    readings: dict[str, Reading] = dc.field(default_factory=dict)
    health: Health = dc.field(default_factory=Health)  # what it says of it, if that was wanted


class GpuSource(t.Protocol):
    """A source of readings: the vendor's library or sysfs."""

    def answer(self, seconds: float) -> Answer:
        """Return what the source knows within so many seconds; if it knows nothing, ``smi.error`` says why."""
