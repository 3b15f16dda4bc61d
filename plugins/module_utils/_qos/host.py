# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What the kernel of a node holds of quality of service: NUMA balancing, and where interrupts of GPUs go."""

from __future__ import annotations

import dataclasses as dc

from .._core.qos.shape import IRQ, NODE, NUMA, OFF, ON, Step, Target
from .._node.apart import UnreadableError
from .._node.machine import Machine

_NUMA = "/proc/sys/kernel/numa_balancing"
_WORDS = {"0": OFF, "1": ON}
_NUMBERS = {word: number for number, word in _WORDS.items()}


def node(machine: Machine) -> Target:
    """The node. A kernel that cannot balance does not, and cannot be told to."""
    try:
        text = machine.word(_NUMA)
    except UnreadableError as error:
        return Target(NODE, unknown={NUMA: str(error)})
    if text is None:
        return Target(NODE, values={NUMA: OFF}, lacking=(NUMA,))
    return Target(NODE, values={NUMA: _WORDS.get(text, text)})


def with_interrupts(machine: Machine, gpu: Target) -> Target:
    """A GPU with the CPUs that its interrupt may go to. amdgpu has one vector for each GPU.

    source: linux:drivers/gpu/drm/amd/amdgpu/amdgpu_irq.c, amdgpu_irq_init()
    """
    try:
        where = [machine.word(path) for path in _files(machine, gpu.name)]
    except UnreadableError as error:
        return dc.replace(gpu, unknown={**gpu.unknown, IRQ: str(error)})
    return dc.replace(gpu, values={**gpu.values, IRQ: where[0]}) if where and where[0] else gpu


def put(machine: Machine, step: Step) -> str:
    """Set one thing; return why it could not be set, or nothing."""
    paths = [_NUMA] if step.setting == NUMA else _files(machine, step.target)
    text = _NUMBERS.get(str(step.value), str(step.value))
    try:
        for path in paths:
            with open(machine.outside(path), "w", encoding="ascii") as file:
                file.write(f"{text}\n")
    except OSError as error:
        return f"{error.filename}: {error.strerror}"
    return ""


def _files(machine: Machine, bdf: str) -> list[str]:
    return [f"/proc/irq/{number}/smp_affinity_list" for number in machine.names(f"/sys/bus/pci/devices/{bdf}/msi_irqs")]
