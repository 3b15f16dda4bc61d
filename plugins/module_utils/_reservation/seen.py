# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What is to be seen of reservations on a node: its record, its devices, and who holds them, at one time."""

from __future__ import annotations

import dataclasses as dc
import time

from .._core.look.gpus import Gpus
from .._core.partition.capabilities import Capabilities
from .._core.partition.layout import layout
from .._core.reservation import device, record
from .._core.reservation.shape import Device, Record
from .._core.reservation.verdict_holder import Held
from .._look.sight import Sight
from .._node import holders
from .._node.apart import UnreadableError
from .._node.machine import Machine
from .._smi import partition

_LIBRARY = 30.0  # seconds for the library to list processes


@dc.dataclass(frozen=True)
class Seen:
    """All of it.

    Attributes:
        record: what the node was told; None: nothing.
        devices: that it has now.
        held: by which processes.
        at: seconds since 1970.
        zone: minutes that the node's clock is before UTC.
    """

    record: Record | None
    devices: tuple[Device, ...]
    held: Held
    at: float
    zone: int


def look(machine: Machine) -> Seen:
    """Look at it.

    Raises:
        FleetError: the record is there and cannot be read.
    """
    text = machine.text(record.PATH)
    told = None if text is None else record.read(text)
    gpus = Sight(machine).take(("gpus",)).gpus or Gpus()
    found = device.devices(gpus, layout(gpus, Capabilities({})))
    named = {(one.gpu, one.partition): one.id for one in found}
    ids = {str(part.kfd_id): named[gpu.bdf, part.id] for gpu in gpus.gpus for part in gpu.partitions}
    library = partition.holders(machine, min(_LIBRARY, _left(machine)))
    doors = {one.id: one.render_node for one in found if one.render_node}
    held = holders.read(machine, machine.exists("/sys/module/amdgpu"), ids, library, doors)
    blind = [("processes", gpus.unknown[name]) for name in ("gpus", "partitions") if name in gpus.unknown]
    silent = [("library", why) for name, why in library.unknown.items() if name == "processes"]
    unknown = {**held.unknown, **dict(blind[:1]), **dict(silent)}
    now = time.time()
    return Seen(told, found, dc.replace(held, unknown=unknown), now, time.localtime(now).tm_gmtoff // 60)


def _left(machine: Machine) -> float:
    try:
        return machine.left()
    except UnreadableError:
        return 0.1
