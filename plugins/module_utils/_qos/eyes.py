# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Looks of a run: GPUs, what the library tells of them, and what the kernel holds; after steps, if there are any."""

from __future__ import annotations

import typing as t

from .._core.look.shape import Gpus
from .._core.partition.layout import refuse_unknown
from .._core.qos.seen import target
from .._core.qos.shape import BY_LIBRARY, Step, Target
from .._core.release.named import named
from .._core.release.products import DeviceIds
from .._look.sight import Sight
from .._node.machine import Machine
from .._smi.performance import perform
from . import host

Failed = dict[tuple[str, str], str]


def machine(seconds: float) -> Machine:
    """This machine, to be read within some seconds."""
    return Machine(timeout=seconds)


def see(products: t.Sequence[DeviceIds], seconds: float, steps: t.Sequence[Step] = (),
        ) -> tuple[tuple[Target, ...], Failed]:
    """Carry out steps in order, until one fails, and look: at the node and its GPUs, and why steps failed.

    Raises:
        FleetError: which GPUs there are is unknown.
    """
    here = machine(seconds)
    gpus = named(Sight(here).take(("gpus",)), products).gpus or Gpus()
    refuse_unknown(gpus)
    asked = [(step.target, step.setting, step.value) for step in steps if step.setting in BY_LIBRARY]
    said = perform(here, asked, seconds)
    failed: Failed = dict(said.failed)
    for step in (step for step in steps if step.setting not in BY_LIBRARY and not failed):
        why = host.put(here, step)
        if why:
            failed[step.target, step.setting] = why
    silent = said.problem or "the library does not list it"
    found = (target(gpu, said.items.get(gpu.bdf, {}), said.lacking, silent) for gpu in gpus.gpus)
    return (host.node(here), *(host.with_interrupts(here, one) for one in found)), failed
