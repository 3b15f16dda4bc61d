# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The vendor's library as a source of readings, called in a child process that may hang or crash."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from .._core.look import smi, smi_health
from .._core.look.shape import Health, Smi
from .._node.machine import Machine
from .._node.pci import Function
from . import amdsmi_health, amdsmi_read, health_calls
from .child import Child, Heard
from .port import Answer


class Library:
    """Readings from libamd_smi through the vendor's binding. The child starts at once and is waited for later."""

    def __init__(self, machine: Machine, functions: t.Sequence[Function], health: bool = False) -> None:
        self._bdfs = [function.bdf for function in functions]
        self._root = machine.root_user
        programs = (amdsmi_health, amdsmi_read) if health else (amdsmi_read,)
        self._child = Child(machine, functions, programs, health=health_calls.CALLS if health else {})

    def answer(self, seconds: float) -> Answer:
        """Return what the library says, or in ``smi.error`` why it was not or could not be asked."""
        heard = self._child.answer(seconds)
        if "gpus" not in heard.said:
            return _silent(dc.replace(heard.smi, error=heard.problem or "the library gave no answer"))
        readings = smi.by_gpu(heard.said["gpus"], self._bdfs)
        return Answer(dc.replace(heard.smi, source="amdsmi"), readings, self._health(heard))

    def _health(self, heard: Heard) -> Health:
        """Return the health as far as the child came; what it did not come to is unknown with the reason."""
        error = heard.problem
        items = heard.said.get("told", {})
        for item in items.values() if error else ():
            for part in ("throttling", "cper"):  # said after the rest
                if part not in item:
                    item["unknown"].setdefault(part, error)
        found = smi_health.health(items, self._bdfs, self._root)
        return dc.replace(found, unknown={**found.unknown, "gpus": error}) if error else found


def _silent(known: Smi) -> Answer:
    """Return the answer of a library that said nothing of any GPU."""
    return Answer(known, health=Health(unknown={"gpus": known.error or ""}))
