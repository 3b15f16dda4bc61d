# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Samples of the devices that are to be freed, taken for a while before it is decided who goes."""

from __future__ import annotations

import dataclasses as dc

from .._act.clock import ticks
from .._core.eviction.protection import Samples, mixed_precision
from . import eyes
from .options import Asked

INTERVAL = 1  # second between two samples
# Of the whole GPU, in per cent. source: linux:Documentation/gpu/amdgpu/thermal.rst
_COMPUTE, _MEMORY = "gpu_busy_percent", "mem_busy_percent"


def watch(asked: Asked) -> Asked:
    """Watch the devices for as long as is asked, and know on which a mixed precision job runs.

    Raises:
        FleetError: what is asked is refused anyhow.
    """
    seconds = asked.options["sample_seconds"]
    if not seconds:
        return asked
    view = eyes.look()
    request, _plan = asked.decide(view)
    gpus = {device.id: device.gpu for device in view.devices if device.id in request.devices}
    taken = [{gpu: _reading(gpu) for gpu in set(gpus.values())} for _gone in ticks(seconds, INTERVAL)]
    samples = (Samples(device, INTERVAL, *zip(*(one[gpu] for one in taken))) for device, gpu in gpus.items())
    found = {one.device for one in samples if mixed_precision(one, asked.rules)}
    return dc.replace(asked, recognised=asked.recognised | found)


def _reading(gpu: str) -> tuple[int | None, int | None]:
    node = eyes.machine()
    return eyes.number(node, gpu, _COMPUTE), eyes.number(node, gpu, _MEMORY)
