# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What sysfs says about the health of GPUs, read in a child process as in sysfs.py."""

from __future__ import annotations

import typing as t

from .._core.look import sysfs_health
from .._core.look.health_merge import FIELDS
from .._core.look.shape import GpuHealth, Health
from .._node.apart import Apart, UnreadableError
from .._node.machine import Machine
from .._node.pci import DEVICES, Function
from .sysfs import ASLEEP, below, texts

# Of a hwmon folder. source: linux:Documentation/gpu/amdgpu/thermal.rst
_MONITORED = ("_label", "_input", "_crit", "power1_average", "power1_cap", "power1_cap_default")


class SysfsHealth:
    """Health of the GPUs that amdgpu drives; of the others, why it is unknown. It starts at once."""

    def __init__(self, machine: Machine, functions: t.Sequence[Function]) -> None:
        self._functions = functions
        awake = [f.bdf for f in functions if f.attributes.get("driver") == "amdgpu" and not f.asleep]
        self._apart: Apart | None = machine.apart(lambda: {bdf: _raw(machine, bdf) for bdf in awake}) if awake else None

    def answer(self, seconds: float) -> Health:
        """Return what sysfs knows about each function."""
        read: dict[str, dict[str, str]] = {}
        problem = None
        if self._apart is not None:
            try:
                read = self._apart.result(seconds)
            except UnreadableError as error:
                problem = str(error)
        return Health(tuple(_health(f, read.get(f.bdf), problem) for f in self._functions))


def _raw(machine: Machine, bdf: str) -> dict[str, str]:
    path = f"{DEVICES}/{bdf}"
    names = [*sysfs_health.ATTRIBUTES, *below(machine, path, "ras", "_err_count")]
    for monitor in machine.names(f"{path}/hwmon"):
        names += [name for name in below(machine, path, f"hwmon/{monitor}", "") if name.endswith(_MONITORED)]
    return texts(machine, path, names)


def _health(function: Function, values: dict[str, str] | None, problem: str | None) -> GpuHealth:
    if values is not None:
        return sysfs_health.gpu(function.bdf, values)
    driver = function.attributes.get("driver", "none")
    why = ASLEEP if function.asleep else problem or f"no driver amdgpu is bound ({driver})"
    return GpuHealth(function.bdf, unknown=dict.fromkeys(FIELDS, why))
